import type { DatabaseSync } from 'node:sqlite'
import { newerDatabase } from '../../database.ts'
import { createRecordTables, providerRecords } from '../../record-tables.ts'
import { foreignFile, isOfKind, openFile, schemaVersion, withPath } from '../driver/open.ts'
import { dialect } from '../driver/schema.ts'
import { transaction } from '../driver/statements.ts'

/** Recorded in every replay file, so that no other database is mistaken for one: "used". */
const applicationId = 0x75736564

/** Of the tables. */
const version = 1

const createTables = `
  pragma application_id = ${applicationId};
  pragma user_version = ${version};
  -- One row. The database has the same id.
  create table identity (only integer primary key check (only = 1), id text not null) strict;
  create table token_use (
    token_id text primary key, kept_until integer not null
  ) strict, without rowid;
  -- One row: the latest time until which a purged record was kept. A token that is kept no longer than that may have
  -- been used before, regardless of the clock.
  create table replay_purge (
    id integer primary key check (id = 1), purged_until integer not null
  ) strict;
  insert into replay_purge values (1, 0);
  ${createRecordTables(dialect, providerRecords)}
`

/**
 * Opens an existing replay file. An empty one gets the tables, in one commit with the application id: after a crash before
 * it, the file is still empty.
 */
export function openReplayFile(path: string): DatabaseSync {
  const database = openFile(path, requireReplayFile)
  return withPath(
    path,
    () => {
      if (schemaVersion(database) === 0) {
        transaction(database, () => {
          // Another process may have created them meanwhile.
          if (schemaVersion(database) === 0) database.exec(createTables)
        })
      }
      return database
    },
    () => database.close(),
  )
}

/** Accepts a replay file and an empty file. */
export function requireReplayFile(database: DatabaseSync): void {
  if (!isOfKind(database, applicationId)) throw foreignFile()
  if (schemaVersion(database) > version) throw newerDatabase()
}
