import { parseText } from '../../contract/parse-text.ts'
import { describeExpectedOf, nulReason } from '../../contract/problems.ts'
import type { Node } from '../../contract/schema.ts'
import { CdsError } from './errors.ts'

/** Query parameters by name. */
export type Parameters = Readonly<Record<string, Node>>

/** A repeated parameter is an array. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>

export type Query = Readonly<Record<string, unknown>>

/** Validates the parameters of an endpoint, and adds defaults. Unknown parameters are ignored. */
export function readQuery(parameters: Parameters, raw: RawQuery): Query {
  const values = Object.entries(parameters).map(([name, node]) => {
    const given = Object.hasOwn(raw, name) ? raw[name] : undefined
    if (given === undefined) return [name, node.default] as const
    if (typeof given !== 'string') throw new CdsError('invalidField', `${name} must be given once`)
    if (given.includes('\0')) throw new CdsError('invalidField', `${name} ${nulReason}`)
    return [name, readParameter(name, node, given)] as const
  })
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function readParameter(name: string, node: Node, given: string): unknown {
  // An unescaped plus sign of a UTC offset is decoded as a space, which no date-time contains.
  const text = node.scalar === 'dateTime' ? given.replace(' ', '+') : given
  const value = parseText(node, text)
  if (value !== undefined) return value
  const isTooLarge = name === 'page-size' && Number(text) > (node.maximum ?? 0)
  const invalid = node.scalar === 'dateTime' ? 'invalidDate' : 'invalidField'
  const detail = `${name} must be ${describeExpectedOf(node, text)}`
  throw new CdsError(isTooLarge ? 'invalidPageSize' : invalid, detail)
}
