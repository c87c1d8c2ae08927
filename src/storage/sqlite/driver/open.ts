import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { DatabaseError, earlierBuild, MissingDatabase, solutions } from '../../database.ts'
import { findMissing, versionWith } from '../../migrations.ts'
import { cannotOpen, isBusy } from './errors.ts'
import { createPrivateFile } from './files.ts'
import { applicationId, migrations } from './schema.ts'
import { transaction } from './statements.ts'

/** How long a statement waits for another process, in milliseconds. */
const busyTimeoutMs = 5000

const walRetryMs = 20

/** As much as SQLite can map: copying a page out of the file takes longer than reading it. */
const mappedMax = 0x7fff0000

const readPragmas = `pragma query_only = on; pragma cache_size = -16384; pragma mmap_size = ${mappedMax}`

/** Pragmas by the use of a connection. A busy timeout blocks the whole process, so a server does not use one. */
const uses = {
  serve: `${readPragmas}; pragma busy_timeout = 0`,
  read: readPragmas,
  write: 'pragma cache_size = -32768',
}

/** Creates the database unless it exists, and applies the missing migrations. Returns whether it created the file. */
export function createDatabase(path: string, steps: readonly string[] = migrations): boolean {
  const isNew = withPath(path, () => createPrivateFile(path))
  using database = openFile(path, requireOwn)
  withPath(path, () => migrate(database, steps))
  return isNew
}

/** Deletes a database without rows, unless another connection to it is open. */
export function deleteEmptyDatabase(path: string): void {
  try {
    using database = connect(path, 0)
    // The database leaves its mode only if this connection is the only one, and then stays locked.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = delete')
    if (hasRows(database)) useWriteAheadLog(database)
    else rmSync(path)
  } catch {
    // An empty database remains.
  }
}

function hasRows(database: DatabaseSync): boolean {
  const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
  return tables.some(({ name }) => database.prepare(`select 1 from "${name}" limit 1`).get())
}

/** An empty database without a name, which ends with the connection. What exceeds the cache is in a deleted file. */
export function openTemporaryDatabase(): DatabaseSync {
  const database = new DatabaseSync('')
  migrate(database, migrations)
  database.exec(uses.write)
  return database
}

/** Opens an existing database and applies the missing migrations. */
export function openDatabase(path: string, use: keyof typeof uses): DatabaseSync {
  const database = openExisting(path)
  return withPath(
    path,
    () => {
      migrate(database, migrations)
      database.exec(uses[use])
      return database
    },
    () => database.close(),
  )
}

/** Opens an existing file that has the tables of this version, or none. */
export function openReady(path: string, use: keyof typeof uses): DatabaseSync {
  const database = openFile(path)
  database.exec(uses[use])
  return database
}

/** Opens an existing database of any version without a migration. */
export function openExisting(path: string): DatabaseSync {
  return openFile(path, (database) => {
    requireOwn(database)
    if (schemaVersion(database) === 0) throw missingDatabase(path)
  })
}

/** Connects to an existing file. With a plain path, SQLite would create a missing file. */
export function connect(path: string, timeout: number): DatabaseSync {
  const url = pathToFileURL(path)
  url.searchParams.set('mode', 'rw')
  return new DatabaseSync(url, { timeout })
}

/** Opens an existing file. The check may reject it before anything is changed. */
export function openFile(
  path: string,
  check: (database: DatabaseSync) => void = () => {},
): DatabaseSync {
  let database: DatabaseSync | undefined
  return withPath(
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

/** Converts a failure of the work to an error that names the file. */
export function withPath<Result>(path: string, work: () => Result, onFailure = () => {}): Result {
  try {
    return work()
  } catch (error) {
    onFailure()
    if ('errcode' in (error as Error) && !existsSync(path)) throw missingDatabase(path)
    throw cannotOpen(error, path)
  }
}

function missingDatabase(path: string): MissingDatabase {
  return new MissingDatabase(
    `database not found at ${path}: check the path, or create it with ${solutions.create}`,
  )
}

/** For a new file, this needs an exclusive lock, for which SQLite does not wait. */
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

/** 0 if the database has no tables. */
export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.['user_version'])
}

/** Whether the database has all migrations of this version, and perhaps those of a newer one. */
export function isMigrated(database: DatabaseSync): boolean {
  return schemaVersion(database) >= versionWith(migrations)
}

function migrate(database: DatabaseSync, steps: readonly string[]): void {
  if (findMissing(steps, schemaVersion(database)).length === 0) return

  // The version is read again under the lock: another process may have migrated the database meanwhile.
  transaction(database, () => {
    for (const sql of findMissing(steps, schemaVersion(database))) database.exec(sql)
    database.exec(`pragma user_version = ${versionWith(steps)}`)
  })
}

/** Tables of every earlier build, which did not set an application id. */
const earlierTables = ['customer', 'account', 'holder', 'entry']

/** Rejects the database of another program, which may use `user_version` too. */
function requireOwn(database: DatabaseSync): void {
  if (isOfKind(database, applicationId)) return
  const names = new Set(listTables(database))
  const hasNoId = readApplicationId(database) === 0
  if (hasNoId && earlierTables.every((name) => names.has(name))) throw earlierBuild()
  throw foreignFile()
}

/** Whether a file has the application id, or is empty. */
export function isOfKind(database: DatabaseSync, id: number): boolean {
  // The tables first: another process may create them together with the id at this moment.
  const isEmpty = listTables(database).length === 0
  const actual = readApplicationId(database)
  return actual === id || (isEmpty && actual === 0)
}

function listTables(database: DatabaseSync): string[] {
  return database
    .prepare('select name from sqlite_schema')
    .all()
    .map(({ name }) => String(name))
}

function readApplicationId(database: DatabaseSync): number {
  return Number(database.prepare('pragma application_id').get()?.['application_id'])
}

export function foreignFile(): DatabaseError {
  return new DatabaseError('the file is a database of another program: choose another file')
}
