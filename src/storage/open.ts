import { resolve } from 'node:path'
import type { DumpedItem } from '../intake/writer.ts'
import { type BackupOptions, DatabaseError, type DatabaseOptions } from './database.ts'
import type { Engine } from './engine.ts'
import type { Sql } from './sql.ts'

/** The functions of an `Engine`, each with the address of the database as its first argument. */

export const createDatabase = onEngine((engine) => engine.createDatabase)
export const replaceReplayFile = onEngine((engine) => engine.replaceReplayFile)
export const findLooseFiles = onEngine((engine) => engine.findLooseFiles)
export const openFileWatch = onEngine((engine) => engine.openFileWatch)
export const openDatabaseProbe = onEngine((engine) => engine.openDatabaseProbe)
export const openProviderStore = onEngine((engine) => engine.openProviderStore)
export const openProviderWriter = onEngine((engine) => engine.openProviderWriter)
export const openFeedWriter = onEngine((engine) => engine.openFeedWriter)
export const openReplayStore = onEngine((engine) => engine.openReplayStore)

export const openSql = onEngine((engine) => engine.openSql)

/** These stores are the same on both engines. */

export const openCatalogueStore = onSql(
  async () => (await import('./platform/catalogue-store.ts')).createCatalogueStore,
)
export const openCheckRunStore = onSql(
  async () => (await import('./platform/check-run-store.ts')).createCheckRunStore,
)
export const openClientStore = onSql(
  async () => (await import('./platform/client-store.ts')).createClientStore,
)
export const openConsentStore = onSql(
  async () => (await import('./platform/consent/consent-store.ts')).createConsentStore,
)
export const openFeedStore = onSql(
  async () => (await import('./platform/feed-store.ts')).createFeedStore,
)
export const openSigningKeyStore = onSql(
  async () => (await import('./platform/signing-key-store.ts')).createSigningKeyStore,
)
export const openStatusStore = onSql(
  async () => (await import('./platform/status-store.ts')).createStatusStore,
)

export async function* dumpProvider(
  database: string,
  options?: DatabaseOptions,
): AsyncGenerator<DumpedItem> {
  yield* (await loadEngine(database)).dumpProvider(options)
}

/** Copies a SQLite database and its replay file while they are in use. Returns the paths of the copies. */
export async function backupDatabase(
  database: string,
  target: string,
  options: BackupOptions,
): Promise<string[]> {
  const { backupSqlite } = await import('./sqlite/driver/backup.ts')
  return backupSqlite(sqlitePath(database), resolve(target), options)
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database)
}

function onEngine<Rest extends unknown[], Result>(
  select: (engine: Engine) => (...rest: Rest) => Promise<Result>,
): (database: string, ...rest: Rest) => Promise<Result> {
  return async (database, ...rest) => select(await loadEngine(database))(...rest)
}

function onSql<Store>(
  load: () => Promise<(sql: Sql) => Store>,
): (database: string, options?: DatabaseOptions) => Promise<Store> {
  return async (database, options) => {
    const createStore = await load()
    return createStore(await openSql(database, options))
  }
}

async function loadEngine(database: string): Promise<Engine> {
  if (isPostgres(database)) {
    const { postgresEngine } = await import('./postgres/engine.ts')
    return postgresEngine(database)
  }
  const { sqliteEngine } = await import('./sqlite/engine.ts')
  return sqliteEngine(sqlitePath(database))
}

/** The path of a SQLite database. */
export function sqlitePath(database: string): string {
  if (!database.startsWith('sqlite:')) {
    throw new DatabaseError('a database is sqlite:FILE or postgres://USER@HOST/NAME')
  }
  return resolve(database.slice('sqlite:'.length))
}
