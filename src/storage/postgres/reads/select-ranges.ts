import type { JsonText } from '../../../contract/index.ts'
import type { Rows } from '../driver/pipeline.ts'
import { type DistributedAccount, keysReadMax, type ReadList } from './lists.ts'

/** The part of a list in a time window: the ordinals and times of its oldest and its newest entry. */
export interface ListWindow {
  readonly account: DistributedAccount
  readonly list: number
  /** The id of the account, which orders entries with the same time and id. */
  readonly key: Buffer
  readonly first: number
  readonly last: number
  readonly oldest: bigint
  readonly newest: bigint
}

interface Selection {
  readonly offset: number
  readonly limit: number
  readonly total: number
}

interface Range {
  readonly window: ListWindow
  readonly low: number
  readonly high: number
}

/** The last time that can be stored. */
const timeMax = 2n ** 63n - 1n

/** How many times are sought at once: fewer rounds, at little cost on the shard. */
const soughtAtOnce = 63

/** Undefined if no entry is in the window. */
export function toWindow(
  account: DistributedAccount,
  list: number,
  rows: Rows,
): ListWindow | undefined {
  const [[first, last, oldest, newest] = []] = rows
  if (!first || !last || !oldest || !newest || Number(first) > Number(last)) return undefined
  return {
    account,
    list,
    key: Buffer.from(account.id),
    first: Number(first),
    last: Number(last),
    oldest: BigInt(oldest),
    newest: BigInt(newest),
  }
}

/** The records of a page account by account, each newest first. */
export async function selectByAccount(
  readList: ReadList,
  windows: readonly ListWindow[],
  { offset, limit }: Selection,
): Promise<JsonText[]> {
  const ranges: Range[] = []
  let before = 0
  for (const window of windows) {
    const { first, last } = window
    const high = last - Math.max(0, offset - before)
    const low = Math.max(first, last + 1 - (offset + limit - before))
    if (low <= high) ranges.push({ window, low, high })
    before += last - first + 1
  }
  const read = async ({ window: { account, list }, low, high }: Range) => {
    const [[texts] = []] = (await readList('range', account, [list, low, high])) as JsonText[][]
    return texts ?? ''
  }
  return Promise.all(ranges.map(read))
}

/** The records of a page over all accounts: newest first, then by id, then by account. */
export async function selectByTime(
  readList: ReadList,
  windows: readonly ListWindow[],
  { offset, limit, total }: Selection,
): Promise<JsonText[]> {
  if (offset >= total) return []
  const end = Math.min(offset + limit, total)
  const ranges =
    windows.length * end <= keysReadMax
      ? windows.map((window) => ({
          window,
          low: Math.max(window.first, window.last + 1 - end),
          high: window.last,
        }))
      : await findRanges(readList, windows, [offset, end - 1])
  const newer = ranges.reduce((sum, { window, high }) => sum + window.last - high, 0)
  const keys = (await Promise.all(ranges.map((range) => readKeys(readList, range)))).flat()
  return readRecords(readList, keys.sort(compareByTime).slice(offset - newer, end - newer))
}

interface Key {
  readonly window: ListWindow
  readonly time: bigint
  readonly id: Buffer
  readonly ordinal: number
}

function compareByTime(one: Key, other: Key): number {
  if (one.time !== other.time) return one.time > other.time ? -1 : 1
  return Buffer.compare(one.id, other.id) || Buffer.compare(one.window.key, other.window.key)
}

async function readKeys(readList: ReadList, { window, low, high }: Range): Promise<Key[]> {
  if (low > high) return []
  const rows = await readList('keys', window.account, [window.list, low, high])
  return rows.map(([time, id, ordinal]) => ({
    window,
    time: BigInt(time ?? 0),
    id: Buffer.from(id ?? ''),
    ordinal: Number(ordinal),
  }))
}

/** In the order of the keys. */
async function readRecords(readList: ReadList, keys: readonly Key[]): Promise<string[]> {
  const records = new Map<string, string>()
  const ofEntry = ({ account }: ListWindow, ordinal: number | string | null = null) =>
    `${account.number} ${ordinal}`
  const read = async (window: ListWindow, ordinals: readonly number[]): Promise<void> => {
    const rows = await readList('records', window.account, [window.list, ordinals])
    for (const [ordinal, record] of rows) records.set(ofEntry(window, ordinal), record ?? '')
  }
  await Promise.all(
    Map.groupBy(keys, ({ window }) => window)
      .entries()
      .map(([window, ofWindow]) =>
        read(
          window,
          ofWindow.map(({ ordinal }) => ordinal),
        ),
      ),
  )
  return keys.map(({ window, ordinal }) => records.get(ofEntry(window, ordinal)) ?? '')
}

/** The ranges with all entries between the times of two ranks, where the newest entry has rank 0. */
async function findRanges(
  readList: ReadList,
  windows: readonly ListWindow[],
  [newestRank, oldestRank]: readonly [number, number],
): Promise<Range[]> {
  const [newest, oldest] = await Promise.all([
    findTime(readList, windows, newestRank),
    findTime(readList, windows, oldestRank),
  ])
  return Promise.all(
    windows.map(async (window) => {
      const times = newest < timeMax ? [oldest, newest + 1n] : [oldest]
      const [low = 0, after = window.last + 1] = await seek(readList, window, times)
      return { window, low, high: after - 1 }
    }),
  )
}

/** The time of the entry with a rank: the latest time that more than `rank` entries have or follow. */
async function findTime(
  readList: ReadList,
  windows: readonly ListWindow[],
  rank: number,
): Promise<bigint> {
  let low = windows.reduce((least, { oldest }) => (oldest < least ? oldest : least), 2n ** 63n)
  let high = windows.reduce((most, { newest }) => (newest > most ? newest : most), -(2n ** 63n))
  while (low < high) {
    const times = divide(low, high)
    const found = await Promise.all(windows.map((window) => seek(readList, window, times)))
    const since = times.map((_, index) =>
      windows.reduce((sum, { last }, each) => sum + last + 1 - (found[each]?.[index] ?? 0), 0),
    )
    const next = since.findIndex((count) => count <= rank)
    const [reached, missed] = next < 0 ? [times.at(-1), undefined] : [times[next - 1], times[next]]
    low = reached ?? low
    high = missed === undefined ? high : missed - 1n
  }
  return low
}

/** Ascending times after `low` up to `high`, at even distances. */
function divide(low: bigint, high: bigint): bigint[] {
  const span = high - low
  const parts = BigInt(soughtAtOnce + 1)
  const step = span / parts + (span % parts > 0n ? 1n : 0n)
  const times: bigint[] = []
  for (let time = low + step; time <= high && times.length < soughtAtOnce; time += step)
    times.push(time)
  return times
}

/** The ordinals of the oldest entries at or after each time, within the window. */
async function seek(
  readList: ReadList,
  { account, list, first, last }: ListWindow,
  times: readonly bigint[],
): Promise<number[]> {
  const [[ordinals] = []] = await readList('seek', account, [list, times.map(String)])
  return (ordinals ?? '').split(',').map((text) => {
    const ordinal = Number(text)
    return ordinal === 0 ? last + 1 : Math.max(first, Math.min(last + 1, ordinal))
  })
}
