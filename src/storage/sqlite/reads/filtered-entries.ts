import type { PageRequest } from '../../../contract/index.ts'
import type { Page } from '../../../provider/store.ts'
import { amountCodes, type SearchValues } from '../../request-values.ts'
import {
  blockEntries,
  countWords,
  groupEntries,
  isSharedCode,
  sparsestSlices,
  textSlices,
  wordBits,
} from '../../search-index.ts'
import type { Reader } from '../driver/read-pool.ts'
import {
  type BlockPart,
  type EntryRanges,
  type Range,
  rangeLength,
  slice,
  slicesMax,
} from './entry-ranges.ts'

/** How many entries a filter reads before the event loop runs other work. */
export const scanStep = 1000

/** How many blocks of the index are read at once, and how many entries are read in the time that each takes. */
const blocksAtOnce = 16
const entriesPerBlock = 32

/** What the index is compared with: codes of amounts, and slices of a text. */
interface IndexFilter {
  readonly hasAmounts: boolean
  readonly least: number
  readonly greatest: number
  readonly slices: readonly number[]
}

/** A page of the ordinals that match a filter, newest first. Entries that the index excludes are not read. */
export async function findMatching(
  { lists, yieldTurn }: Reader,
  range: Range,
  filter: SearchValues,
  request: PageRequest,
): Promise<Page<number>> {
  const [, , text] = filter
  const matches = collectPage(request)
  let read = 0
  const pause = async (entries: number): Promise<void> => {
    read += entries
    if (read < scanStep) return
    read = 0
    await yieldTurn()
  }
  const scan = async (parts: Iterable<Range>): Promise<void> => {
    for (const step of toSteps(parts)) {
      for (const ordinal of lists.matching(step, filter)) matches.add(ordinal)
      await pause(step.reduce((entries, part) => entries + rangeLength(part), 0))
    }
  }

  const wanted = toIndexFilter(filter)
  const covered = wanted ? lists.countCovered(range.list) : 0
  await scan([{ ...range, first: Math.max(range.first, covered + 1) }])
  const part = { ...range, last: Math.min(range.last, covered) }
  if (!wanted || rangeLength(part) === 0) return matches.page()

  const firstBlock = blockOf(part.first)
  const slices =
    wanted.slices.length <= slicesMax
      ? wanted.slices
      : sparsestSlices(wanted.slices, lists.texts(part.list, blockOf(part.last)), slicesMax)
  for (let last = blockOf(part.last); last >= firstBlock; last -= blocksAtOnce) {
    const first = Math.max(firstBlock, last - blocksAtOnce + 1)
    if (text === null) {
      for (const amounts of lists.amounts(part.list, [first, last])) {
        const { block, part: codes } = amounts
        const ofBlock = {
          list: part.list,
          first: Math.max(part.first, toOrdinal(block, 0)),
          last: Math.min(part.last, toOrdinal(block, codes.length - 1)),
        }
        if (!addAmounts(lists, ofBlock, amounts, wanted, matches)) await scan([ofBlock])
      }
    } else {
      const groups = findGroups(lists, part.list, [first, last], { ...wanted, slices })
      await scan(groups.values().flatMap((ofBlock) => toRanges(part, ofBlock)))
    }
    await pause((last - first + 1) * entriesPerBlock)
  }
  return matches.page()
}

/** Divides ranges into groups with at most `scanStep` entries, newest first. */
function* toSteps(ranges: Iterable<Range>): Generator<Range[]> {
  let step: Range[] = []
  let entries = 0
  for (const range of ranges) {
    for (let from = 0; from < rangeLength(range); ) {
      const part = slice(range, from, from + scanStep - entries)
      step.push(part)
      from += rangeLength(part)
      entries += rangeLength(part)
      if (entries < scanStep) continue
      yield step
      step = []
      entries = 0
    }
  }
  if (step.length > 0) yield step
}

type Matches = ReturnType<typeof collectPage>

function collectPage({ page, pageSize }: PageRequest) {
  const start = (page - 1) * pageSize
  const items: number[] = []
  let total = 0
  return {
    add(ordinal: number): void {
      if (total >= start && items.length < pageSize) items.push(ordinal)
      total += 1
    },
    /** Adds matches without their ordinals. False if some of them are on the page. */
    addCount(count: number): boolean {
      if (total + count > start && items.length < pageSize) return false
      total += count
      return true
    },
    page: (): Page<number> => ({ items, total }),
  }
}

