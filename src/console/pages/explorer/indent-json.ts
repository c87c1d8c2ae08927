import { parseJson } from '../../../contract/parse-json.ts'

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** Adds line breaks and spaces between the tokens of a JSON text, and changes nothing else. Other text stays as it is. */
export function indentJson(text: string): string {
  if (parseJson(text) === undefined) return text
  let depth = 0
  let result = ''
  let previous = ''
  for (const [token] of text.matchAll(tokens)) {
    const isClosing = token === '}' || token === ']'
    if (isClosing) depth = Math.max(0, depth - 1)
    const isEmpty = isClosing && (previous === '{' || previous === '[')
    const isLineStart = ['{', '[', ','].includes(previous) || isClosing
    if (previous !== '' && isLineStart && !isEmpty) result += `\n${'  '.repeat(depth)}`
    result += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth += 1
    previous = token
  }
  return result
}
