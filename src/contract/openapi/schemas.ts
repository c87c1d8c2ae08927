import type { ResponseHeader } from '../response-headers.ts'
import { implies, type Rule, toJsonSchema } from '../rules.ts'
import { scalars } from '../scalars.ts'
import type { Node } from '../schema.ts'
import { findValueList, toPascalCase } from './value-lists.ts'

export type Json = Readonly<Record<string, unknown>>

/** Where the components of one document are collected. */
export interface Components {
  readonly schemas: Map<string, Json>
  readonly headers: Set<ResponseHeader>
  /** The names of all records in responses. */
  readonly responseNames: ReadonlySet<string>
}

/** Requests also accept aliases, ignored fields and numbers for some strings. Responses contain none of them. */
export interface SchemaContext extends Components {
  readonly direction: 'request' | 'response'
  /** The name of a value list that is not in `values`: its record and field. */
  readonly listName: string
}

export function openComponents(responses: readonly Node[]): Components {
  return {
    schemas: new Map(),
    headers: new Set(),
    responseNames: new Set(responses.flatMap(findNames)),
  }
}

/** Converts to JSON Schema. Records and value lists become components and are referenced. */
export function buildSchema(node: Node, context: SchemaContext): Json {
  if (node.enum) return referValueList(node, node.enum, context)
  if (!node.name) return buildPlainSchema(node, context)
  const name = nameComponent(node, node.name, context)
  addComponent(name, context, () =>
    buildPlainSchema(node, { ...context, listName: node.name ?? '' }),
  )
  return refer(name, { description: node.fieldDescription })
}

/** A record that requests and responses share has two components if they differ. */
function nameComponent(
  node: Node,
  name: string,
  { direction, responseNames }: SchemaContext,
): string {
  const isVariant = direction === 'request' && responseNames.has(name) && hasRequestVariant(node)
  return isVariant ? `${name}Input` : name
}

function hasRequestVariant(node: Node): boolean {
  return (
    node.acceptsNumber === true ||
    node.aliases !== undefined ||
    node.ignores !== undefined ||
    listChildren(node).some(hasRequestVariant)
  )
}

/** For the values of a `…UType`. Every other list has a description of its own. */
const discriminatorDescription = 'Which of the alternative fields is present.'

function referValueList(node: Node, values: readonly string[], context: SchemaContext): Json {
  const { description, default: standard } = node
  const list = findValueList(values) ?? {
    name: context.listName,
    description: description ?? discriminatorDescription,
  }
  addComponent(list.name, context, () => ({
    type: 'string',
    description: list.description,
    enum: values,
  }))
  return refer(list.name, { description, default: standard })
}

function addComponent(name: string, { schemas }: Components, build: () => Json): void {
  if (!schemas.has(name)) schemas.set(name, build())
}

/** A reference with the keywords beside it that have a value. */
function refer(name: string, beside: Json): Json {
  const given = Object.entries(beside).filter(([, value]) => value !== undefined)
  return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(given) }
}

function buildPlainSchema(node: Node, context: SchemaContext): Json {
  const {
    name: _name,
    fieldDescription: _fieldDescription,
    aliases: _aliases,
    ignores: _ignores,
    ignoresWhenPresent: _ignoresWhenPresent,
    rules = [],
    scalar,
    acceptsNumber,
    type,
    ...keywords
  } = node
  const { properties, items, anyOf } = node
  if (acceptsNumber && context.direction === 'request') {
    const { acceptsNumber: _, description, ...text } = node
    // A component, because generators name a type after the field, and an alias would have the same name.
    const name = `${toPascalCase(node.scalar ?? 'text')}OrNumber`
    addComponent(name, context, () => ({
      description: 'As a string, or as a JSON number.',
      anyOf: [buildPlainSchema(text, context), { type: 'number' }],
    }))
    return refer(name, { description })
  }
  return {
    ...(scalar ? scalars[scalar].schema : type && { type }),
    ...(type === 'integer' && { format: integerFormat(node) }),
    ...keywords,
    ...(properties && { properties: buildProperties(node, context) }),
    // The fields depend on something that a schema cannot express.
    ...(properties && Object.keys(properties).length === 0 && { additionalProperties: true }),
    ...(items && { items: buildSchema(items, context) }),
    ...(anyOf && { anyOf: anyOf.map((branch) => buildSchema(branch, context)) }),
    ...buildConditions(rules),
  }
}

/**
 * All rules of a record that JSON Schema can express. A schema has only one `if`, so several are the consequence of one
 * that always applies.
 */
function buildConditions(rules: readonly Rule[]): Json {
  const [first, ...others] = rules.filter(({ atLeast }) => !atLeast).map(toJsonSchema)
  if (!first) return {}
  return others.length === 0 ? first : implies({ type: 'object' }, { allOf: [first, ...others] })
}

function integerFormat({ maximum = Number.POSITIVE_INFINITY }: Node): string {
  return maximum < 2 ** 31 ? 'int32' : 'int64'
}

function buildProperties(node: Node, context: SchemaContext): Json {
  const { properties = {}, aliases = {}, ignores = [] } = node
  const { listName } = context
  const build = (field: string) =>
    buildSchema(properties[field] ?? {}, { ...context, listName: listName + toPascalCase(field) })
  const fields = Object.keys(properties).map((field) => [field, build(field)])
  if (context.direction === 'response') return Object.fromEntries(fields)

  const deprecated = true
  const renamed = Object.entries(aliases).map(([alias, field]) => {
    return [alias, { ...build(field), description: `An alias of \`${field}\`.`, deprecated }]
  })
  // All of them are strings in responses.
  const ignored = { type: 'string', description: 'Accepted and ignored.', deprecated }
  return Object.fromEntries([...fields, ...renamed, ...ignores.map((field) => [field, ignored])])
}

function findNames(node: Node): string[] {
  return [...(node.name ? [node.name] : []), ...listChildren(node).flatMap(findNames)]
}

function listChildren({ properties = {}, items, anyOf = [] }: Node): Node[] {
  return [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
}
