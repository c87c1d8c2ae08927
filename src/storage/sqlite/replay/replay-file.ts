import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError } from '../../database.ts'
import { createPrivateFile, replayPathOf } from '../driver/files.ts'
import { openDatabase, openFile } from '../driver/open.ts'
import { currentReplayPath, renameEarlierReplayFile } from './earlier-replay-file.ts'

/** How often a replay file is recorded again in a database that a load holds. */
const recordEveryMs = 1000

/** The replay file of a database, checked to be the one that belongs to it. */
export interface PairedReplayFile {
  readonly path: string
  close(): void
}

/**
 * Finds the replay file of a database. At the first start it is created, or one that exists is taken, and its
 * identity is recorded in the database. From then on only that file will do: with any other, or a new one, tokens
 * that were used could be used again.
 */
export function pairReplayFile(databasePath: string): PairedReplayFile {
  const path = replayPathOf(databasePath)
  const database = openDatabase(databasePath, 'write')
  try {
    renameEarlierReplayFile(databasePath, database)
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

/** Begins an empty replay file in place of one that is lost. Leaves one that exists alone. */
export function replaceReplayFile(databasePath: string): void {
  const path = replayPathOf(databasePath)
  const database = openDatabase(databasePath, 'write')
  try {
    renameEarlierReplayFile(databasePath, database)
    const recorded = recordedId(database)
    if (recorded !== undefined && createPrivateFile(path)) identify(path, recorded)
  } finally {
    database.close()
  }
}

/** The replay file that a database has so far. It is checked, and nothing is created. */
export function existingReplayFile(
  databasePath: string,
  database: DatabaseSync,
): string | undefined {
  const path = currentReplayPath(databasePath)
  return isRecorded(path, databasePath, database) || existsSync(path) ? path : undefined
}

/** Whether a replay file was recorded. Then it must be there, and be that one. */
function isRecorded(path: string, databasePath: string, database: DatabaseSync): boolean {
  const recorded = recordedId(database)
  if (recorded === undefined) return false
  if (!existsSync(path)) throw missingReplayFile(path)
  if (idIn(path) !== recorded) throw otherReplayFile(path, databasePath)
  return true
}

function recordedId(database: DatabaseSync): string | undefined {
  if (!hasTable(database, 'replay_file')) return undefined
  return database.prepare('select id from replay_file').get()?.['id'] as string | undefined
}

function idIn(path: string): string | undefined {
  const file = openFile(path)
  try {
    if (!hasTable(file, 'identity')) return undefined
    return file.prepare('select id from identity').get()?.['id'] as string | undefined
  } finally {
    file.close()
  }
}

/** Gives a replay file an identity, unless it has one. Of several processes that try, one is first. */
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

/** Records the identity, and closes the database then. While a load holds it, that is retried beside the requests. */
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
      // Locked, or the disk is full: the file is not lost in the second until the next attempt.
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

const howToReplace =
  'To go on without it, start once with --new-replay-file: tokens that were used and have not expired could then be used once more.'

function missingReplayFile(path: string): DatabaseError {
  return new DatabaseError(
    `the replay file ${path} is missing: it records which tokens were used. Restore it together with the database. ${howToReplace}`,
  )
}

function otherReplayFile(path: string, databasePath: string): DatabaseError {
  return new DatabaseError(
    `the replay file ${path} does not belong to the database ${databasePath}: restore both from the same backup, or move the replay file away. ${howToReplace}`,
  )
}
