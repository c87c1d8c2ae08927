import type { JsonText } from '../contract/index.ts'
import { compareBytes, newestFirst } from '../provider/entry-order.ts'
import type { EntriesOfAccountsQuery, Page } from '../provider/store.ts'
import { integerMax, integerMin } from './enum-codes.ts'
import { pageValues } from './request-values.ts'

/** Up to this many keys, the newest entries of every list are read and sorted; beyond, a search by time is cheaper. */
export const keysReadMax = 5000

/** A search by time ends when it has at most this many entries to choose from: reading their keys takes less time. */
const entriesBetweenMax = 64

/** The part of a list in a time window: the ordinals and times of its oldest and its newest entry. */
export interface ListWindow<List> {
  readonly list: List
  /** The id of the account, which orders entries with the same time and id. */
  readonly account: string
  readonly first: number
  readonly last: number
  readonly oldest: bigint
  readonly newest: bigint
}

/** Entries of a window by ordinals, both inclusive. */
interface ListRange<List> {
  readonly window: ListWindow<List>
  readonly low: number
  readonly high: number
}

export interface EntryKey<List> {
  readonly window: ListWindow<List>
  readonly time: bigint
  readonly id: string
  readonly ordinal: number
}

/** How an engine reads lists. */
export interface ListReads<List> {
  /** How many times are sought at once: more take fewer rounds. */
  readonly soughtAtOnce: number
  /** The ordinals of the oldest entries at or after each time; 0 without such an entry. */
  seek(list: List, times: readonly bigint[]): Promise<number[]>
  keys(range: ListRange<List>): Promise<EntryKey<List>[]>
  /** The records of a range, newest first. */
  records(range: ListRange<List>): Promise<JsonText[]>
  /** The records of entries, in their order. */
  recordsOf(keys: readonly EntryKey<List>[]): Promise<JsonText[]>
}

/** The lists of a request. */
interface Lists<List> {
  readonly reads: ListReads<List>
  readonly windows: readonly ListWindow<List>[]
}

/** A page of several lists: by time across all of them, or list after list, each newest first. */
export async function readSeveralLists<List>(
  reads: ListReads<List>,
  windows: readonly ListWindow<List>[],
  request: EntriesOfAccountsQuery,
): Promise<Page<JsonText>> {
  const total = countEntries(windows)
  const [offset, limit] = pageValues(request)
  if (offset >= total) return { items: [], total }
  const read = request.window ? readByTime : readByList
  return { items: await read({ reads, windows }, offset, Math.min(offset + limit, total)), total }
}

function countEntries(windows: readonly ListWindow<unknown>[]): number {
  return windows.reduce((sum, { first, last }) => sum + last - first + 1, 0)
}

async function readByList<List>({ reads, windows }: Lists<List>, start: number, end: number) {
  const ranges: ListRange<List>[] = []
  let before = 0
  for (const window of windows) {
    const { first, last } = window
    const high = last - Math.max(0, start - before)
    const low = Math.max(first, last + 1 - (end - before))
    if (low <= high) ranges.push({ window, low, high })
    before += last - first + 1
  }
  return (await Promise.all(ranges.map(reads.records))).flat()
}

/** Newest first, then by id, then by account. */
async function readByTime<List>(lists: Lists<List>, start: number, end: number) {
  const { reads, windows } = lists
  const ranges =
    windows.length * end <= keysReadMax
      ? windows.map((window) => ({
          window,
          low: Math.max(window.first, window.last + 1 - end),
          high: window.last,
        }))
      : await findRanges(lists, start, end - 1)
  const newer = ranges.reduce((sum, { window, high }) => sum + window.last - high, 0)
  const filled = ranges.filter(({ low, high }) => low <= high)
  const keys = (await Promise.all(filled.map(reads.keys))).flat()
  return reads.recordsOf(keys.sort(compareByTime).slice(start - newer, end - newer))
}

function compareByTime<List>(one: EntryKey<List>, other: EntryKey<List>): number {
  return newestFirst(one, other) || compareBytes(one.window.account, other.window.account)
}

/** The ranges with all entries between two ranks, where the newest entry has rank 0, and few others. */
async function findRanges<List>(lists: Lists<List>, newestRank: number, oldestRank: number) {
  const [[, newest], [oldest]] = await Promise.all([
    findTimes(lists, newestRank),
    findTimes(lists, oldestRank),
  ])
  return Promise.all(
    lists.windows.map(async (window) => {
      const times = newest < integerMax ? [oldest, newest + 1n] : [oldest]
      const [low = 0, after = window.last + 1] = await seek(lists.reads, window, times)
      return { window, low, high: after - 1 }
    }),
  )
}

/** Two times, both inclusive, with the entry of a rank between them, and few others unless they have its time. */
async function findTimes<List>({ reads, windows }: Lists<List>, rank: number) {
  let low = windows.reduce((least, { oldest }) => (oldest < least ? oldest : least), integerMax)
  let high = windows.reduce((most, { newest }) => (newest > most ? newest : most), integerMin)
  let [sinceLow, afterHigh] = [countEntries(windows), 0]
  while (low < high && sinceLow - afterHigh > entriesBetweenMax) {
    const times = divide(low, high, reads.soughtAtOnce)
    const found = await Promise.all(windows.map((window) => seek(reads, window, times)))
    const since = times.map((_, index) =>
      windows.reduce((sum, { last }, each) => sum + last + 1 - (found[each]?.[index] ?? 0), 0),
    )
    const next = since.findIndex((count) => count <= rank)
    const reached = next < 0 ? times.length - 1 : next - 1
    low = times[reached] ?? low
    sinceLow = since[reached] ?? sinceLow
    high = (times[next] ?? high + 1n) - 1n
    afterHigh = since[next] ?? afterHigh
  }
  return [low, high] as const
}

/** Ascending times after `low` up to `high`, at even distances. */
function divide(low: bigint, high: bigint, count: number): bigint[] {
  const span = high - low
  const parts = BigInt(count + 1)
  const step = span / parts + (span % parts > 0n ? 1n : 0n)
  const times: bigint[] = []
  for (let time = low + step; time <= high && times.length < count; time += step) times.push(time)
  return times
}

/** The ordinals of the oldest entries at or after each time, within the window. */
async function seek<List>(
  reads: ListReads<List>,
  { list, first, last }: ListWindow<List>,
  times: readonly bigint[],
): Promise<number[]> {
  const ordinals = await reads.seek(list, times)
  return ordinals.map((ordinal) =>
    ordinal === 0 ? last + 1 : Math.max(first, Math.min(last + 1, ordinal)),
  )
}
