import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { DatabaseError, newerDatabase } from '../../database.ts'
import { cannotOpen, isBusy } from './errors.ts'
import { createPrivateFile } from './files.ts'
import { defineFunctions, migrations } from './schema.ts'

/** How long a statement waits for another process, in milliseconds. */
const busyTimeoutMs = 5000

const walRetryMs = 20

const reading = 'pragma query_only = on; pragma cache_size = -16384; pragma mmap_size = 268435456'

/** What a connection is for. SQLite waits by holding up the whole process, so one that serves does not wait. */
const uses = {
  serve: `${reading}; pragma busy_timeout = 0`,
  read: reading,
  write: 'pragma cache_size = -32768',
}

/** Creates the database, unless it exists, and brings it to the newest version. */
export function createDatabase(path: string): void {
  named(path, () => createPrivateFile(path))
  const database = openFile(path, requireOwn)
  try {
    named(path, () => migrate(database))
  } finally {
    database.close()
  }
}

/** Opens a database that exists, and brings it to the newest version first. */
export function openDatabase(path: string, use: keyof typeof uses): DatabaseSync {
  const database = openExisting(path)
  return named(
    path,
    () => {
      migrate(database)
      database.exec(uses[use])
      return database
    },
    () => database.close(),
  )
}

/** Opens a database that exists as it is, whichever version made it. */
export function openExisting(path: string): DatabaseSync {
  const database = openFile(path, requireOwn)
  if (versionOf(database) > 0) return database
  database.close()
  throw missingDatabase(path)
}

/** Connects to a file that exists. With a plain path, SQLite would create one that does not. */
export function connect(path: string, timeout: number): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  return new DatabaseSync(url, { timeout })
}

/** Opens a file that exists. The check may refuse it before anything in it is changed. */
export function openFile(
  path: string,
  check: (database: DatabaseSync) => void = () => {},
): DatabaseSync {
  let database: DatabaseSync | undefined
  return named(
    path,
    () => {
      database = connect(path, busyTimeoutMs)
      check(database)
      useWriteAheadLog(database)
      database.exec('pragma synchronous = full; pragma temp_store = file')
      return database
    },
    () => database?.close(),
  )
}

/** Does the work. A failure becomes one sentence that names the file. */
function named<Result>(path: string, work: () => Result, onFailure = () => {}): Result {
  try {
    return work()
  } catch (error) {
    onFailure()
    if ('errcode' in (error as Error) && !existsSync(path)) throw missingDatabase(path)
    throw cannotOpen(error, path)
  }
}

function missingDatabase(path: string): DatabaseError {
  return new DatabaseError(
    `there is no database at ${path}: check the path, or create it with holdfast load or with --create`,
  )
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

/** Tables that every version has. */
const ownTables = ['customer', 'account', 'holder', 'entry']

/** Refuses the database of another program, which may have a version of its own. What a newer Holdfast has is unknown. */
function requireOwn(database: DatabaseSync): void {
  const rows = database.prepare('select name from sqlite_schema').all()
  if (rows.length === 0 || versionOf(database) > migrations.length) return
  const names = new Set(rows.map(({ name }) => name))
  if (versionOf(database) > 0 && ownTables.every((name) => names.has(name))) return
  throw new DatabaseError('the file is a database of another program: choose another file')
}
