import { describeExpected, printable } from '../contract/problems.ts'
import { findViolations, type Rule } from '../contract/rules.ts'
import { type ScalarName, scalars } from '../contract/scalars.ts'
import { isObject, type Node } from '../contract/schema.ts'

/**
 * The validation of responses is as strict as the interface. What Holdfast requires of its own data beyond that (closed
 * enumerations, no additional fields, texts for OTHER) is a remark and not a fault.
 */
export type FaultKind =
  | 'shape'
  | 'number'
  | 'time'
  | 'enumeration'
  | 'union'
  | 'spelling'
  | 'repetition'

export interface Fault {
  /** `remark`: valid, and shown in verbose reports. */
  readonly kind: FaultKind | 'remark'
  readonly path: string
  readonly reason: string
  /** Text of the response that the path ends with, or that the reason contains. */
  readonly received?: string
}

export type AccountVersion = 3 | 4

/** Finds them one after another: a large response may have millions. */
export function findFaults(
  node: Node,
  value: unknown,
  version: AccountVersion,
): Generator<Fault, void> {
  return read(node, value, '', version)
}

/** The enumerations that the interface closes. For the others it lists examples. */
const closedFields = ['openStatus', 'productCategory']

const timeScalars: readonly ScalarName[] = ['dateTime', 'localDateTime', 'date', 'duration']

/** Version 3 of the account states the price of a fee or a discount in one of these, instead of with a method. */
const pricesWithoutMethod = ['amount', 'balanceRate', 'transactionRate', 'accruedRate', 'feeRate']

/** The interface has both names for the method of a discount. */
const methods = ['feeMethodUType', 'discountMethodUType']

/** The interface itself uses both spellings. */
const validSpellings = ['rateApplicablityType', 'feeMethodUType']

/** Types of joint and organisation accounts. The list is open: any other type may be that of an individual. */
const sharedAccountTypes: readonly unknown[] = [
  'JOINT',
  'ORGANISATION',
  'ORGANIZATION',
  'BUSINESS',
  'COMPANY',
  'CORPORATE',
  'PARTNERSHIP',
  'TRUST',
  'ASSOCIATION',
  'GOVERNMENT',
  'GOVERNMENT_ENTITY',
  'NON_INDIVIDUAL',
]

type Read = Generator<Fault, void>
type Fields = Record<string, unknown>

function* read(node: Node, value: unknown, path: string, version: AccountVersion): Read {
  const fault = (kind: Fault['kind']): Fault => ({
    kind,
    path,
    reason: `must be ${describeExpected(node)}`,
  })
  if (node.anyOf) yield* readBranches(node, value, path, version)
  else if (node.properties) {
    if (isObject(value)) yield* readFields(node, value, path, version)
    else yield fault('shape')
  } else if (node.items) {
    if (!Array.isArray(value) || value.length < (node.minItems ?? 0)) yield fault('shape')
    for (const [index, element] of Array.isArray(value) ? value.entries() : []) {
      yield* read(node.items, element, `${path}[${index}]`, version)
    }
  } else {
    const kind = classifyScalar(node, value, path.slice(path.lastIndexOf('.') + 1))
    if (kind) yield fault(kind)
  }
}

function* readFields(node: Node, fields: Fields, path: string, version: AccountVersion): Read {
  const { properties = {}, required = [], rules = [] } = node
  const at = (field: string) => (path ? `${path}.${field}` : field)
  const misspelled = new Set<string>()

  for (const field of Object.keys(fields)) {
    if (Object.hasOwn(properties, field)) continue
    const intended = findIntended(node, field)
    const isMissing = intended !== undefined && fields[intended] === undefined
    const isValid = !isMissing || validSpellings.includes(field)
    if (intended && isMissing) misspelled.add(intended)
    const received = printable(field)
    const path = at(received)
    if (isPriceOfVersionThree(node, fields, field)) {
      yield { kind: 'shape', path, received, reason: `must be replaced by ${methods[0]}` }
    } else
      yield isValid
        ? { kind: 'remark', path, received, reason: 'is not a field of the interface' }
        : { kind: 'spelling', path, received, reason: `must be spelled ${intended}` }
  }
  for (const field of required) {
    const isMissing = fields[field] === undefined || fields[field] === null
    if (isMissing && !misspelled.has(field)) {
      yield { kind: 'shape', path: at(field), reason: 'is missing' }
    }
  }
  for (const [field, type] of Object.entries(properties)) {
    const value = fields[field]
    if (value === undefined) continue
    if (value !== null) yield* read(type, value, at(field), version)
    else if (!required.includes(field)) {
      yield { kind: 'remark', path: at(field), reason: 'is null instead of absent' }
    }
  }
  yield* readUnknownUnions(properties, fields, at)
  for (const rule of rules) {
    for (const { path: where, reason } of findViolations(rule, fields)) {
      if (misspelled.has(where)) continue
      yield { kind: classifyRule(rule, where, fields), path: at(where), reason }
    }
  }
}

