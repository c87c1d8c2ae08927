import type { DatabaseSync } from 'node:sqlite'
import type { JsonText } from '../../../contract/index.ts'
import type { SearchValues } from '../../request-values.ts'
import { sliceCount } from '../../search-index.ts'
import { prepareOn } from '../driver/statements.ts'
import {
  coveredEntries,
  entryPosition,
  listEnd,
  ordinalOfPosition,
  selectNewest,
  selectOldest,
} from '../entry-position.ts'

/** A range of a list by ordinals, both inclusive. Empty if `last` is before `first`. */
export interface Range {
  readonly list: number
  readonly first: number
  readonly last: number
}

/** A part of the index of a block. */
export interface BlockPart<Part> {
  readonly block: number
  readonly part: Part
}

/** More slices of a text would exclude few other groups. */
export const slicesMax = 6

/** From this many records on, bytes are cheaper than a string that is encoded again. */
const blobMin = 128

/** One query for few records, as text, and one for many, as bytes that are never decoded. SQLite joins the records. */
export function joinedRecords<Joined>(open: (joined: string) => Joined): (count: number) => Joined {
  const text = open("group_concat(record, ',')")
  const bytes = open("cast(group_concat(record, ',') as blob)")
  return (count) => (count < blobMin ? text : bytes)
}