/** Undefined if the index cannot exclude an entry: a text of one or two characters has no slices. */
function toIndexFilter(filter: SearchValues): IndexFilter | undefined {
  const [minAmount, maxAmount, text] = filter
  const hasAmounts = minAmount !== null || maxAmount !== null
  const slices = text === null ? [] : textSlices(text)
  if (!hasAmounts && slices.length === 0) return undefined
  const [least, greatest] = amountCodes(filter)
  return { hasAmounts, least, greatest, slices }
}

/** Adds the entries of a block with amounts in the range, without reading them. False if their codes do not decide. */
function addAmounts(
  lists: EntryRanges,
  range: Range,
  { block, part: amounts }: BlockPart<Int32Array>,
  wanted: IndexFilter,
  matches: Matches,
): boolean {
  const { from, to } = findAmounts(amounts, wanted)
  if (from >= to) return true
  if (isShared(wanted.least, amounts[from]) || isShared(wanted.greatest, amounts[to - 1])) {
    return false
  }
  if (rangeLength(range) === amounts.length && matches.addCount(to - from)) return true
  for (const place of lists.places(range.list, block).slice(from, to).sort().reverse()) {
    const ordinal = toOrdinal(block, place)
    if (ordinal >= range.first && ordinal <= range.last) matches.add(ordinal)
  }
  return true
}

function isShared(bound: number, code: number | undefined): boolean {
  return code === bound && isSharedCode(bound)
}

/** The indices of the codes in the range: the first, and the one after the last. */
function findAmounts(amounts: Int32Array, { least, greatest }: IndexFilter) {
  return { from: findFirst(amounts, least), to: findFirst(amounts, greatest + 1) }
}

/** The index of the first code that is at least this one. */
function findFirst(codes: Int32Array, code: number): number {
  let low = 0
  let high = codes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((codes[middle] ?? 0) < code) low = middle + 1
    else high = middle
  }
  return low
}

/** The groups of each block that may have matching entries, as bits. */
function findGroups(
  lists: EntryRanges,
  list: number,
  blocks: readonly [number, number],
  wanted: IndexFilter,
): BlockPart<Uint32Array>[] {
  const ofText = wanted.slices.length > 0 ? lists.textGroups(list, blocks, wanted.slices) : []
  if (!wanted.hasAmounts) return ofText
  return lists.amounts(list, blocks).map(({ block, part: amounts }, index) => {
    const groups = new Uint32Array(countWords(amounts.length))
    const { from, to } = findAmounts(amounts, wanted)
    for (const place of from < to ? lists.places(list, block).subarray(from, to) : []) {
      const group = Math.floor(place / groupEntries)
      const word = Math.floor(group / wordBits)
      groups[word] = (groups[word] ?? 0) | (1 << (group % wordBits))
    }
    const others = ofText[index]?.part
    return { block, part: others ? groups.map((bits, word) => bits & (others[word] ?? 0)) : groups }
  })
}

/** Ranges of consecutive groups, newest first. */
function* toRanges(
  { list, first, last }: Range,
  { block, part: groups }: BlockPart<Uint32Array>,
): Generator<Range> {
  const toRange = (firstGroup: number, lastGroup: number): Range => ({
    list,
    first: Math.max(first, toOrdinal(block, firstGroup * groupEntries)),
    last: Math.min(last, toOrdinal(block, (lastGroup + 1) * groupEntries - 1)),
  })
  let end: number | undefined
  for (let word = groups.length - 1; word >= 0; word -= 1) {
    const bits = groups[word] ?? 0
    if (bits === 0 && end === undefined) continue
    for (let bit = wordBits - 1; bit >= 0; bit -= 1) {
      const group = word * wordBits + bit
      if ((bits >>> bit) & 1) end ??= group
      else if (end !== undefined) {
        yield toRange(group + 1, end)
        end = undefined
      }
    }
  }
  if (end !== undefined) yield toRange(0, end)
}

function blockOf(ordinal: number): number {
  return Math.floor((ordinal - 1) / blockEntries)
}

/** The ordinal of the entry at an index in a block. */
function toOrdinal(block: number, index: number): number {
  return block * blockEntries + index + 1
}
