/** Exact sums of decimal strings, for amounts of money. */

interface Scaled {
  readonly units: bigint
  readonly scale: number
}

/** The exact sum. Text that is not a decimal is left out. */
export function addDecimals(texts: readonly string[]): string {
  const values = texts.flatMap((text) => parseDecimal(text) ?? [])
  const scale = Math.max(0, ...values.map((value) => value.scale))
  const units = values.reduce(
    (sum, value) => sum + value.units * 10n ** BigInt(scale - value.scale),
    0n,
  )
  return formatScaled({ units, scale })
}

export function negateDecimal(text: string): string {
  if (/^-?0*(\.0*)?$/.test(text)) return text.replace('-', '')
  return text.startsWith('-') ? text.slice(1) : `-${text}`
}

function parseDecimal(text: string): Scaled | undefined {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === '') return undefined
  return { units: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length }
}

function formatScaled({ units, scale }: Scaled): string {
  const sign = units < 0n ? '-' : ''
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  if (scale === 0) return sign + digits
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
