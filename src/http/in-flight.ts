/** What has begun and not ended yet. */
export interface InFlight<Item> extends Iterable<[place: number, item: Item]> {
  readonly size: number
  /** Returns the place of the item, by which it is found again. */
  add(item: Item): number
  /** Does nothing where the item is not there any more. */
  delete(place: number, item: Item): void
}

/**
 * For what comes and goes by the thousand a second. A Set would move to another table again and again, and its old
 * tables hold on to what they had, and to the next one, until a full collection: every request would grow old.
 */
export function openInFlight<Item>(): InFlight<Item> {
  const places: (Item | undefined)[] = []
  const free: number[] = []

  return {
    get size() {
      return places.length - free.length
    },
    add(item) {
      const place = free.pop() ?? places.length
      places[place] = item
      return place
    },
    delete(place, item) {
      if (places[place] !== item) return
      places[place] = undefined
      free.push(place)
    },
    *[Symbol.iterator]() {
      for (const [place, item] of places.entries()) if (item !== undefined) yield [place, item]
    },
  }
}
