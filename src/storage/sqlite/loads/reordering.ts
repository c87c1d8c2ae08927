import type { DatabaseSync } from 'node:sqlite'
import { command, query } from '../driver/statements.ts'
import { listEnd, ordinalOfPosition, positionOf } from '../entry-position.ts'

export interface EntryRow {
  readonly list: number
  readonly time: bigint
  readonly id: string
  readonly amount: string | null
  readonly description: string | null
  readonly reference: string | null
  readonly record: string
}

const columns = 'list, time, id, amount, description, reference, record'

/**
 * Entries that do not go at the end of their list wait beside it. When all are there, each list that has
 * some is taken apart from the earliest of them on and put together again, so that every ordinal is true.
 */
export function openReordering(database: DatabaseSync) {
  database.exec(`
    create temp table waiting (
      list integer not null, time integer not null, id text not null,
      amount text, description text, reference text, record text not null,
      primary key (list, id)
    ) strict, without rowid;
    create index temp.waiting_id on waiting (id);
    create temp table disturbed (list integer primary key, since integer not null) strict;
  `)
  const wait = command(
    database,
    `insert or replace into waiting (${columns}) values (?,?,?,?,?,?,?)`,
  )
  const disturb = command(
    database,
    `insert into disturbed values (?, ?)
     on conflict do update set since = min(since, excluded.since)`,
  )
  const disturbed = query<{ list: number; since: bigint }>(
    database,
    'select list, since from disturbed order by list',
    { bigints: true },
  )
  const before = query<{ ordinal: number }>(
    database,
    `select ${ordinalOfPosition} as ordinal from entry
     where list = ? and time < ? order by time desc, position desc limit 1`,
  )
  const lift = command(
    database,
    `insert into waiting (${columns}) select ${columns} from entry where position > ? and position < ?`,
  )
  const clear = command(database, 'delete from entry where position > ? and position < ?')
  const place = command(
    database,
    `insert into entry (position, ${columns})
     select ? + row_number() over (order by time, id desc), ${columns} from waiting where list = ?`,
  )
  const done = command(database, 'delete from waiting where list = ?')

  let anyWaiting = false

  return {
    isAnyWaiting: () => anyWaiting,

    wait(row: EntryRow): void {
      anyWaiting = true
      wait.run(row.list, row.time, row.id, row.amount, row.description, row.reference, row.record)
      disturb.run(row.list, row.time)
    },

    /** From this time on, the list has a gap. */
    disturb(list: number, since: bigint): void {
      disturb.run(list, since)
    },

    settle(): void {
      for (const row of disturbed.all()) {
        const list = Number(row.list)
        const kept = positionOf(list, before.first(list, row.since)?.ordinal ?? 0)
        lift.run(kept, listEnd(list))
        clear.run(kept, listEnd(list))
        place.run(kept, list)
        done.run(list)
      }
      database.exec('delete from disturbed')
    },
  }
}
