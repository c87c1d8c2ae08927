import type { TSchema } from 'typebox'
import { countCharacters, escapeInvisible } from './characters.ts'
import { findViolations, type Problem } from './rules.ts'
import { type Scalar, scalars } from './scalars.ts'
import { asNode, isObject, type Node } from './schema.ts'

/**
 * All errors of a value by field, at most `max`. Imports nothing of Node and evaluates no code, so that a browser
 * reports the same errors as the server before it sends anything.
 */
export function findProblems(
  schema: TSchema,
  value: unknown,
  max = Number.POSITIVE_INFINITY,
): Problem[] {
  return examine(asNode(schema), value, max)
}

function examine(node: Node, value: unknown, max: number): Problem[] {
  const found: Found = { problems: [], max }
  examineNode(found, node, value, '')
  return found.problems
}

interface Found {
  readonly problems: Problem[]
  readonly max: number
}

function isFull({ problems, max }: Found): boolean {
  return problems.length >= max
}

function report(found: Found, path: string, reason: string): void {
  if (!isFull(found)) found.problems.push({ path, reason })
}

export const unknownFieldReason = 'is not a field of this record'

/** For example: `depositRates[0].tiers[1].minimumValue must be a decimal string`. */
export function formatProblem({ path, reason }: Problem): string {
  return `${path || 'the record'} ${reason}`
}

/** Completes the sentence "field must be …". */
export function describeExpected(node: Node): string {
  if (node.scalar) return scalars[node.scalar].mustBe
  if (node.enum) return `one of ${node.enum.join(', ')}`
  if (node.anyOf) return node.anyOf.map(describeExpected).join(' or ')
  switch (node.type) {
    case 'object':
      return 'an object'
    case 'array':
      return `a list${count(node.minItems, node.maxItems, 'element')}`
    case 'string':
      return `a string${count(node.minLength, node.maxLength, 'character')}`
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number${bounds(node)}`
    default:
      return `a number${bounds(node)}`
  }
}

/** What a value must be, with the limit that the rejected value exceeds, if there is one. */
export function describeExpectedOf(node: Node, value: unknown): string {
  const scalar: Scalar | undefined = node.scalar && scalars[node.scalar]
  const limit = typeof value === 'string' ? scalar?.limit?.(value) : undefined
  return limit === undefined ? describeExpected(node) : `${describeExpected(node)} ${limit}`
}

function examineNode(found: Found, node: Node, value: unknown, path: string): void {
  if (isFull(found)) return
  if (node.properties && isObject(value)) examineFields(found, node, value, path)
  else if (node.items && Array.isArray(value)) examineElements(found, node, value, path)
  else if (node.anyOf) examineBranches(found, node, value, path)
  else if (!isValid(node, value)) {
    report(found, path, `must be ${describeExpectedOf(node, value)}`)
  }
}

function examineFields(
  found: Found,
  { properties = {}, required = [], rules = [], additionalProperties }: Node,
  fields: Record<string, unknown>,
  path: string,
): void {
  const at = (field: string) => (path ? `${path}.${field}` : field)

  for (const field of required) {
    if (fields[field] === undefined) report(found, at(field), 'is required')
  }
  for (const field of Object.keys(properties)) {
    const value = fields[field]
    if (value !== undefined) examineNode(found, properties[field] ?? {}, value, at(field))
  }
  for (const rule of rules) {
    for (const { path: name, reason } of findViolations(rule, fields))
      report(found, at(name), reason)
  }
  if (additionalProperties !== false) return
  for (const field of Object.keys(fields)) {
    if (isFull(found)) return
    if (Object.hasOwn(properties, field)) continue
    report(found, at(printable(field)), unknownFieldReason)
  }
}

function examineElements(found: Found, node: Node, value: unknown[], path: string): void {
  const { items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node
  if (value.length < minItems || value.length > maxItems) {
    report(found, path, `must be ${describeExpected(node)}`)
    return
  }
  for (const [index, element] of value.entries()) {
    if (isFull(found)) return
    examineNode(found, items, element, `${path}[${index}]`)
  }
}

/** Reports the errors of the branch that has the type of the value, if there is one. */
function examineBranches(found: Found, node: Node, value: unknown, path: string): void {
  const { anyOf = [] } = node
  if (anyOf.some((branch) => examine(branch, value, 1).length === 0)) return
  const match = anyOf.find(({ type }) => type === jsonType(value) && type !== 'string')
  if (match) examineNode(found, match, value, path)
  else report(found, path, `must be ${describeExpected(node)}`)
}

function jsonType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Whether a value that is neither an object nor a list is valid. */
export function isValid(node: Node, value: unknown): boolean {
  if (node.enum) return typeof value === 'string' && node.enum.includes(value)
  switch (node.type) {
    case 'string':
      return typeof value === 'string' && hasValidLength(node, value) && hasFormat(node, value)
    case 'number':
      return Number.isFinite(value) && hasValidRange(node, value as number)
    case 'integer':
      return Number.isInteger(value) && hasValidRange(node, value as number)
    case 'boolean':
      return typeof value === 'boolean'
    case undefined:
      return true
    default:
      return false
  }
}

function hasFormat({ scalar }: Node, text: string): boolean {
  return scalar === undefined || scalars[scalar].test(text)
}

function hasValidLength({ minLength = 0, maxLength }: Node, text: string): boolean {
  if (minLength === 0 && maxLength === undefined) return true
  const length = countCharacters(text)
  return length >= minLength && length <= (maxLength ?? length)
}

function hasValidRange({ minimum, maximum }: Node, value: number): boolean {
  return value >= (minimum ?? value) && value <= (maximum ?? value)
}

function count(min: number | undefined, max: number | undefined, noun: string): string {
  if (max !== undefined) return ` of ${min ?? 0} to ${max} ${noun}s`
  return min ? ` of at least ${min} ${noun}${min > 1 ? 's' : ''}` : ''
}

function bounds({ minimum, maximum }: Node): string {
  if (maximum === Number.MAX_SAFE_INTEGER) return ` from ${minimum} to 2^53 - 1`
  if (maximum !== undefined) return ` from ${minimum} to ${maximum}`
  return minimum === undefined ? '' : ` from ${minimum}`
}

export const nulReason = 'must not contain U+0000'

/**
 * The texts and the names of fields with U+0000, which PostgreSQL cannot store. It is not a rule of a schema: a provider
 * compares what it reads with stored texts, and its upstream may send any text.
 */
export function findNul(value: unknown, path = ''): Problem[] {
  if (typeof value === 'string') return value.includes('\0') ? [{ path, reason: nulReason }] : []
  if (Array.isArray(value))
    return value.flatMap((each, index) => findNul(each, `${path}[${index}]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => {
    const field = path ? `${path}.${printable(name)}` : printable(name)
    return name.includes('\0') ? [{ path: field, reason: nulReason }] : findNul(each, field)
  })
}

/** Field names come from the client: they are truncated, and invisible characters are escaped. */
export function printable(field: string): string {
  return escapeInvisible(field.length > 64 ? `${field.slice(0, 64)}…` : field)
}
