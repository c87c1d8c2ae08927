import type { DatabaseSync } from 'node:sqlite'
import type { JsonText } from '../../../contract/index.ts'
import type { TimeWindow } from '../../../provider/store.ts'
import { clampTime, isAfterAll } from '../../enum-codes.ts'
import { query } from '../driver/statements.ts'
import { entryPosition, listEnd, ordinalOfPosition } from '../entry-position.ts'

/** A range of a list by ordinals, both inclusive. Empty if `last` is before `first`. */
export interface Range {
  readonly list: number
  readonly first: number
  readonly last: number
}

export interface EntryLocation {
  readonly list: number
  readonly ordinal: number
}

export interface EntryKey {
  readonly ordinal: number
  readonly time: bigint
  readonly id: string
}

export interface Filter {
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly text: string | null
}

/** From this many records on, bytes are cheaper than a string that is encoded again. */
const blobMin = 128

/**
 * The same query for few records and for many. SQLite joins the records, so that a page is passed to JavaScript as one
 * value; many records are passed as bytes, which are never decoded.
 */
export function joinedRecords<Joined>(open: (joined: string) => Joined): (count: number) => Joined {
  const text = open("group_concat(record, ',')")
  const bytes = open("cast(group_concat(record, ',') as blob)")
  return (count) => (count < blobMin ? text : bytes)
}

/** Queries on lists. Each is one or two seeks in an index and one range of the table. */
export function openEntryRanges(database: DatabaseSync) {
  const last = query<{ ordinal: number }>(
    database,
    `select ${ordinalOfPosition} as ordinal from entry
     where position > ? and position < ? order by position desc limit 1`,
  )
  const atOrAfter = query<{ ordinal: number }>(
    database,
    `select ${ordinalOfPosition} as ordinal from entry
     where list = ? and time >= ? order by time, position limit 1`,
  )
  const atOrBefore = query<{ ordinal: number }>(
    database,
    `select ${ordinalOfPosition} as ordinal from entry
     where list = ? and time <= ? order by time desc, position desc limit 1`,
  )
  const records = joinedRecords((joined) =>
    query<{ joined: JsonText | null }>(
      database,
      `select ${joined} as joined from
         (select record from entry where position between ? and ? order by position desc)`,
    ),
  )
  const recordsAt = joinedRecords((joined) =>
    query<{ joined: JsonText | null }>(
      database,
      `select ${joined} as joined from
         (select record from json_each(?) as place cross join entry on position = place.value)`,
    ),
  )
  const keys = query<{ ordinal: bigint; time: bigint; id: string }>(
    database,
    `select ${ordinalOfPosition} as ordinal, time, id from entry
     where position between ? and ? order by position desc`,
    { bigints: true },
  )
  const matching = query<{ ordinal: number }>(
    database,
    `select ${ordinalOfPosition} as ordinal from entry
     where position between ? and ?
       and (?3 is null or amount >= ?3)
       and (?4 is null or amount <= ?4)
       and (?5 is null or instr(description, ?5) > 0 or instr(reference, ?5) > 0)
     order by position desc`,
  )
  const bounds = ({ list, first, last }: Range) =>
    [entryPosition(list, first), entryPosition(list, last)] as const

  return {
    whole(list: number): Range {
      const end = last.first(entryPosition(list, 0), listEnd(list))
      return { list, first: 1, last: end?.ordinal ?? 0 }
    },

    within(list: number, { oldest, newest }: TimeWindow): Range {
      const first = atOrAfter.first(list, clampTime(oldest))
      const end = atOrBefore.first(list, clampTime(newest))
      return { list, first: first?.ordinal ?? 1, last: first && end ? end.ordinal : 0 }
    },

    /** The first ordinal at or after this time, or one past the end of the range. */
    firstAt({ list, last }: Range, time: bigint): number {
      if (isAfterAll(time)) return last + 1
      return Math.min(atOrAfter.first(list, clampTime(time))?.ordinal ?? last + 1, last + 1)
    },

    /** Newest first. */
    records(range: Range): JsonText[] {
      const length = rangeLength(range)
      const joined = length > 0 && records(length).first(...bounds(range))?.joined
      return joined ? [joined] : []
    },

    /** In the order of the locations. */
    recordsAt(locations: readonly EntryLocation[]): JsonText[] {
      const positions = locations.map(({ list, ordinal }) => entryPosition(list, ordinal))
      const joined = recordsAt(locations.length).first(`[${positions.join()}]`)?.joined
      return joined ? [joined] : []
    },

    keys(range: Range): EntryKey[] {
      return keys
        .all(...bounds(range))
        .map(({ ordinal, time, id }) => ({ ordinal: Number(ordinal), time, id }))
    },

    /** The ordinals in the range that match a filter, newest first. */
    matching(range: Range, { minAmount, maxAmount, text }: Filter): number[] {
      return matching
        .all(...bounds(range), minAmount, maxAmount, text)
        .map(({ ordinal }) => ordinal)
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
