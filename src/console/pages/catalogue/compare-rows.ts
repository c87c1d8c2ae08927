import { isObject } from '../../../contract/schema.ts'
import { findType, toLabel } from '../../labels.ts'

/** A field of several products: its labels, its name, and the value in each product. */
export interface ComparedRow {
  readonly path: readonly string[]
  readonly name: string
  readonly values: readonly unknown[]
  readonly isDifferent: boolean
}

/** The fields that differ in every product. */
const identity = new Set(['product_id', 'last_updated'])

/**
 * One row for each field that one of the products has. Elements of lists match by what they are, such as a type or a
 * name, and not by their position.
 */
export function compareProducts(products: readonly object[]): ComparedRow[] {
  const flattened = products.map((product) => new Map(flatten(product, [], '')))
  const keys = new Set(flattened.flatMap((fields) => [...fields.keys()]))
  return [...keys].map((key) => {
    const fields = flattened.map((map) => map.get(key))
    const { path = [], name = '' } = fields.find(Boolean) ?? {}
    const values = fields.map((field) => field?.value)
    return { path, name, values, isDifferent: values.some((value) => value !== values[0]) }
  })
}

interface Leaf {
  readonly path: readonly string[]
  readonly name: string
  readonly value: unknown
}

function* flatten(
  value: unknown,
  path: readonly string[],
  name: string,
): Generator<readonly [string, Leaf]> {
  if (Array.isArray(value)) {
    const counts = new Map<string, number>()
    for (const [index, item] of value.entries()) {
      const key = findKey(item) ?? String(index + 1)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      yield* flatten(item, [...path, count === 1 ? key : `${key} ${count}`], name)
    }
  } else if (isObject(value)) {
    for (const [field, item] of Object.entries(value)) {
      if (path.length === 0 && identity.has(field)) continue
      yield* flatten(item, [...path, toLabel(field)], field)
    }
  } else {
    yield [JSON.stringify(path), { path, name, value }]
  }
}

/** What an element of a list is. */
function findKey(item: unknown): string | undefined {
  if (!isObject(item)) return undefined
  if (typeof item['name'] === 'string') return item['name']
  const type = findType(item)
  return type && toLabel(type.value)
}
