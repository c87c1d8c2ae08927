/** The amount as an integer with 32 decimal places. */
export function toExact(amount: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(amount) ?? []
  const value = BigInt(whole + fraction.padEnd(32, '0'))
  return sign === '-' ? -value : value
}
