import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newerDatabase } from '../database.ts'
import { defineFunctions, migrations } from './schema.ts'
import { cannotOpen, isBusy } from './told.ts'

/** How long a statement waits for another process, in milliseconds. */
const busyTimeoutMs = 5000

const walRetryMs = 20

/** A load waits this long for another one to finish. */
const loadWaitMs = 60 * 60 * 1000

const reading = 'pragma query_only = on; pragma cache_size = -16384; pragma mmap_size = 268435456'

/** What a connection is for. SQLite waits by holding up the whole process, so one that serves does not wait. */
const uses = {
  serve: `${reading}; pragma busy_timeout = 0`,
  read: reading,
  write: `pragma cache_size = -32768; pragma busy_timeout = ${loadWaitMs}`,
}

/** Opens the database, and brings it to the newest version first. */
export function openDatabase(path: string, use: keyof typeof uses): DatabaseSync {
  const database = openFile(path)
  try {
    migrate(database)
    database.exec(uses[use])
    return database
  } catch (error) {
    database.close()
    throw cannotOpen(error, path)
  }
}

export function openFile(path: string): DatabaseSync {
  try {
    mkdirSync(dirname(path), { recursive: true })
    const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
    useWriteAheadLog(database)
    database.exec('pragma synchronous = full; pragma temp_store = file')
    return database
  } catch (error) {
    throw cannotOpen(error, path)
  }
}

/** For a file that is new, this needs it alone, and does not wait by itself for another process. */
function useWriteAheadLog(database: DatabaseSync): void {
  for (let waitedMs = 0; ; waitedMs += walRetryMs) {
    try {
      database.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (waitedMs >= busyTimeoutMs || !isBusy(error)) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, walRetryMs)
    }
  }
}

/** How many steps the database has seen. */
export function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version'])
}

function migrate(database: DatabaseSync): void {
  const version = () => versionOf(database)
  if (version() > migrations.length) throw newerDatabase()
  if (version() === migrations.length) return

  database.exec('begin immediate')
  // Asked again behind the lock: another process may have come first.
  defineFunctions(database)
  for (const step of migrations.slice(version())) database.exec(step)
  database.exec(`pragma user_version = ${migrations.length}; commit`)
}
