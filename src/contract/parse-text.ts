import { isValid } from './problems.ts'
import type { Node } from './schema.ts'

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/** Converts the text of a parameter to its declared type; undefined if it is invalid. */
export function parseText(node: Node, text: string): unknown {
  const value = convert(node, text)
  return isValid(node, value) ? value : undefined
}

function convert({ type }: Node, text: string): unknown {
  if (type === 'boolean') return booleans.get(text)
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : undefined
  return text
}