/** A field that only version 3 has, in a fee or discount of version 4 whose price is not stated otherwise. */
function isPriceOfVersionThree({ properties = {} }: Node, fields: Fields, field: string): boolean {
  return (
    pricesWithoutMethod.includes(field) &&
    methods.some((method) => Object.hasOwn(properties, method)) &&
    !methods.some((method) => Object.hasOwn(fields, method))
  )
}

/** A discriminator may have a value that Holdfast does not know. The sibling that it names must exist all the same. */
function* readUnknownUnions(
  properties: Readonly<Record<string, Node>>,
  fields: Fields,
  at: (field: string) => string,
): Read {
  for (const [field, type] of Object.entries(properties)) {
    const value = fields[field]
    if (!field.endsWith('UType') || typeof value !== 'string') continue
    if (type.enum?.includes(value) || Object.hasOwn(fields, value)) continue
    const received = printable(value)
    yield {
      kind: 'union',
      path: at(field),
      received,
      reason: `names ${received}, which is missing`,
    }
  }
}

function classifyRule({ when, needs = [] }: Rule, where: string, fields: Fields): Fault['kind'] {
  if (!needs.includes(where)) return 'remark'
  if (when.field.endsWith('UType')) {
    return foldName(where) === foldName(String(fields[when.field])) ? 'union' : 'shape'
  }
  if (where !== 'users') return 'remark'
  const isShared = 'is' in when || sharedAccountTypes.includes(fields[when.field])
  return isShared ? 'shape' : 'remark'
}

/** The field that a misspelled name stands for: it differs in case or separators, or is a known alias. */
function findIntended(node: Node, field: string): string | undefined {
  const { aliases = {} } = node
  return Object.hasOwn(aliases, field) ? aliases[field] : foldNames(node).get(foldName(field))
}

const foldedNames = new WeakMap<Node, ReadonlyMap<string, string>>()

/** The names of the fields, by folded name. A response may have thousands of unknown fields. */
function foldNames(node: Node): ReadonlyMap<string, string> {
  const known = foldedNames.get(node)
  if (known) return known
  const names = new Map(
    Object.keys(node.properties ?? {})
      .toReversed()
      .map((name) => [foldName(name), name]),
  )
  foldedNames.set(node, names)
  return names
}

function foldName(field: string): string {
  return field.replaceAll(/[_-]/g, '').toLowerCase()
}

function* readBranches(node: Node, value: unknown, path: string, version: AccountVersion): Read {
  const { anyOf: branches = [] } = node
  const versioned = branches.find(
    ({ name }) => name === (version === 3 ? versionThree : versionFour),
  )
  if (versioned) return yield* read(versioned, value, path, version)
  const readings = branches.map((branch) => [...read(branch, value, path, version)])
  const valid = readings.find((faults) => faults.every(({ kind }) => kind === 'remark'))
  if (valid) return yield* valid
  const intended = branches.findIndex(({ type }) => type === typeOf(value))
  if (intended >= 0) yield* readings[intended] ?? []
  else yield { kind: classifyMismatch(value), path, reason: `must be ${describeExpected(node)}` }
}

const versionFour = 'BankingAccount'
const versionThree = 'BankingAccountV3'

/** Whether a response has banking accounts, of which the provider returns one version. */
export function hasAccountVersions({ name, properties = {}, items, anyOf = [] }: Node): boolean {
  const parts = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
  return name === versionThree || parts.some(hasAccountVersions)
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

/** A number instead of a string, or a numeric string instead of a number, breaks the conventions for numbers. */
function classifyMismatch(value: unknown): FaultKind {
  if (typeof value === 'number') return 'number'
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? 'number' : 'shape'
}

function classifyScalar(node: Node, value: unknown, field: string): Fault['kind'] | undefined {
  if (node.enum) {
    if (typeof value !== 'string') return 'enumeration'
    if (node.enum.includes(value) || field.endsWith('UType')) return undefined
    return closedFields.includes(field) || isRemoved(field, value) ? 'enumeration' : 'remark'
  }
  switch (node.type) {
    case 'string':
      return classifyText(node, value)
    case 'number':
      return typeof value === 'number' ? undefined : classifyMismatch(value)
    case 'integer':
      return Number.isInteger(value) && (value as number) >= 0 ? undefined : classifyMismatch(value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'shape'
    default:
      return undefined
  }
}

/** Version 4 of the account has the types of fees of version 3 without this one. */
function isRemoved(field: string, value: string): boolean {
  return field === 'feeType' && value === 'VARIABLE'
}

function classifyText({ scalar, acceptsNumber }: Node, value: unknown): Fault['kind'] | undefined {
  if (typeof value === 'number' && acceptsNumber) return 'remark'
  if (typeof value !== 'string') return classifyMismatch(value)
  if (scalar === undefined || scalars[scalar].test(value)) return undefined
  if (timeScalars.includes(scalar)) return 'time'
  if (scalar === 'decimal') return 'number'
  return scalar === 'id' && value === '' ? 'shape' : 'remark'
}
