import { epochNanoseconds } from './date-time.ts'
import { compareDecimals } from './decimal.ts'
import { type ScalarName, scalars } from './scalars.ts'

/**
 * A rule between fields of one object, as data. The validation, the error text and the JSON Schema in the
 * OpenAPI document are derived from it.
 */
export interface Rule {
  /** The rule applies if `field` has one of the values `is`, or no value of `not`, or is absent. An absent field counts as `not`, unless `present` is set. */
  readonly when: { readonly field: string } & (
    | { readonly absent: true }
    | { readonly is: readonly string[] }
    | { readonly not: readonly string[]; readonly present?: true }
  )
  /** These fields are then required; strings and lists among them must not be empty. */
  readonly needs?: readonly string[]
  /** What a required field may contain, for the error text and the documentation. */
  readonly hint?: string
  /** These fields must then be absent. */
  readonly forbids?: readonly string[]
  /** This field must then have that format, if it is present. */
  readonly format?: { readonly field: string; readonly scalar: ScalarName }
  /** This field must then be at least the field of `when`, if it is present. JSON Schema cannot express this. */
  readonly atLeast?: { readonly field: string; readonly scalar: keyof typeof orders }
}

/** How values of a scalar are compared, and what a value that is too small must not be. */
const orders = {
  dateTime: {
    isLess: (a: string, b: string) => epochNanoseconds(a) < epochNanoseconds(b),
    less: 'before',
  },
  decimal: { isLess: (a: string, b: string) => compareDecimals(a, b) < 0, less: 'less than' },
} as const satisfies Partial<Record<ScalarName, object>>

/** An error in one field. `path` is like `fees[0].name`; `reason` completes the sentence. */
export interface Problem {
  readonly path: string
  readonly reason: string
}

type Fields = Readonly<Record<string, unknown>>

/**
 * A discriminated union: the `…UType` field names the required sibling, and the other siblings must be
 * absent. `siblings` maps each value to its field.
 */
export function mappedUnion(field: string, siblings: Readonly<Record<string, string>>): Rule[] {
  return Object.entries(siblings).flatMap(([value, sibling]) => [
    { when: { field, is: [value] }, needs: [sibling] },
    { when: { field, not: [value] }, forbids: [sibling] },
  ])
}

/** A union with an optional discriminator. Without it, the siblings are not restricted. */
export function optionalUnion(field: string, values: readonly string[]): Rule[] {
  return values.flatMap((value) => [
    { when: { field, is: [value] }, needs: [value] },
    { when: { field, not: [value], present: true }, forbids: [value] },
  ])
}

/** A union whose values are the names of its fields. */
export function union(field: string, values: readonly string[]): Rule[] {
  return mappedUnion(field, Object.fromEntries(values.map((value) => [value, value])))
}

/** At most one of these fields may be present. */
export function onlyOne(fields: readonly string[]): Rule[] {
  return fields.slice(0, -1).map((field, index) => ({
    when: { field, not: [], present: true },
    forbids: fields.slice(index + 1),
  }))
}

/** One of two fields must be present. */
export function exactlyOne(one: string, other: string): Rule[] {
  return [{ when: { field: one, absent: true }, needs: [other] }, ...onlyOne([one, other])]
}

/** `high`, if both fields are present, must not be less than `low`. */
export function inOrder(low: string, high: string, scalar: keyof typeof orders): Rule {
  return { when: { field: low, not: [], present: true }, atLeast: { field: high, scalar } }
}

/** The object must already match its schema. */
export function meetsRules(rules: readonly Rule[], fields: Fields): boolean {
  for (const rule of rules) {
    if (applies(rule, fields) && findViolations(rule, fields).length > 0) return false
  }
  return true
}

/** A field of the wrong type counts as present: its type error is reported separately. */
export function findViolations(rule: Rule, fields: Fields): Problem[] {
  if (!applies(rule, fields)) return []

  const missing = (rule.needs ?? [])
    .filter((path) => isMissing(fields[path]))
    .map((path) => ({
      path,
      reason: `${fields[path] === undefined ? 'is required' : 'must not be empty'} when ${describeCondition(rule)}${describeHint(rule)}`,
    }))
  const unwanted = (rule.forbids ?? [])
    .filter((path) => fields[path] !== undefined)
    .map((path) => ({ path, reason: `must be absent when ${describeCondition(rule)}` }))
  return [
    ...missing,
    ...unwanted,
    ...findFormatViolations(rule, fields),
    ...findOrderViolations(rule, fields),
  ]
}

