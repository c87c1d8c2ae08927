/** Exact, without floats: negative, zero or positive if `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: string, b: string): number {
  const places = Math.max(countPlaces(a), countPlaces(b))
  const difference = scale(a, places) - scale(b, places)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function countPlaces(decimal: string): number {
  const point = decimal.indexOf('.')
  return point < 0 ? 0 : decimal.length - point - 1
}

function scale(decimal: string, places: number): bigint {
  const digits = decimal.replace('.', '')
  return BigInt(digits + '0'.repeat(places - countPlaces(decimal)))
}

/** Formats a finite number as a decimal string, without an exponent and without loss of digits. */
export function formatDecimal(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)

  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  const padded = point > 0 ? digits.padEnd(point, '0') : digits.padStart(digits.length - point, '0')
  const head = point > 0 ? padded.slice(0, point) : '0'
  const tail = point > 0 ? padded.slice(point) : padded
  return sign + head + (tail && `.${tail}`)
}
