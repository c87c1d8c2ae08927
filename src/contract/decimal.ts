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
