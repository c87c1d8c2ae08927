import {
  type LineSchema,
  lineSchemas,
  printable,
  type RecordType,
  recordTypes,
} from '../contract/index.ts'
import { asNode, type Node } from '../contract/schema.ts'
import { Type } from '../contract/type.ts'
import type { RowConverter, RowValues } from './rows.ts'
import type { LineProblem } from './writer.ts'

/** A name in an object, or an index in a list. */
type Path = readonly (string | number)[]

/** The longest list that columns can fill: each element has columns of its own. */
const listLengthMax = 100

/** Where the cells of a column go. */
interface Field {
  readonly path: Path
  /** Whether the field is beside the record. */
  readonly isEnvelope: boolean
  /** The types that it can have, the preferred one first. */
  readonly types: readonly string[]
}

/**
 * Makes a line of one type from each row. Columns are named after the fields of the record and its envelope:
 * `address.locality`, `holders[0].customerId`. An empty cell leaves out the field.
 */
export function createTypedConverter(type: RecordType): RowConverter {
  const fields = new Map<string, Field | undefined>()
  const getField = (column: string) =>
    fields.getOrInsertComputed(column, () => findField(type, column))
  return {
    checkColumns(columns) {
      const unknown = columns.filter((column) => !getField(column))
      // A table without a header: its first row has values, which may be personal data.
      if (unknown.length === columns.length) {
        return [{ path: '', reason: `must be a header with fields of ${type}, or use --map` }]
      }
      return [
        ...unknown.map(unknownColumn),
        ...findMissingColumns(type, columns),
        ...findConflicts(columns),
      ]
    },
    convert: (values) => ({ texts: [toText(type, values, getField)] }),
  }
}

function unknownColumn(column: string): LineProblem {
  const reason = 'is not a field with one value; rename the column, or use --map'
  return { path: printable(column), reason }
}

function findMissingColumns(type: RecordType, columns: readonly string[]): LineProblem[] {
  const present = new Set(columns.map((column) => parsePath(column)?.[0]))
  return [asEnvelope(type), asNode(recordTypes[type])]
    .flatMap(({ required = [] }) => required)
    .filter((name) => !present.has(name))
    .map((name) => ({ path: name, reason: 'is required, but the header has no such column' }))
}

/** A field that can be one object or a list must be one of them. */
function findConflicts(columns: readonly string[]): LineProblem[] {
  const kinds = new Map<string, string>()
  return columns
    .filter((column) => {
      const path = parsePath(column) ?? []
      return path.slice(1).some((step, index) => {
        const parent = JSON.stringify(path.slice(0, index + 1))
        const kind = kinds.get(parent) ?? typeof step
        kinds.set(parent, kind)
        return kind !== typeof step
      })
    })
    .map((column) => ({
      path: printable(column),
      reason: 'is a list and an object in this header',
    }))
}

function asEnvelope(type: RecordType): Node {
  const { put = {} }: LineSchema = lineSchemas[type]
  return asNode(Type.Object(put))
}

function findField(type: RecordType, column: string): Field | undefined {
  const path = parsePath(column)
  if (!path) return undefined
  const envelope = asEnvelope(type)
  const isEnvelope = Object.hasOwn(envelope.properties ?? {}, path[0] ?? '')
  const nodes = path.reduce<readonly Node[]>(
    (parents, step) => parents.flatMap((node) => findChildren(node, step)),
    [isEnvelope ? envelope : asNode(recordTypes[type])],
  )
  const types = nodes.flatMap(listTypes)
  const isValue = types.length > 0 && !types.includes('object') && !types.includes('array')
  return isValue ? { path, isEnvelope, types } : undefined
}

/** `users[0].id` → `['users', 0, 'id']`. */
function parsePath(column: string): Path | undefined {
  if (!/^[^.[\]]+(\[\d{1,3}\]|\.[^.[\]]+)*$/.test(column)) return undefined
  const path = [...column.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) =>
    index === undefined ? name : Number(index),
  )
  return path.every((step) => typeof step === 'string' || step < listLengthMax) ? path : undefined
}

function findChildren(node: Node, step: string | number): readonly Node[] {
  if (node.anyOf) return node.anyOf.flatMap((branch) => findChildren(branch, step))
  if (typeof step === 'number') return node.items ? [node.items] : []
  const { aliases = {}, properties = {} } = node
  const name = Object.hasOwn(aliases, step) ? (aliases[step] ?? step) : step
  const child = Object.hasOwn(properties, name) ? properties[name] : undefined
  return child ? [child] : []
}

function listTypes(node: Node): string[] {
  if (node.anyOf) return node.anyOf.flatMap(listTypes)
  return [node.enum ? 'string' : (node.type ?? 'string')]
}

function toText(
  type: RecordType,
  values: RowValues,
  getField: (column: string) => Field | undefined,
): string {
  const record = {}
  const envelope = {}
  for (const [column, value] of Object.entries(values)) {
    const field = getField(column)
    if (!field || value === '' || value === null) continue
    const content = typeof value === 'string' ? parseCell(value, field.types) : value
    set(field.isEnvelope ? envelope : record, field.path, content)
  }
  const isEmpty = Object.keys(record).length === 0
  const line = { type, ...envelope, ...(!isEmpty && { record }) }
  return JSON.stringify(line, (_name, value) => (Array.isArray(value) ? removeHoles(value) : value))
}

/** Elements whose cells are all empty are left out. */
function removeHoles(list: readonly unknown[]): unknown[] {
  return list.filter(() => true)
}

/** A cell that has none of the types stays text: the validator rejects it. */
function parseCell(cell: string, types: readonly string[]): unknown {
  for (const type of types) {
    if (type === 'string') return cell
    if (type === 'boolean') {
      if (cell === 'true' || cell === 'false') return cell === 'true'
      continue
    }
    // Digit strings such as a bsb may start with zeros.
    const [, sign = '', digits, fraction = ''] = /^(-?)0*(\d+)(\.\d+)?$/.exec(cell) ?? []
    if (digits !== undefined) return rawJSON(sign + digits + fraction)
  }
  return cell
}

/** Keeps a number as it is written. The types of TypeScript lack it. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

type Container = Record<string | number, unknown>

function set(root: object, path: Path, value: unknown): void {
  let container = root as Container
  for (const [index, step] of path.entries()) {
    if (index === path.length - 1) container[step] = value
    else {
      const next = path[index + 1]
      container[step] ??= typeof next === 'number' ? [] : {}
      container = container[step] as Container
    }
  }
}
