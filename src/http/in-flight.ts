export interface InFlight<Item> extends Iterable<[index: number, item: Item]> {
  readonly size: number
  /** Returns the index to delete the item by. */
  add(item: Item): number
  /** Does nothing if the item was deleted before. */
  delete(index: number, item: Item): void
}

/**
 * A collection for thousands of additions and deletions a second. A Set rehashes again and again, and its old tables
 * reference their items and the next table until a full collection, so every request would reach the old generation.
 */
export function openInFlight<Item>(): InFlight<Item> {
  const slots: (Item | undefined)[] = []
  const free: number[] = []

  return {
    get size() {
      return slots.length - free.length
    },
    add(item) {
      const index = free.pop() ?? slots.length
      slots[index] = item
      return index
    },
    delete(index, item) {
      if (slots[index] !== item) return
      slots[index] = undefined
      free.push(index)
    },
    *[Symbol.iterator]() {
      for (const [index, item] of slots.entries()) if (item !== undefined) yield [index, item]
    },
  }
}
