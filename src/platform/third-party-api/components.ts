import type { Json } from '../../contract/openapi/schemas.ts'
import { findValueList, toPascalCase } from '../../contract/openapi/value-lists.ts'

/** Part of a JSON Schema. Objects with a title, and value lists, become components. */
export interface Schema {
  readonly title?: string
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly additionalProperties?: boolean
}

/**
 * Returns a function that adds the named parts of a schema to the components and refers to them. `place` names a value list
 * that has no name of its own. A part that differs between versions of an endpoint has the version in its name, except in the one
 * that is added first.
 */
export function openSchemas(components: Map<string, Json>) {
  const add = (name: string, version: number, schema: Json): Json => {
    for (const each of [name, `${name}V${version}`]) {
      const known = components.get(each)
      if (!known) components.set(each, schema)
      if (!known || JSON.stringify(known) === JSON.stringify(schema)) {
        return { $ref: `#/components/schemas/${each}` }
      }
    }
    throw new TypeError(`two schemas have the name ${name} in version ${version}`)
  }

  const refer = (schema: Schema, place: string, version: number): Json => {
    const { title, enum: values, properties, items, anyOf, description, ...others } = schema
    if (values) {
      const list = findValueList(values) ?? {
        name: place,
        description: description ?? `The values of \`${place}\`.`,
      }
      return add(list.name, version, {
        type: 'string',
        description: list.description,
        enum: values,
      })
    }
    const name = title ?? place
    const converted = {
      ...(description !== undefined && { description }),
      ...others,
      ...(others.type === 'integer' && describeInteger(others)),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([field, each]) => [
            field,
            refer(each, name + toPascalCase(field), version),
          ]),
        ),
      }),
      ...(items && { items: refer(items, place, version) }),
      ...(anyOf && { anyOf: anyOf.map((each) => refer(each, place, version)) }),
    }
    if (title === undefined) return converted
    const described = `The object \`${title}\`, with the fields of the Consumer Data Standards.`
    return add(title, version, { description: described, ...converted })
  }
  return refer
}

function describeInteger({ minimum, maximum }: Schema) {
  return {
    format: 'int64',
    minimum: minimum ?? Number.MIN_SAFE_INTEGER,
    maximum: maximum ?? Number.MAX_SAFE_INTEGER,
  }
}

/** Examples of texts and values, by their field. */
const texts: Readonly<Record<string, string>> = {
  accountId: 'pY2mB0Vx3lN8cQeRr7sT1uWzA4dFgHjKkLmNoPqRsTU',
  accountNumber: '47110815',
  brand: 'Example Bank',
  bsb: '062000',
  displayName: 'Everyday',
  firstName: 'Ana',
  lastName: 'Silva',
  maskedNumber: 'xxxx xxxx xxxx 4711',
  openStatus: 'OPEN',
  productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
  productId: 'prod-1',
  productName: 'Savings',
  transactionId: 'Hj3kT0Vx3lN8cQeRr7sT1uWzA4dFgHjKkLmNoPqRs10',
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-11-19',
  'date-time': '2026-11-19T10:00:00+11:00',
  duration: 'P1M',
  uri: 'https://bank.example/terms',
}

/** The first that a pattern allows is its example. */
const patternTexts = ['100.00', '0.0525', '1', 'AUD', '2000', '01-31', 'example']

/** An example of a schema: required fields, and optional ones that are neither objects nor lists. */
export function buildSample(schema: Schema, field = ''): unknown {
  const { type, enum: values, properties, required = [], items, anyOf, pattern } = schema
  if (schema.default !== undefined) return schema.default
  if (values) return values.find((value) => value === texts[field]) ?? values[0]
  if (anyOf) return buildSample(anyOf[0] ?? {}, field)
  if (properties) {
    const shown = Object.entries(properties).filter(
      ([name, each]) => required.includes(name) || !(each.properties ?? each.items),
    )
    return Object.fromEntries(shown.map(([name, each]) => [name, buildSample(each, name)]))
  }
  if (type === 'object') return {}
  if (type === 'array') return [buildSample(items ?? {}, field)]
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  if (schema.format !== undefined) return formats[schema.format] ?? ''
  if (pattern !== undefined) return patternTexts.find((each) => new RegExp(pattern).test(each))
  return texts[field] ?? 'Example'
}
