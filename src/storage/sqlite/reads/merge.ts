import type { JsonText } from '../../../contract/index.ts'
import type { Reader } from '../driver/read-pool.ts'
import { type EntryKey, lengthOf, type Range, slice } from './entry-ranges.ts'

/** Up to here the top of every list is read and sorted; beyond, the place in time is searched for. */
const keysReadMax = 5000

type PlacedKey = EntryKey & { readonly list: number }

/**
 * The records from `start` to `end` of several lists together, newest first, then by id, then in the order
 * of the lists. Reads what the page needs and not what lies before it, and lets others be served in between.
 */
export async function mergedRecords(
  reader: Reader,
  stretches: readonly Range[],
  start: number,
  end: number,
): Promise<JsonText[]> {
  const { lists } = reader
  const part =
    stretches.length * end <= keysReadMax
      ? { stretches: stretches.map((stretch) => slice(stretch, 0, end)), before: 0 }
      : await aroundRanks(reader, stretches, start, end)

  const keys: PlacedKey[] = part.stretches
    .filter((stretch) => lengthOf(stretch) > 0)
    .flatMap((stretch) => lists.keys(stretch).map((key) => ({ ...key, list: stretch.list })))
  keys.sort(newestFirst)
  return lists.recordsAt(keys.slice(start - part.before, end - part.before))
}

/** What lies between the times of the two ranks, and how many entries are newer than that. */
async function aroundRanks(
  reader: Reader,
  stretches: readonly Range[],
  start: number,
  end: number,
): Promise<{ stretches: Range[]; before: number }> {
  const { lists } = reader
  const total = stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0)
  const newest = await timeOfRank(reader, stretches, start)
  const oldest = await timeOfRank(reader, stretches, Math.min(end, total) - 1)
  const between = stretches.map((stretch) => ({
    list: stretch.list,
    first: Math.max(stretch.first, lists.firstAt(stretch, oldest)),
    last: Math.max(stretch.first, lists.firstAt(stretch, newest + 1n)) - 1,
  }))
  const before = stretches.reduce(
    (sum, stretch, index) => sum + stretch.last - (between[index]?.last ?? stretch.last),
    0,
  )
  return { stretches: between, before }
}

/** The time of the entry that has so many before it, by halving the time between oldest and newest. */
async function timeOfRank(
  { lists, takeTurn }: Reader,
  stretches: readonly Range[],
  rank: number,
): Promise<bigint> {
  const filled = stretches.filter((stretch) => lengthOf(stretch) > 0)
  const ends = filled.flatMap(({ list, first, last }) => [
    ...lists.keys({ list, first, last: first }),
    ...lists.keys({ list, first: last, last }),
  ])
  const times = ends.map(({ time }) => time).sort(ascending)
  let low = times[0] ?? 0n
  let high = times.at(-1) ?? 0n
  while (low < high) {
    const middle = low + (high - low + 1n) / 2n
    const atOrAfter = filled.reduce(
      (sum, stretch) =>
        sum + stretch.last + 1 - Math.max(stretch.first, lists.firstAt(stretch, middle)),
      0,
    )
    if (atOrAfter > rank) low = middle
    else high = middle - 1n
    await takeTurn()
  }
  return low
}

function newestFirst(a: PlacedKey, b: PlacedKey): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}

function ascending(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
