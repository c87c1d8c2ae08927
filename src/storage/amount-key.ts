/**
 * A decimal as text that sorts as the number does, byte by byte, so that any database compares amounts
 * exactly: sign, count of whole digits, digits. Below zero every digit is turned around, and an end mark
 * above all digits makes -0.5 come after -0.55.
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
  let turned = '0'
  for (let at = 0; at < key.length; at += 1) turned += 9 - (key.charCodeAt(at) - zero)
  return `${turned}~`
}

const zero = 0x30
