import type { DatabaseSync } from 'node:sqlite'
import type { JsonText } from '../../../contract/index.ts'
import type { TimeWindow } from '../../../provider/store.ts'
import { clampTime, isBeyondAll } from '../../enum-codes.ts'
import { query } from '../driver/statements.ts'
import { listEnd, ordinalOfPosition, positionOf } from '../entry-position.ts'

/** A stretch of a list, by ordinals, both ends inside. Empty where `last` is before `first`. */
export interface Range {
  readonly list: number
  readonly first: number
  readonly last: number
}

/** Where an entry is. */
export interface Place {
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

/** From how many records on their bytes are cheaper to have than a text that is encoded again. */
const bytesMin = 128

/**
 * The same query for few records and for many. They are joined where they lie, so that a page crosses into
 * JavaScript once; many go on as bytes, and are never decoded there.
 */
export function joinedRecords<Joined>(open: (joined: string) => Joined): (count: number) => Joined {
  const text = open("group_concat(record, ',')")
  const bytes = open("cast(group_concat(record, ',') as blob)")
  return (count) => (count < bytesMin ? text : bytes)
}

/** The questions about lists. Each is one or two seeks in an index and one range of the table. */
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
    [positionOf(list, first), positionOf(list, last)] as const

  return {
    whole(list: number): Range {
      const end = last.first(positionOf(list, 0), listEnd(list))
      return { list, first: 1, last: end?.ordinal ?? 0 }
    },

    within(list: number, { oldest, newest }: TimeWindow): Range {
      const first = atOrAfter.first(list, clampTime(oldest))
      const end = atOrBefore.first(list, clampTime(newest))
      return { list, first: first?.ordinal ?? 1, last: first && end ? end.ordinal : 0 }
    },

    /** The first ordinal whose time is at or after this, or one past the end of the stretch. */
    firstAt({ list, last }: Range, time: bigint): number {
      if (isBeyondAll(time)) return last + 1
      return Math.min(atOrAfter.first(list, clampTime(time))?.ordinal ?? last + 1, last + 1)
    },

    /** Newest first. */
    records(stretch: Range): JsonText[] {
      const length = lengthOf(stretch)
      const joined = length > 0 && records(length).first(...bounds(stretch))?.joined
      return joined ? [joined] : []
    },

    /** In the order that the places have. */
    recordsAt(places: readonly Place[]): JsonText[] {
      const positions = places.map(({ list, ordinal }) => positionOf(list, ordinal))
      const joined = recordsAt(places.length).first(`[${positions.join()}]`)?.joined
      return joined ? [joined] : []
    },

    keys(stretch: Range): EntryKey[] {
      return keys
        .all(...bounds(stretch))
        .map(({ ordinal, time, id }) => ({ ordinal: Number(ordinal), time, id }))
    },

    /** The ordinals in the stretch that a filter lets through, newest first. */
    matching(stretch: Range, { minAmount, maxAmount, text }: Filter): number[] {
      return matching
        .all(...bounds(stretch), minAmount, maxAmount, text)
        .map(({ ordinal }) => ordinal)
    },
  }
}

export type EntryRanges = ReturnType<typeof openEntryRanges>

export function lengthOf({ first, last }: Range): number {
  return Math.max(0, last - first + 1)
}

/** The part of a stretch that lies `start` to `end` entries below its newest, the end outside. */
export function slice({ list, first, last }: Range, start: number, end: number): Range {
  return { list, first: Math.max(first, last - end + 1), last: last - start }
}
