import type { JsonText } from '../../../contract/index.ts'
import { newestFirst } from '../../../provider/entry-order.ts'
import type { Reader } from '../driver/read-pool.ts'
import { type EntryKey, type Range, rangeLength, slice } from './entry-ranges.ts'

/** Up to this many keys, the newest entries of every list are read and sorted; beyond, a binary search is cheaper. */
const keysReadMax = 5000

type ListedKey = EntryKey & { readonly list: number }

/**
 * The records from `start` to `end` of several merged lists, newest first, then by id, then in the order of the lists.
 * Reads only what the page needs, and lets the event loop run other work in between.
 */
export async function mergedRecords(
  reader: Reader,
  ranges: readonly Range[],
  start: number,
  end: number,
): Promise<JsonText[]> {
  const { lists } = reader
  const part =
    ranges.length * end <= keysReadMax
      ? { ranges: ranges.map((range) => slice(range, 0, end)), before: 0 }
      : await rangesBetween(reader, ranges, start, end)

  const keys: ListedKey[] = part.ranges
    .filter((range) => rangeLength(range) > 0)
    .flatMap((range) => lists.keys(range).map((key) => ({ ...key, list: range.list })))
  keys.sort(newestFirst)
  return lists.recordsAt(keys.slice(start - part.before, end - part.before))
}

/** The entries between the times of two ranks, and how many entries are newer. */
async function rangesBetween(
  reader: Reader,
  ranges: readonly Range[],
  start: number,
  end: number,
): Promise<{ ranges: Range[]; before: number }> {
  const { lists } = reader
  const total = ranges.reduce((sum, range) => sum + rangeLength(range), 0)
  const newest = await findTimeOfRank(reader, ranges, start)
  const oldest = await findTimeOfRank(reader, ranges, Math.min(end, total) - 1)
  const between = ranges.map((range) => ({
    list: range.list,
    first: Math.max(range.first, lists.firstAt(range, oldest)),
    last: Math.max(range.first, lists.firstAt(range, newest + 1n)) - 1,
  }))
  const before = ranges.reduce(
    (sum, range, index) => sum + range.last - (between[index]?.last ?? range.last),
    0,
  )
  return { ranges: between, before }
}

/** The time of the entry with this rank, by binary search between the oldest and the newest time. */
async function findTimeOfRank(
  { lists, yieldTurn }: Reader,
  ranges: readonly Range[],
  rank: number,
): Promise<bigint> {
  const filled = ranges.filter((range) => rangeLength(range) > 0)
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
      (sum, range) => sum + range.last + 1 - Math.max(range.first, lists.firstAt(range, middle)),
      0,
    )
    if (atOrAfter > rank) low = middle
    else high = middle - 1n
    await yieldTurn()
  }
  return low
}

function ascending(a: bigint, b: bigint): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
