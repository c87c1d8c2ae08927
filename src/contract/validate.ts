import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { countCharacters, escapeInvisible } from './characters.ts'
import { findViolations, type Problem } from './rules.ts'
import { scalars } from './scalars.ts'
import { asNode, isObject, type Node } from './schema.ts'

export interface Validator<T extends TSchema> {
  /** Compiled: the way of nearly every record. */
  check(value: unknown): value is Static<T>
  /** Everything that is wrong, field by field, up to so much; empty exactly when `check` holds. */
  problems(value: unknown, most?: number): Problem[]
}

/** Compile once, at start: a validator costs milliseconds to make and microseconds to use. */
export function validator<T extends TSchema>(schema: T): Validator<T> {
  const compiled = Compile(schema)
  return {
    check: (value): value is Static<T> => compiled.Check(value),
    problems: (value, most = Number.POSITIVE_INFINITY) =>
      compiled.Check(value) ? [] : [...problemsOf(asNode(schema), value, '').take(most)],
  }
}

/** The sentence that refuses: `depositRates[0].tiers[1].minimumValue must be a decimal string`. */
export function formatProblem({ path, reason }: Problem): string {
  return `${path || 'the record'} ${reason}`
}

/** What a value must be, as the end of "field must be …". */
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

function* problemsOf(node: Node, value: unknown, path: string): Generator<Problem> {
  if (node.properties && isObject(value)) yield* fieldProblems(node, value, path)
  else if (node.items && Array.isArray(value)) yield* elementProblems(node, node.items, value, path)
  else if (node.anyOf) yield* branchProblems(node, node.anyOf, value, path)
  else if (!fits(node, value)) yield { path, reason: `must be ${describeExpected(node)}` }
}

function* fieldProblems(
  node: Node,
  fields: Record<string, unknown>,
  path: string,
): Generator<Problem> {
  const { properties = {}, required = [], rules = [] } = node
  const at = (field: string) => (path ? `${path}.${field}` : field)

  for (const field of required) {
    if (fields[field] === undefined) yield { path: at(field), reason: 'is required' }
  }
  for (const [field, type] of Object.entries(properties)) {
    if (fields[field] !== undefined) yield* problemsOf(type, fields[field], at(field))
  }
  for (const rule of rules) {
    for (const breach of findViolations(rule, fields)) yield { ...breach, path: at(breach.path) }
  }
  if (node.additionalProperties !== false) return
  for (const field of Object.keys(fields)) {
    if (Object.hasOwn(properties, field)) continue
    yield { path: at(printable(field)), reason: 'is not a field of this record' }
  }
}

function* elementProblems(
  node: Node,
  items: Node,
  value: unknown[],
  path: string,
): Generator<Problem> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node
  if (value.length < minItems || value.length > maxItems) {
    yield { path, reason: `must be ${describeExpected(node)}` }
    return
  }
  for (const [index, element] of value.entries()) {
    yield* problemsOf(items, element, `${path}[${index}]`)
  }
}

/** The branch that the value was meant for speaks, if its kind tells which one that is. */
function* branchProblems(
  node: Node,
  branches: readonly Node[],
  value: unknown,
  path: string,
): Generator<Problem> {
  if (branches.some((branch) => problemsOf(branch, value, path).next().done)) return
  const meant = branches.find(({ type }) => type === kindOf(value) && type !== 'string')
  if (meant) yield* problemsOf(meant, value, path)
  else yield { path, reason: `must be ${describeExpected(node)}` }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function fits(node: Node, value: unknown): boolean {
  if (node.enum) return typeof value === 'string' && node.enum.includes(value)
  switch (node.type) {
    case 'string':
      return typeof value === 'string' && isInLength(node, value) && isScalar(node, value)
    case 'number':
      return Number.isFinite(value) && isInRange(node, value as number)
    case 'integer':
      return Number.isInteger(value) && isInRange(node, value as number)
    case 'boolean':
      return typeof value === 'boolean'
    case undefined:
      return true
    default:
      return false
  }
}

function isScalar({ scalar }: Node, text: string): boolean {
  return scalar === undefined || scalars[scalar].test(text)
}

function isInLength({ minLength = 0, maxLength }: Node, text: string): boolean {
  const length = countCharacters(text)
  return length >= minLength && length <= (maxLength ?? length)
}

function isInRange({ minimum, maximum }: Node, value: number): boolean {
  return value >= (minimum ?? value) && value <= (maximum ?? value)
}

function count(least: number | undefined, most: number | undefined, noun: string): string {
  if (most !== undefined) return ` of ${least ?? 0} to ${most} ${noun}s`
  return least ? ` of at least ${least} ${noun}${least > 1 ? 's' : ''}` : ''
}

function bounds({ minimum, maximum }: Node): string {
  if (maximum === Number.MAX_SAFE_INTEGER) return ` from ${minimum} to 2^53 - 1`
  if (maximum !== undefined) return ` from ${minimum} to ${maximum}`
  return minimum === undefined ? '' : ` from ${minimum}`
}

/** An unknown field's name is the caller's text: it is cut, and its invisible characters are escaped. */
export function printable(field: string): string {
  return escapeInvisible(field.length > 64 ? `${field.slice(0, 64)}…` : field)
}
