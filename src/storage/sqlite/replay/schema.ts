import type { DatabaseSync } from 'node:sqlite'
import { transaction } from '../driver/write-queue.ts'

/** Creates the tables of a replay file that lacks them. Those of an earlier version are renamed and keep their rows. */
export function prepareReplayTables(database: DatabaseSync): void {
  transaction(database, () => {
    if (hasColumn(database, 'claim', 'token_id')) {
      database.exec('drop index if exists claim_kept_until; alter table claim rename to token_use')
    }
    if (hasColumn(database, 'batch', 'claims')) {
      database.exec('alter table batch rename column claims to uses')
    }
    database.exec(tables)
  })
}

function hasColumn(database: DatabaseSync, table: string, column: string): boolean {
  const found = database.prepare('select 1 from pragma_table_info(?) where name = ?')
  return found.get(table, column) !== undefined
}

const tables = `
  create table if not exists token_use (
    token_id text primary key, kept_until integer not null
  ) strict, without rowid;
  create table if not exists batch (
    number integer primary key,
    uses text not null  -- a JSON array: an id, until when it is kept, the next id, and so on
  ) strict;
  -- One row: the latest time until which a purged record was kept. A token that is kept no longer than that may have
  -- been used before, regardless of the clock.
  create table if not exists replay_purge (
    id integer primary key check (id = 1), purged_until integer not null
  ) strict;
  insert or ignore into replay_purge values (1, 0);
`
