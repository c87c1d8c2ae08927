import { countCharacters } from './characters.ts'
import { scalars } from './scalars.ts'
import type { Node } from './schema.ts'

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/** Converts the text of a parameter to its declared type; undefined if it is invalid. */
export function parseText(node: Node, text: string): unknown {
  if (node.scalar) return scalars[node.scalar].test(text) ? text : undefined
  if (node.enum) return node.enum.includes(text) ? text : undefined
  switch (node.type) {
    case 'boolean':
      return booleans.get(text)
    case 'integer': {
      const value = Number(text)
      const { minimum = -Infinity, maximum = Infinity } = node
      return /^-?\d+$/.test(text) && value >= minimum && value <= maximum ? value : undefined
    }
    default: {
      const { minLength = 0, maxLength = Infinity } = node
      const length = countCharacters(text)
      return length >= minLength && length <= maxLength ? text : undefined
    }
  }
}