/** Queries on lists. Each is one or two seeks in an index and one range of the table. */
export function openEntryRanges(database: DatabaseSync) {
  const { query } = prepareOn(database)
  const located = (select: typeof selectOldest) =>
    query<{ ordinal: bigint; time: bigint }>(
      select(`${ordinalOfPosition} as ordinal, time`, '?', '?'),
      { bigints: true },
    )
  const atOrAfter = located(selectOldest)
  const atOrBefore = located(selectNewest)
  const joinedFrom = (source: string) =>
    joinedRecords((joined) =>
      query<{ joined: JsonText | null }>(
        `select ${joined} as joined from (select record from ${source})`,
      ),
    )
  const records = joinedFrom('entry where position between ? and ? order by position desc')
  const recordsAt = joinedFrom('json_each(?) as place cross join entry on position = place.value')
  const keys = query<readonly [ordinal: bigint, time: bigint, id: string]>(
    `select ${ordinalOfPosition}, time, id from entry
     where position between ? and ? order by position desc`,
    { bigints: true, lists: true },
  )
  const matching = query<readonly [ordinal: number]>(
    `select ${ordinalOfPosition} from json_each(?1) as part
     cross join entry on position between ?2 + (part.value ->> 0) and ?2 + (part.value ->> 1)
     where (?3 is null or amount >= ?3)
       and (?4 is null or amount <= ?4)
       and (?5 is null or instr(description, ?5) > 0 or instr(reference, ?5) > 0)`,
    { lists: true },
  )
  const covered = query<{ covered: number }>(coveredEntries)
  const blocks = 'where position between ?1 and ?2 order by position desc'
  const amounts = query<readonly [block: number, amounts: Uint8Array]>(
    `select ${ordinalOfPosition}, amounts from entry_amounts ${blocks}`,
    { lists: true },
  )
  /** A column of the index of one block. */
  const readBlock = (column: string, table: string) => {
    const find = query<{ bytes: Uint8Array }>(
      `select ${column} as bytes from ${table} where position = ?`,
    )
    return (list: number, block: number) =>
      find.first(entryPosition(list, block))?.bytes.buffer ?? new ArrayBuffer()
  }
  const readPlaces = readBlock('places', 'entry_amounts')
  const readTexts = readBlock('texts', 'entry_texts')
  const length = `(length(texts) / ${sliceCount})`
  const slices = Array.from(
    { length: slicesMax },
    (_, index) => `substr(texts, ?${3 + index} * ${length} + 1, ${length})`,
  )
  const texts = query<readonly [block: number, slices: Uint8Array]>(
    `select ${ordinalOfPosition}, cast(${slices.join(' || ')} as blob) from entry_texts ${blocks}`,
    { lists: true },
  )
  const bounds = ({ list, first, last }: Range) =>
    [entryPosition(list, first), entryPosition(list, last)] as const

  return {
    /** The entries in a time window, and the times of the oldest and the newest. Undefined if there are none. */
    within(list: number, [from, until]: readonly [bigint, bigint]) {
      const oldest = atOrAfter.first(list, from)
      const newest = atOrBefore.first(list, until)
      if (!oldest || !newest || oldest.ordinal > newest.ordinal) return undefined
      const [first, last] = [Number(oldest.ordinal), Number(newest.ordinal)]
      return { list, first, last, oldest: oldest.time, newest: newest.time }
    },

    /** The ordinal of the oldest entry at or after a time; 0 without such an entry. */
    seek: (list: number, time: bigint): number => Number(atOrAfter.first(list, time)?.ordinal ?? 0),

    /** Newest first. */
    records(range: Range): JsonText[] {
      const joined = records(rangeLength(range)).first(...bounds(range))?.joined
      return joined ? [joined] : []
    },

    /** In the order of the locations. */
    recordsAt(
      locations: readonly { readonly list: number; readonly ordinal: number }[],
    ): JsonText[] {
      const positions = locations.map(({ list, ordinal }) => entryPosition(list, ordinal))
      const joined = recordsAt(locations.length).first(`[${positions.join()}]`)?.joined
      return joined ? [joined] : []
    },

    keys: (range: Range) => keys.all(...bounds(range)),

    /** How many entries of a list, from the oldest, the index covers. */
    countCovered(list: number): number {
      return covered.first(entryPosition(list, 0), listEnd(list))?.covered ?? 0
    },

    /** The codes of amounts, ascending, in the blocks from `first` to `last`, newest first. */
    amounts(list: number, [first, last]: readonly [number, number]): BlockPart<Int32Array>[] {
      return amounts
        .all(...bounds({ list, first, last }))
        .map(([block, { buffer }]) => ({ block, part: new Int32Array(buffer) }))
    },

    /** The index in the block of the entry with each of these codes. */
    places: (list: number, block: number) => new Uint16Array(readPlaces(list, block)),

    /** All slices of a block. */
    texts: (list: number, block: number) => new Uint32Array(readTexts(list, block)),

    /** The groups that have a bit in all of at most `slicesMax` slices, in the same blocks. */
    textGroups(
      list: number,
      [first, last]: readonly [number, number],
      [slice = 0, ...others]: readonly number[],
    ): BlockPart<Uint32Array>[] {
      const wanted = Array.from({ length: slicesMax }, (_, index) => others[index] ?? slice)
      return texts.all(...bounds({ list, first, last }), ...wanted).map(([block, { buffer }]) => {
        const words = new Uint32Array(buffer)
        const groups = words.slice(0, words.length / slicesMax)
        for (let at = groups.length; at < words.length; at += 1) {
          const word = at % groups.length
          groups[word] = (groups[word] ?? 0) & (words[at] ?? 0)
        }
        return { block, part: groups }
      })
    },

    /** The ordinals in ranges of one list that match a filter, newest first. */
    matching(ranges: readonly Range[], filter: SearchValues): number[] {
      const [{ list = 0 } = {}] = ranges
      const parts = ranges.map(({ first, last }) => `[${first},${last}]`)
      return matching
        .all(`[${parts.join()}]`, entryPosition(list, 0), ...filter)
        .map(([ordinal]) => ordinal)
        .sort((one, other) => other - one)
    },
  }
}

export type EntryRanges = ReturnType<typeof openEntryRanges>

export function rangeLength({ first, last }: Range): number {
  return Math.max(0, last - first + 1)
}

/** The entries from `start` to `end` (exclusive) of a range, counted from the newest. */
export function slice({ list, first, last }: Range, start: number, end: number): Range {
  return { list, first: Math.max(first, last - end + 1), last: last - start }
}
