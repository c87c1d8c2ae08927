import { findType, toLabel } from '../../../contract/labels.ts'
import { enterPlace, type Place, productPlace } from '../../../contract/product-values.ts'
import { isObject } from '../../../contract/schema.ts'

/** A field of several products: its labels, and the value in each product. */
export interface ComparedRow {
  readonly path: readonly string[]
  /** Undefined for a product without the field. */
  readonly cells: readonly (ComparedValue | undefined)[]
  readonly isDifferent: boolean
}

interface ComparedValue {
  readonly place: Place
  readonly value: unknown
}

/** The fields that differ in every product. */
const identity = new Set(['product_id', 'last_updated'])

/**
 * One row for each field that one of the products has. Elements of lists match by what they are, such as a type or a
 * name, and not by their position.
 */
export function compareProducts(products: readonly object[]): ComparedRow[] {
  const flattened = products.map((product) => new Map(flatten(product, [], productPlace)))
  const keys = new Set(flattened.flatMap((fields) => [...fields.keys()]))
  return [...keys].map((key) => {
    const cells = flattened.map((map) => map.get(key))
    const isDifferent = cells.some((cell) => cell?.value !== cells[0]?.value)
    return { path: cells.find(Boolean)?.path ?? [], cells, isDifferent }
  })
}

interface Leaf extends ComparedValue {
  readonly path: readonly string[]
}

function* flatten(
  value: unknown,
  path: readonly string[],
  place: Place,
): Generator<readonly [string, Leaf]> {
  if (Array.isArray(value)) {
    const counts = new Map<string, number>()
    for (const [index, item] of value.entries()) {
      const key = findKey(item) ?? String(index + 1)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      const label = count === 1 ? key : `${key} ${count}`
      yield* flatten(item, [...path, label], enterPlace(place, value, index))
    }
  } else if (isObject(value)) {
    for (const [field, item] of Object.entries(value)) {
      if (path.length === 0 && identity.has(field)) continue
      yield* flatten(item, [...path, toLabel(field)], enterPlace(place, value, field))
    }
  } else {
    yield [JSON.stringify(path), { path, place, value }]
  }
}

/** What an element of a list is. */
function findKey(item: unknown): string | undefined {
  if (!isObject(item)) return undefined
  if (typeof item['name'] === 'string') return item['name']
  const type = findType(item)
  return type && toLabel(type.value)
}
