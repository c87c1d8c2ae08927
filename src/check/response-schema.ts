import { findViolations, type Rule } from '../contract/rules.ts'
import { type ScalarName, scalars } from '../contract/scalars.ts'
import { isObject, type Node } from '../contract/schema.ts'
import { describeExpected, printable } from '../contract/validate.ts'

/**
 * Reads an answer by the contract, as the interface has it: what Holdfast asks of its own data beyond that
 * (closed value lists, no fields of one's own, texts beside OTHER) is remarked on and is no fault.
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
  /** `remark`: lawful, and worth a line where somebody looks. */
  readonly kind: FaultKind | 'remark'
  readonly path: string
  readonly reason: string
}

export type AccountVersion = 3 | 4

export function faultsOf(node: Node, value: unknown, version: AccountVersion): Fault[] {
  return [...read(node, value, '', '', version)]
}

/** The lists that the interface closes; of the others it shows values seen. */
const closedFields = ['openStatus', 'productCategory']

const timeScalars: readonly ScalarName[] = ['dateTime', 'localDateTime', 'date', 'duration']

/** The interface spells it both ways itself. */
const lawfulSpellings = ['rateApplicablityType']

type Read = Generator<Fault>

function* read(
  node: Node,
  value: unknown,
  path: string,
  field: string,
  version: AccountVersion,
): Read {
  const fault = (kind: Fault['kind']): Fault => ({
    kind,
    path,
    reason: `must be ${describeExpected(node)}`,
  })
  if (node.anyOf) yield* readBranches(node, node.anyOf, value, path, field, version)
  else if (node.properties) {
    if (isObject(value)) yield* readFields(node, value, path, version)
    else yield fault('shape')
  } else if (node.items) {
    if (Array.isArray(value)) yield* readElements(node, node.items, value, path, version)
    else yield fault('shape')
  } else {
    const kind = kindOfFault(node, value, field)
    if (kind) yield fault(kind)
  }
}

function* readElements(
  node: Node,
  items: Node,
  value: readonly unknown[],
  path: string,
  version: AccountVersion,
): Read {
  if (value.length < (node.minItems ?? 0)) {
    yield { kind: 'shape', path, reason: `must be ${describeExpected(node)}` }
  }
  for (const [index, element] of value.entries()) {
    yield* read(items, element, `${path}[${index}]`, '', version)
  }
}

function* readFields(
  node: Node,
  fields: Record<string, unknown>,
  path: string,
  version: AccountVersion,
): Read {
  const { properties = {}, required = [], rules = [] } = node
  const at = (field: string) => (path ? `${path}.${field}` : field)
  const misspelled = new Set<string>()

  for (const field of Object.keys(fields)) {
    if (Object.hasOwn(properties, field)) continue
    const meant = spelledRight(node, field)
    const isMissing = meant !== undefined && fields[meant] === undefined
    const isLawful = !isMissing || lawfulSpellings.includes(field)
    if (meant && isMissing) misspelled.add(meant)
    yield isLawful
      ? { kind: 'remark', path: at(printable(field)), reason: 'is not a field of the interface' }
      : { kind: 'spelling', path: at(printable(field)), reason: `must be spelled ${meant}` }
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
    if (value !== null) yield* read(type, value, at(field), field, version)
    else if (!required.includes(field)) {
      yield { kind: 'remark', path: at(field), reason: 'is null instead of left out' }
    }
  }
  yield* unnamedSiblings(properties, fields, at)
  for (const rule of rules) {
    for (const { path: where, reason } of findViolations(rule, fields)) {
      if (misspelled.has(where)) continue
      yield { kind: kindOfRule(rule, where), path: at(where), reason }
    }
  }
}

/** A discriminator may have a value that Holdfast does not know; its sibling must be there all the same. */
function* unnamedSiblings(
  properties: Readonly<Record<string, Node>>,
  fields: Record<string, unknown>,
  at: (field: string) => string,
): Read {
  for (const [field, type] of Object.entries(properties)) {
    const value = fields[field]
    if (!field.endsWith('UType') || typeof value !== 'string') continue
    if (type.enum?.includes(value) || Object.hasOwn(fields, value)) continue
    yield {
      kind: 'union',
      path: at(field),
      reason: `names ${printable(value)}, which is not there`,
    }
  }
}

function kindOfRule({ when, needs = [] }: Rule, where: string): Fault['kind'] {
  if (!needs.includes(where)) return 'remark'
  if (when.field.endsWith('UType')) return 'union'
  return where === 'users' ? 'shape' : 'remark'
}

/** The field that a name was meant to be: another case, another separator, a known slip. */
function spelledRight({ properties = {}, aliases = {} }: Node, field: string) {
  if (Object.hasOwn(aliases, field)) return aliases[field]
  const plain = plainName(field)
  return Object.keys(properties).find((name) => plainName(name) === plain)
}

function plainName(field: string): string {
  return field.replaceAll(/[_-]/g, '').toLowerCase()
}

function* readBranches(
  node: Node,
  branches: readonly Node[],
  value: unknown,
  path: string,
  field: string,
  version: AccountVersion,
): Read {
  const versioned = branches.find(
    ({ name }) => name === (version === 3 ? versionThree : versionFour),
  )
  if (versioned) {
    yield* read(versioned, value, path, field, version)
    return
  }
  const readings = branches.map((branch) => [...read(branch, value, path, field, version)])
  const good = readings.find((faults) => faults.every(({ kind }) => kind === 'remark'))
  if (good) {
    yield* good
    return
  }
  const meant = branches.findIndex(({ type }) => type === typeOf(value))
  if (meant >= 0) yield* readings[meant] ?? []
  else yield { kind: kindOfMismatch(value), path, reason: `must be ${describeExpected(node)}` }
}

const versionFour = 'BankingAccount'
const versionThree = 'BankingAccountV3'

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

/** A number where a text is wanted, or the other way round, is a matter of the conventions. */
function kindOfMismatch(value: unknown): FaultKind {
  if (typeof value === 'number') return 'number'
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? 'number' : 'shape'
}

function kindOfFault(node: Node, value: unknown, field: string): Fault['kind'] | undefined {
  if (node.enum) {
    if (typeof value !== 'string') return 'enumeration'
    if (node.enum.includes(value) || field.endsWith('UType')) return undefined
    return closedFields.includes(field) ? 'enumeration' : 'remark'
  }
  switch (node.type) {
    case 'string':
      return kindOfTextFault(node, value)
    case 'number':
      return typeof value === 'number' ? undefined : kindOfMismatch(value)
    case 'integer':
      return Number.isInteger(value) && (value as number) >= 0 ? undefined : kindOfMismatch(value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'shape'
    default:
      return undefined
  }
}

function kindOfTextFault(
  { scalar, acceptsNumber }: Node,
  value: unknown,
): Fault['kind'] | undefined {
  if (typeof value === 'number' && acceptsNumber) return 'remark'
  if (typeof value !== 'string') return kindOfMismatch(value)
  if (scalar === undefined || scalars[scalar].test(value)) return undefined
  if (timeScalars.includes(scalar)) return 'time'
  if (scalar === 'decimal') return 'number'
  return scalar === 'id' && value === '' ? 'shape' : 'remark'
}
