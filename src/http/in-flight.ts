/**
 * A collection for thousands of additions and deletions a second. A Set rehashes again and again, and its old tables
 * reference their items and the next table until a full collection, so every request would reach the old generation.
 */
export function openInFlight<Item>() {
  const slots: (Item | undefined)[] = []
  const free: number[] = []

  return {
    get size(): number {
      return slots.length - free.length
    },
    /** Returns the index to delete the item by. */
    add(item: Item): number {
      const index = free.pop() ?? slots.length
      slots[index] = item
      return index
    },
    /** Does nothing if the item was deleted before. */
    delete(index: number, item: Item): void {
      if (slots[index] !== item) return
      slots[index] = undefined
      free.push(index)
    },
    *[Symbol.iterator](): Generator<[index: number, item: Item]> {
      for (const [index, item] of slots.entries()) if (item !== undefined) yield [index, item]
    },
  }
}
