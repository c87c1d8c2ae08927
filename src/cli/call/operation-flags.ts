import type { AnyInput } from '../../client/request.ts'
import { pathId } from '../../contract/ids.ts'
import { locateAccounts, type Operation } from '../../contract/index.ts'
import { parseText } from '../../contract/parse-text.ts'
import { describeExpected, describeExpectedOf } from '../../contract/problems.ts'
import type { ScalarName } from '../../contract/scalars.ts'
import { asNode, type Node } from '../../contract/schema.ts'
import { CommandError } from '../../server/terminal.ts'

/** A flag of `holdfast call` for one parameter of an operation, or for one field of its body. */
export interface OperationFlag {
  /** Without dashes, such as `page-size`. */
  readonly name: string
  readonly placeholder: string
  readonly about: string
  readonly isRequired: boolean
  /** Whether it may be repeated. */
  readonly isList: boolean
  /** The type of the value; for a list, of each element. */
  readonly node: Node
  /** Where the value is sent, such as `['query', 'page-size']` or `['body', 'data', 'accountIds']`. */
  readonly path: readonly [Part, ...string[]]
}

type Part = 'params' | 'query' | 'body'

/** The text of a flag; undefined if it is not given. */
export type FlagValue = string | readonly string[] | undefined

/** Derives the flags from the schemas of the operation. */
export function listOperationFlags(operation: Operation): OperationFlag[] {
  const parts = { params: operation.params, query: operation.query, body: operation.body }
  return Object.entries(parts).flatMap(([part, schema]) =>
    schema ? listFlags(operation, asNode(schema), [part as Part]) : [],
  )
}

function listFlags(
  operation: Operation,
  { properties = {}, required = [] }: Node,
  path: OperationFlag['path'],
): OperationFlag[] {
  return Object.entries(properties).flatMap(([field, node]) => {
    const at = [...path, field] as const
    if (node.properties) return listFlags(operation, node, at)
    const isRequired = required.includes(field) && node.default === undefined
    return [createFlag(operation, field, node, isRequired, at)]
  })
}

function createFlag(
  operation: Operation,
  field: string,
  node: Node,
  isRequired: boolean,
  path: OperationFlag['path'],
): OperationFlag {
  const { items = node, description = '', fieldDescription: text = description } = node
  const isList = items !== node
  const isId = path[0] === 'params' || /Ids?$/.test(field)
  const facts = [
    ...(isId ? [] : [describeExpected(items)]),
    ...(isRequired ? ['required'] : []),
    ...(isList ? ['repeatable'] : []),
    ...(node.default === undefined ? [] : [`default: ${node.default}`]),
  ]
  return {
    name: nameFlag(operation, field),
    placeholder: isId ? 'id' : choosePlaceholder(items),
    about: `${text.replaceAll('`', '').replace(/\.$/, '')} (${facts.join('; ')})`,
    isRequired,
    isList,
    node: items,
    path,
  }
}

/** `customerId` is --customer, `accountIds` is a repeatable --account. */
function nameFlag(operation: Operation, field: string): string {
  if (field === 'id' && locateAccounts(operation) === 'path') return 'account'
  return field.replace(/Ids?$/, '').replaceAll(/[A-Z]/g, '-$&').toLowerCase()
}

const scalarPlaceholders: Partial<Record<ScalarName, string>> = {
  dateTime: 'time',
  date: 'date',
  decimal: 'amount',
  email: 'address',
}

function choosePlaceholder({ scalar, enum: values, type }: Node): string {
  if (scalar) return scalarPlaceholders[scalar] ?? 'text'
  if (values) return 'value'
  return type === 'integer' ? 'number' : type === 'boolean' ? 'boolean' : 'text'
}

/** The input of a call, from the values of the flags in the same order. Reports all invalid flags together. */
export function readOperationInput(
  flags: readonly OperationFlag[],
  values: readonly FlagValue[],
): AnyInput {
  const input = { params: {}, query: {}, body: {} }
  const problems: string[] = []
  for (const [index, { name, node, isList, path }] of flags.entries()) {
    const given = values[index]
    if (given === undefined) continue
    const texts = [given].flat()
    const parsed = texts.map((text) => parseText(node, text))
    const invalid = texts[parsed.indexOf(undefined)]
    if (path[0] === 'params' && !texts.every(pathId.test))
      problems.push(`--${name} must be ${pathId.mustBe}`)
    else if (invalid !== undefined)
      problems.push(`--${name} must be ${describeExpectedOf(node, invalid)}`)
    setValue(input, path, isList ? parsed : parsed[0])
  }
  if (problems.length > 0) throw new CommandError(2, problems.join('\n'))
  return input
}

function setValue(target: object, [first, ...rest]: readonly string[], value: unknown): void {
  const fields = target as Record<string, object>
  if (first === undefined) return
  if (rest.length === 0) fields[first] = value as object
  else {
    fields[first] ??= {}
    setValue(fields[first], rest, value)
  }
}
