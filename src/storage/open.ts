import { resolve } from 'node:path'
import type { ReplayStore } from '../auth/replay-store.ts'
import type { FeedWriter, FeedWriterOptions } from '../intake/feed-writer.ts'
import type { DumpedItem, ProviderWriter, WriterOptions } from '../intake/writer.ts'
import type { ProviderStore } from '../provider/store.ts'
import {
  type BackupOptions,
  DatabaseError,
  type DatabaseOptions,
  type DatabaseProbe,
  type FileWatch,
  type ProbeUse,
  type ReplayOptions,
} from './database.ts'
import type { ProviderRecords } from './provider-records.ts'
import type { Sql } from './sql.ts'

/** The first argument is the address of a database. What a function needs is imported when it is called. */

type Options = [options?: DatabaseOptions]

/**
 * Creates the database unless it exists, and applies the migrations that it lacks. No other function creates one. Returns
 * whether it created a file.
 */
export const createDatabase = onEngine<boolean, Options>(
  async () => {
    const { createDatabase } = await import('./sqlite/driver/open.ts')
    return (path) => createDatabase(path)
  },
  async () => (await import('./postgres/driver/pool.ts')).createPostgresSchema,
)

/** Deletes the file of a database without rows that no other process has open. The tables of PostgreSQL remain. */
export const deleteEmptyDatabase = onEngine<void, []>(
  async () => (await import('./sqlite/driver/open.ts')).deleteEmptyDatabase,
  async () => () => {},
)

/** Fails as the start of a provider does if the replay file is lost or of another database. Changes nothing. */
export const requireUsableReplayFile = onEngine<void, []>(
  async () => (await import('./sqlite/replay/replay-file.ts')).requireUsableReplayFile,
  async () => () => {},
)

/** Replaces a lost replay file by an empty one. PostgreSQL stores used tokens in the database itself. */
export const replaceReplayFile = onEngine<void, []>(
  async () => (await import('./sqlite/replay/replay-file.ts')).replaceReplayFile,
  async () => () => {},
)

/** The database files that users other than their owner can access. */
export const findLooseFiles = onEngine<string[], []>(
  async () => (await import('./sqlite/driver/files.ts')).findLooseFiles,
  async () => () => [],
)

/** Watches the files of the database from now on: the data, and for a provider also the replay file. */
export const openFileWatch = onEngine<
  FileWatch,
  [role: 'provider' | 'platform' | 'intake', onChange?: (paths: readonly string[]) => void]
>(
  async () => (await import('./sqlite/driver/file-watch.ts')).openSqliteFileWatch,
  async () => () => ({ isIntact: () => true, close() {} }),
)

export const openDatabaseProbe = onEngine<DatabaseProbe, [use: ProbeUse, ...Options]>(
  async () => (await import('./sqlite/driver/probe.ts')).openSqliteProbe,
  async () => (await import('./postgres/driver/probe.ts')).openPostgresProbe,
)

export const openProviderStore = onEngine<ProviderStore, Options>(
  async () => (await import('./sqlite/reads/provider-store.ts')).openSqliteProviderStore,
  async () => (await import('./postgres/reads/provider-store.ts')).openPostgresProviderStore,
)

export const openProviderWriter = onEngine<ProviderWriter, [writing: WriterOptions, ...Options]>(
  async () => (await import('./sqlite/loads/provider-writer.ts')).openSqliteProviderWriter,
  async () => (await import('./postgres/loads/provider-writer.ts')).openPostgresProviderWriter,
)

/** A writer on an empty database that is not stored, for a dry run. */
export async function openTemporaryWriter(writing: WriterOptions): Promise<ProviderWriter> {
  const { openTemporaryWriter } = await import('./sqlite/loads/provider-writer.ts')
  return openTemporaryWriter(writing)
}

export const openFeedWriter = onEngine<FeedWriter, [writing: FeedWriterOptions, ...Options]>(
  async () => (await import('./sqlite/feeds/feed-writer.ts')).openSqliteFeedWriter,
  async () => (await import('./postgres/feeds/feed-writer.ts')).openPostgresFeedWriter,
)

export const openReplayStore = onEngine<
  ReplayStore,
  [clock: () => Temporal.Instant, options?: DatabaseOptions & ReplayOptions]
>(
  async () => {
    const { pairReplayFile } = await import('./sqlite/replay/replay-file.ts')
    const { openSqliteReplayStore } = await import('./sqlite/replay/replay-store.ts')
    return (path, clock, options) => {
      const replayFile = pairReplayFile(path)
      const store = openSqliteReplayStore(replayFile.path, clock, options)
      return {
        ...store,
        async close() {
          replayFile.close()
          await store.close()
        },
      }
    }
  },
  async () => (await import('./postgres/replay/replay-store.ts')).openPostgresReplayStore,
)

/** The records of a provider. On SQLite, the database must have a replay file. */
export const openProviderRecords = onEngine<
  ProviderRecords,
  [options?: DatabaseOptions & ReplayOptions]
>(
  async () => (await import('./sqlite/replay/provider-records.ts')).openSqliteProviderRecords,
  async () => (await import('./postgres/replay/provider-records.ts')).openPostgresProviderRecords,
)

/** For the stores that are the same on both engines. */
export const openSql = onEngine<Sql, Options>(
  async () => {
    const { openSqliteSql } = await import('./sqlite/driver/sql.ts')
    return (path, options) => openSqliteSql(path, options)
  },
  async () => (await import('./postgres/driver/sql.ts')).openPostgresSql,
)

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
export const openMarkStore = onSql(
  async () => (await import('./platform/mark-store.ts')).createMarkStore,
)
export const openSigningKeyStore = onSql(
  async () => (await import('./platform/signing-key-store.ts')).createSigningKeyStore,
)
export const openStatusStore = onSql(
  async () => (await import('./platform/status-store.ts')).createStatusStore,
)

export const openUsageStore = onSql(
  async () => (await import('./platform/usage-store.ts')).createUsageStore,
)

export async function* dumpProvider(
  database: string,
  options: DatabaseOptions = {},
): AsyncGenerator<DumpedItem> {
  if (isPostgres(database)) {
    yield* (await import('./postgres/reads/dump.ts')).dumpPostgres(database, options)
  } else {
    yield* (await import('./sqlite/reads/dump.ts')).dumpSqlite(sqlitePath(database))
  }
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

type Open<Result, Rest extends unknown[]> = () => Promise<
  (address: string, ...rest: Rest) => Result | Promise<Result>
>

function onEngine<Result, Rest extends unknown[]>(
  loadSqlite: Open<Result, Rest>,
  loadPostgres: Open<Result, Rest>,
): (database: string, ...rest: Rest) => Promise<Result> {
  return async (database, ...rest) => {
    if (isPostgres(database)) return (await loadPostgres())(database, ...rest)
    const path = sqlitePath(database)
    return (await loadSqlite())(path, ...rest)
  }
}

function onSql<Store>(
  load: () => Promise<(sql: Sql) => Store>,
): (database: string, ...options: Options) => Promise<Store & Pick<Sql, 'close'>> {
  return async (database, options) => {
    const createStore = await load()
    const sql = await openSql(database, options)
    return { ...createStore(sql), close: sql.close }
  }
}

export function sqlitePath(database: string): string {
  if (!database.startsWith('sqlite:')) {
    throw new DatabaseError('a database is sqlite:FILE or postgres://USER@HOST/NAME')
  }
  return resolve(database.slice('sqlite:'.length))
}
