import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError, solutions } from '../../database.ts'
import { createPrivateFile, replayPath } from '../driver/files.ts'
import { openDatabase, openFile, schemaVersion } from '../driver/open.ts'
import { openReplayFile, requireReplayFile } from './open-file.ts'

/** How often recording the replay file is retried while a load locks the database. */
const recordEveryMs = 1000

/**
 * Finds the replay file of a database. At the first start, the file is created unless it exists, and its identity is
 * recorded in the database. From then on, only that file is accepted: with another file, used tokens could be used again.
 */
export function pairReplayFile(databasePath: string) {
  const path = replayPath(databasePath)
  using database = openDatabase(databasePath, 'write')
  if (isRecorded(path, databasePath, database)) return { path, close() {} }
  createPrivateFile(path)
  return { path, close: record(databasePath, identify(path)) }
}

/** Replaces a lost replay file by an empty one. An existing file is kept. */
export function replaceReplayFile(databasePath: string): void {
  const path = replayPath(databasePath)
  using database = openDatabase(databasePath, 'write')
  const recorded = readRecordedId(database)
  if (recorded === undefined) return
  createPrivateFile(path)
  // After a crash between the two, the file exists and has no identity.
  if (readFileId(path) === undefined) identify(path, recorded)
}

/** Fails if the recorded replay file is lost or another one. */
export function requireUsableReplayFile(databasePath: string): void {
  using database = openDatabase(databasePath, 'read')
  isRecorded(replayPath(databasePath), databasePath, database)
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
  if (!existsSync(path)) {
    throw new DatabaseError(
      `the replay file ${path} is missing: it records which tokens were used. Restore it together with the database. ${howToReplace}`,
    )
  }
  if (readFileId(path) !== recorded) {
    throw new DatabaseError(
      `the replay file ${path} does not belong to the database ${databasePath}: restore both from the same backup, or move the replay file to another folder. ${howToReplace}`,
    )
  }
  return true
}

const howToReplace = `To continue without it, start once with ${solutions.newReplayFile}: used tokens that have not expired can then be used once more.`

function readRecordedId(database: DatabaseSync): string | undefined {
  return database.prepare('select id from replay_file').get()?.['id'] as string | undefined
}

function readFileId(path: string): string | undefined {
  using file = openFile(path, requireReplayFile)
  return schemaVersion(file) === 0 ? undefined : readIdentity(file)
}

/** Gives a replay file an identity unless it has one. Of several concurrent processes, the first one sets it. */
function identify(path: string, wanted: string = randomUUID()): string {
  using file = openReplayFile(path)
  file.prepare('insert or ignore into identity values (1, ?)').run(wanted)
  return readIdentity(file) ?? wanted
}

function readIdentity(file: DatabaseSync): string | undefined {
  return file.prepare('select id from identity').get()?.['id'] as string | undefined
}

/** Records the identity. While a load locks the database, this is retried in the background, until it is closed. */
function record(databasePath: string, id: string): () => void {
  const database = openDatabase(databasePath, 'write')
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