/** What the rules say about a field of an object that is not complete yet, such as a form. */
export function readFieldRules(
  rules: readonly Rule[],
  fields: Fields,
  field: string,
): { readonly isRequired: boolean; readonly isForbidden: boolean; readonly scalar?: ScalarName } {
  const applicable = rules.filter((rule) => applies(rule, fields))
  const scalar = applicable.find(({ format }) => format?.field === field)?.format?.scalar
  return {
    isRequired: applicable.some(({ needs }) => needs?.includes(field)),
    isForbidden: applicable.some(({ forbids }) => forbids?.includes(field)),
    ...(scalar && { scalar }),
  }
}

/** The rule as JSON Schema: `if` the rule applies, `then` its consequence holds. */
export function toJsonSchema({ when, ...rule }: Rule): Record<string, unknown> {
  const hasOneOf = (values: readonly string[]) =>
    restrict({ [when.field]: { enum: values } }, [when.field])
  if ('is' in when) return implies(hasOneOf(when.is), buildConsequence(rule))
  const isPresent = restrict({ [when.field]: {} }, [when.field])
  if ('absent' in when) return implies({ not: isPresent }, buildConsequence(rule))

  const condition = {
    ...(when.present && isPresent),
    ...(when.not.length > 0 && { not: hasOneOf(when.not) }),
  }
  return implies(condition, buildConsequence(rule))
}

/** A schema for some fields of an object. Other fields are allowed explicitly, because some tools would reject them. */
function restrict(properties: object, required: readonly string[]): object {
  return { properties, ...(required.length > 0 && { required }), additionalProperties: true }
}

/** Client generators ignore `if` and `then`. They turn `anyOf` and `allOf` into types. */
export function implies(condition: object, consequence: object): Record<string, unknown> {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: condition, then: consequence }
}

/** The rule as a sentence for the documentation. */
export function describeRule(rule: Rule): string {
  const { needs = [], forbids = [], format, atLeast } = rule
  const parts = [
    ...(needs.length > 0 ? [`${list(needs)} ${needs.length > 1 ? 'are' : 'is'} required`] : []),
    ...(forbids.length > 0 ? [`${list(forbids)} must be absent`] : []),
    ...(format ? [`${format.field} must be ${scalars[format.scalar].mustBe}`] : []),
    ...(atLeast ? [`${atLeast.field} must not be ${orders[atLeast.scalar].less} it`] : []),
  ]
  return `If ${describeCondition(rule)}, ${parts.join(' and ')}${describeHint(rule)}.`
}

function describeHint({ hint }: Rule): string {
  return hint === undefined ? '' : `; ${hint}`
}

function list(fields: readonly string[]): string {
  return fields.join(' and ')
}

function applies({ when }: Rule, fields: Fields): boolean {
  const value = fields[when.field]
  if ('absent' in when) return value === undefined
  if ('is' in when) return typeof value === 'string' && when.is.includes(value)
  if (value === undefined) return !when.present
  return !(typeof value === 'string' && when.not.includes(value))
}

/** Absent, or a string or list without content. */
export function isMissing(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

function findFormatViolations({ format, when }: Rule, fields: Fields): Problem[] {
  if (!format) return []
  const value = fields[format.field]
  if (typeof value !== 'string' || scalars[format.scalar].test(value)) return []
  const reason = `must be ${scalars[format.scalar].mustBe} when ${when.field} is ${fields[when.field]}`
  return [{ path: format.field, reason }]
}

/** A value of the wrong format is reported separately. */
function findOrderViolations({ atLeast, when }: Rule, fields: Fields): Problem[] {
  if (!atLeast) return []
  const { field, scalar } = atLeast
  const low = fields[when.field]
  const high = fields[field]
  const isScalar = (value: unknown) => typeof value === 'string' && scalars[scalar].test(value)
  if (!isScalar(low) || !isScalar(high)) return []
  const { isLess, less } = orders[scalar]
  if (!isLess(high as string, low as string)) return []
  return [{ path: field, reason: `must not be ${less} ${when.field}` }]
}

function describeCondition({ when }: Rule): string {
  const { field } = when
  if ('absent' in when) return `${field} is absent`
  if ('is' in when) return `${field} is ${alternatives(when.is)}`
  if (when.not.length === 0) return `${field} is present`
  return `${field} is ${when.present ? 'present and ' : ''}not ${alternatives(when.not)}`
}

function alternatives(values: readonly string[]): string {
  return values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')
}

function buildConsequence({ needs = [], forbids = [], format }: Omit<Rule, 'when'>): object {
  const properties = {
    // minItems applies only to lists, pattern only to strings.
    ...Object.fromEntries(needs.map((field) => [field, { minItems: 1, pattern: '\\S' }])),
    ...Object.fromEntries(forbids.map((field) => [field, false])),
    ...(format && { [format.field]: scalars[format.scalar].schema }),
  }
  return restrict(properties, needs)
}
