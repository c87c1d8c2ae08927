/**
 * A decimal as text that sorts as the number does, byte by byte, so that any database compares amounts
 * exactly: sign, count of whole digits, digits. Below zero every digit is turned around, and an end mark
 * above all digits makes -0.5 come after -0.55.
 */
export function amountKey(decimal: string): string {
  const negative = decimal.startsWith('-')
  const [whole = '', fraction = ''] = (negative ? decimal.slice(1) : decimal).split('.')
  const digits = whole.replace(/^0+/, '')
  const rest = fraction.replace(/0+$/, '')
  const key = digits.length.toString().padStart(2, '0') + digits + rest
  if (!negative || key === '00') return `1${key}`
  return `0${key.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}~`
}
