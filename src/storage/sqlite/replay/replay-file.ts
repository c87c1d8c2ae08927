import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError, solutions } from '../../database.ts'
import { createPrivateFile, replayPath } from '../driver/files.ts'
import { openDatabase, openFile } from '../driver/open.ts'

/** How often recording the replay file is retried while a load locks the database. */
const recordEveryMs = 1000

/** The replay file that belongs to a database. */
export interface PairedReplayFile {
  readonly path: string
  close(): void
}

/**
 * Finds the replay file of a database. At the first start, the file is created unless it exists, and its identity is
 * recorded in the database. From then on, only that file is accepted: with another file, used tokens could be used again.
 */
export function pairReplayFile(databasePath: string): PairedReplayFile {
  const path = replayPath(databasePath)
  const database = openDatabase(databasePath, 'write')
  try {
    if (!isRecorded(path, databasePath, database)) {
      createPrivateFile(path)
      return { path, close: record(database, identify(path)) }
    }
    database.close()
    return { path, close: () => {} }
  } catch (error) {
    if (database.isOpen) database.close()
    throw error
  }
}

/** Replaces a lost replay file by an empty one. An existing file is kept. */
export function replaceReplayFile(databasePath: string): void {
  const path = replayPath(databasePath)
  const database = openDatabase(databasePath, 'write')
  try {
    const recorded = readRecordedId(database)
    if (recorded !== undefined && createPrivateFile(path)) identify(path, recorded)
  } finally {
    database.close()
  }
}

/** The path of the replay file if it exists. The file is verified, and nothing is created. */
export function existingReplayFile(
  databasePath: string,
  database: DatabaseSync,
): string | undefined {
  const path = replayPath(databasePath)
  return isRecorded(path, databasePath, database) || existsSync(path) ? path : undefined
}

/** Whether a replay file was recorded. If so, that file must exist. */
function isRecorded(path: string, databasePath: string, database: DatabaseSync): boolean {
  const recorded = readRecordedId(database)
  if (recorded === undefined) return false
  if (!existsSync(path)) throw missingFile(path)
  if (readFileId(path) !== recorded) throw foreignFile(path, databasePath)
  return true
}

function readRecordedId(database: DatabaseSync): string | undefined {
  return database.prepare('select id from replay_file').get()?.['id'] as string | undefined
}

function readFileId(path: string): string | undefined {
  const file = openFile(path)
  try {
    if (!hasTable(file, 'identity')) return undefined
    return file.prepare('select id from identity').get()?.['id'] as string | undefined
  } finally {
    file.close()
  }
}

/** Gives a replay file an identity unless it has one. Of several concurrent processes, the first one sets it. */
function identify(path: string, wanted: string = randomUUID()): string {
  const file = openFile(path)
  try {
    file.exec(
      'create table if not exists identity (only integer primary key check (only = 1), id text not null) strict',
    )
    file.prepare('insert or ignore into identity values (1, ?)').run(wanted)
    return String(file.prepare('select id from identity').get()?.['id'])
  } finally {
    file.close()
  }
}

/** Records the identity, then closes the database. While a load locks the database, this is retried in the background. */
function record(database: DatabaseSync, id: string): () => void {
  database.exec('pragma busy_timeout = 0')
  const insert = database.prepare('insert or ignore into replay_file values (1, ?)')
  const finish = (): void => {
    clearInterval(timer)
    if (database.isOpen) database.close()
  }
  const attempt = (): void => {
    try {
      insert.run(id)
      finish()
    } catch {
      // The database is locked or the disk is full. The next attempt follows in a second.
    }
  }
  const timer = setInterval(attempt, recordEveryMs)
  timer.unref()
  attempt()
  return finish
}

function hasTable(database: DatabaseSync, name: string): boolean {
  const found = database.prepare('select 1 from sqlite_schema where name = ?').get(name)
  return found !== undefined
}

const howToReplace = `To continue without it, start once with ${solutions.newReplayFile}: used tokens that have not expired can then be used once more.`

function missingFile(path: string): DatabaseError {
  return new DatabaseError(
    `the replay file ${path} is missing: it records which tokens were used. Restore it together with the database. ${howToReplace}`,
  )
}

function foreignFile(path: string, databasePath: string): DatabaseError {
  return new DatabaseError(
    `the replay file ${path} does not belong to the database ${databasePath}: restore both from the same backup, or move the replay file to another folder. ${howToReplace}`,
  )
}
