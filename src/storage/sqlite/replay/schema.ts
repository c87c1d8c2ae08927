import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../driver/write-queue.ts'

/** Creates the tables of a replay file that lacks them. The records in those of an earlier version are kept. */
export function prepareReplayTables(database: DatabaseSync): void {
  transaction(database, () => {
    if (hasColumn(database, 'claim', 'token_id')) {
      database.exec('drop index if exists claim_kept_until; alter table claim rename to token_use')
    }
    database.exec(tables)
    for (const column of ['claims', 'uses']) {
      if (hasColumn(database, 'batch', column)) moveBatches(database, column)
    }
    database.exec(views)
  })
}

/** Moves the records of batches: each was a JSON array of an id, until when it is kept, the next id, and so on. */
function moveBatches(database: DatabaseSync, column: string): void {
  const add = database.prepare('insert or ignore into token_use values (?, ?)')
  for (const { uses } of database.prepare(`select ${column} as uses from batch`).iterate()) {
    const members = JSON.parse(String(uses)) as (string | number)[]
    for (let index = 0; index < members.length; index += 2) {
      add.run(members[index] ?? '', members[index + 1] ?? 0)
    }
  }
  database.exec('drop table batch')
}

function hasColumn(database: DatabaseSync, table: string, column: string): boolean {
  const found = database.prepare('select 1 from pragma_table_info(?) where name = ?')
  return found.get(table, column) !== undefined
}

const tables = `
  create table if not exists token_use (
    token_id text primary key, kept_until integer not null
  ) strict, without rowid;
  -- One row: the latest time until which a purged record was kept. A token that is kept no longer than that may have
  -- been used before, regardless of the clock.
  create table if not exists replay_purge (
    id integer primary key check (id = 1), purged_until integer not null
  ) strict;
  insert or ignore into replay_purge values (1, 0);
`

/**
 * Earlier versions recorded uses in tables of these names, and create those that are missing. With views instead, a
 * process of such a version accepts no token, whether it has opened the file already or opens it later.
 */
const views = `
  create view if not exists batch as select null as none;
  create view if not exists claim as select null as none;
`
