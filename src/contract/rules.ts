import { type ScalarName, scalars } from './scalars.ts'

/**
 * A rule between the fields of one object, as data: the check, the sentence that refuses and the
 * schema in the OpenAPI document are all derived from it.
 */
export interface Rule {
  /** The rule speaks where `field` has one of the values `is`, or any value that is not in `not`. */
  readonly when: { readonly field: string } & (
    | { readonly is: readonly string[] }
    | { readonly not: readonly string[]; readonly present?: true }
  )
  /** These must then be there, and a text or a list among them must not be empty. */
  readonly needs?: readonly string[]
  /** These must then be absent. */
  readonly forbids?: readonly string[]
  /** This field, where it is there, must then be text of that kind. */
  readonly form?: { readonly field: string; readonly scalar: ScalarName }
}

/** What is wrong with one field: `path` is as in `fees[0].name`, `reason` completes it. */
export interface Problem {
  readonly path: string
  readonly reason: string
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The `…UType` field names the sibling that must be there; no other sibling of the union may be.
 * `siblings` maps each value to its field, where the two are not spelled alike.
 */
export function mappedUnion(field: string, siblings: Readonly<Record<string, string>>): Rule[] {
  return Object.entries(siblings).flatMap(([value, sibling]) => [
    { when: { field, is: [value] }, needs: [sibling] },
    { when: { field, not: [value] }, forbids: [sibling] },
  ])
}

/** The same for a discriminator that need not be there: without it, any one of its siblings may be. */
export function optionalUnion(field: string, values: readonly string[]): Rule[] {
  return values.flatMap((value) => [
    { when: { field, is: [value] }, needs: [value] },
    { when: { field, not: [value], present: true }, forbids: [value] },
  ])
}

/** The same for values that are spelled as their fields are. */
export function union(field: string, values: readonly string[]): Rule[] {
  return mappedUnion(field, Object.fromEntries(values.map((value) => [value, value])))
}

/** Of these fields, one may be there. */
export function onlyOne(fields: readonly string[]): Rule[] {
  return fields.slice(0, -1).map((field, index) => ({
    when: { field, not: [], present: true },
    forbids: fields.slice(index + 1),
  }))
}

/** Whether an object keeps every rule. The object itself is known to fit its schema. */
export function meetsRules(rules: readonly Rule[], fields: Fields): boolean {
  for (const rule of rules) {
    if (applies(rule, fields) && findViolations(rule, fields).length > 0) return false
  }
  return true
}

/** What is wrong by this rule. Fields of a wrong type count as there: another sentence names them. */
export function findViolations(rule: Rule, fields: Fields): Problem[] {
  if (!applies(rule, fields)) return []

  const missing = (rule.needs ?? [])
    .filter((path) => isMissing(fields[path]))
    .map((path) => ({
      path,
      reason: `${fields[path] === undefined ? 'is required' : 'must not be empty'} where ${condition(rule)}`,
    }))
  const unwanted = (rule.forbids ?? [])
    .filter((path) => fields[path] !== undefined)
    .map((path) => ({ path, reason: `must be absent where ${condition(rule)}` }))
  return [...missing, ...unwanted, ...findFormatViolations(rule, fields)]
}

/** The rule as JSON Schema. */
export function toJsonSchema({ when, ...rule }: Rule): Record<string, unknown> {
  const present = { required: [when.field] }
  const named = (values: readonly string[]) => ({
    properties: { [when.field]: { enum: values } },
    ...present,
  })
  if ('is' in when) return { anyOf: [{ not: named(when.is) }, consequence(rule)] }

  const silent = [
    ...(when.present ? [{ not: present }] : []),
    ...(when.not.length > 0 ? [named(when.not)] : []),
  ]
  return { anyOf: [...silent, consequence(rule)] }
}

/** The rule as a sentence for people. */
export function describeRule(rule: Rule): string {
  const { needs = [], forbids = [], form } = rule
  const parts = [
    ...(needs.length > 0 ? [`${list(needs)} must be there`] : []),
    ...(forbids.length > 0 ? [`${list(forbids)} must be absent`] : []),
    ...(form ? [`${form.field} must be ${scalars[form.scalar].mustBe}`] : []),
  ]
  return `Where ${condition(rule)}, ${parts.join(' and ')}.`
}

function list(fields: readonly string[]): string {
  return fields.join(' and ')
}

function applies({ when }: Rule, fields: Fields): boolean {
  const value = fields[when.field]
  if ('is' in when) return typeof value === 'string' && when.is.includes(value)
  if (value === undefined) return !when.present
  return !(typeof value === 'string' && when.not.includes(value))
}

function isMissing(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === ''
  return value === undefined || (Array.isArray(value) && value.length === 0)
}

function findFormatViolations({ form, when }: Rule, fields: Fields): Problem[] {
  if (!form) return []
  const value = fields[form.field]
  if (typeof value !== 'string' || scalars[form.scalar].test(value)) return []
  const reason = `must be ${scalars[form.scalar].mustBe} where ${when.field} is ${fields[when.field]}`
  return [{ path: form.field, reason }]
}

function condition({ when }: Rule): string {
  const { field } = when
  if ('is' in when) return `${field} is ${alternatives(when.is)}`
  if (when.not.length === 0) return `${field} is there`
  return `${field} is ${when.present ? 'there and is ' : ''}not ${alternatives(when.not)}`
}

function alternatives(values: readonly string[]): string {
  return values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ')
}

function consequence({ needs = [], forbids = [], form }: Omit<Rule, 'when'>): object {
  const properties = {
    // Each of the two words speaks only of its own kind of value.
    ...Object.fromEntries(needs.map((field) => [field, { minItems: 1, pattern: '\\S' }])),
    ...(form && { [form.field]: scalars[form.scalar].schema }),
  }
  return {
    ...(needs.length > 0 && { required: needs }),
    ...(forbids.length > 0 && {
      not: { anyOf: forbids.map((field) => ({ required: [field] })) },
    }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}
