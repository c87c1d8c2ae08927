/**
 * Encodes a decimal as text that sorts byte by byte like the number, so that any database compares amounts exactly:
 * sign, count of integer digits, digits. A negative number has the complement of every digit, and a terminator above all
 * digits, so that -0.5 sorts after -0.55.
 */
export function amountKey(decimal: string): string {
  const isNegative = decimal.startsWith('-')
  const point = decimal.indexOf('.')
  const wholeEnd = point === -1 ? decimal.length : point
  let start = isNegative ? 1 : 0
  while (start < wholeEnd && decimal.charCodeAt(start) === zero) start += 1
  let end = decimal.length
  while (end > wholeEnd + 1 && decimal.charCodeAt(end - 1) === zero) end -= 1

  const count = wholeEnd - start
  const digits = decimal.slice(start, wholeEnd) + decimal.slice(wholeEnd + 1, end)
  const key = (count < 10 ? '0' : '') + count + digits
  if (!isNegative || digits === '') return `1${key}`
  let complement = '0'
  for (let at = 0; at < key.length; at += 1) complement += 9 - (key.charCodeAt(at) - zero)
  return `${complement}~`
}

const zero = 0x30
