import type { DatabaseSync } from 'node:sqlite'
import { prepareOn } from '../driver/statements.ts'
import { entryPosition, listEnd, ordinalOfPosition } from '../entry-position.ts'

export interface EntryRow {
  readonly list: number
  readonly time: bigint
  readonly id: string
  readonly amount: string | null
  readonly description: string | null
  readonly reference: string | null
  readonly record: string
}

export const columns = 'list, time, id, amount, description, reference, record'

/** The values of a row in the order of the columns. */
export function toValues({ list, time, id, amount, description, reference, record }: EntryRow) {
  return [list, time, id, amount, description, reference, record] as const
}

/** Entries that cannot be appended wait in a temporary table. At the end, their lists are rewritten from there on. */
export function openReordering(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  database.exec(`
    create temp table waiting (
      list integer not null, time integer not null, id text not null,
      amount text, description text, reference text, record text not null,
      primary key (list, id)
    ) strict, without rowid;
    create temp table needs_reorder (list integer primary key, since integer not null) strict;
  `)
  const insertWaiting = command(
    `insert or replace into waiting (${columns}) values (?,?,?,?,?,?,?)`,
  )
  const markForReorder = command(`insert into needs_reorder values (?, ?)
     on conflict do update set since = min(since, excluded.since)`)
  const affectedLists = query<{ list: number; since: bigint }>(
    'select list, since from needs_reorder order by list',
    { bigints: true },
  )
  const before = query<{ ordinal: number }>(`select ${ordinalOfPosition} as ordinal from entry
     where list = ? and time < ? order by time desc, position desc limit 1`)
  const moveToWaiting = command(
    `insert into waiting (${columns}) select ${columns} from entry where position > ? and position < ?`,
  )
  const deleteEntries = command('delete from entry where position > ? and position < ?')
  const insertOrdered = command(`insert into entry (position, ${columns})
     select ? + row_number() over (order by time, id desc), ${columns} from waiting where list = ?`)
  const clearMarks = command('delete from needs_reorder')
  const deleteWaiting = command('delete from waiting where list = ?')

  let isAnyWaiting = false

  return {
    hasWaiting: () => isAnyWaiting,

    add(row: EntryRow): void {
      isAnyWaiting = true
      insertWaiting.run(...toValues(row))
      markForReorder.run(row.list, row.time)
    },

    /** An entry of this time was removed from the list. */
    markForReorder(list: number, since: bigint): void {
      markForReorder.run(list, since)
    },

    /** Calls `onMove` for each list before, with the ordinal of the last entry that keeps its position. */
    finish(onMove: (list: number, ordinal: number) => void): void {
      for (const row of affectedLists.all()) {
        const list = Number(row.list)
        const ordinal = before.first(list, row.since)?.ordinal ?? 0
        const lastInOrder = entryPosition(list, ordinal)
        onMove(list, ordinal)
        moveToWaiting.run(lastInOrder, listEnd(list))
        deleteEntries.run(lastInOrder, listEnd(list))
        insertOrdered.run(lastInOrder, list)
        deleteWaiting.run(list)
      }
      clearMarks.run()
      isAnyWaiting = false
    },

    /** After a rollback, which empties the temporary tables too. */
    discard(): void {
      isAnyWaiting = false
    },
  }
}
