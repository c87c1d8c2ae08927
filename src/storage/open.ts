import { resolve } from 'node:path'
import type { ClientStore } from '../auth/client-store.ts'
import type { ReplayStore } from '../auth/replay-store.ts'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import type { CatalogueStore } from '../catalogue/store.ts'
import type { DumpedItem, ProviderWriter, WriterOptions } from '../load/writer.ts'
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

/** Either engine is loaded when a database of it is opened, and not before. Only `createDatabase` creates one. */

/** Creates the database, unless it exists, and brings it to the newest version. */
export async function createDatabase(
  database: string,
  options: DatabaseOptions = {},
): Promise<void> {
  if (isPostgres(database)) {
    const { createPostgresSchema } = await import('./postgres/driver/pool.ts')
    return createPostgresSchema(database, options)
  }
  const sqlite = await import('./sqlite/driver/open.ts')
  sqlite.createDatabase(sqlitePath(database))
}

/** Begins an empty replay file in place of one that is lost. PostgreSQL keeps used tokens in the database itself. */
export async function replaceReplayFile(database: string): Promise<void> {
  if (isPostgres(database)) return
  const replayFile = await import('./sqlite/replay/replay-file.ts')
  replayFile.replaceReplayFile(sqlitePath(database))
}

/** Copies a SQLite database and its replay file to another place, while it is in use. Returns the files written. */
export async function backupDatabase(
  database: string,
  target: string,
  options: BackupOptions,
): Promise<string[]> {
  const { backupSqlite } = await import('./sqlite/driver/backup.ts')
  return backupSqlite(sqlitePath(database), resolve(target), options)
}

/** The files of a database that users other than their owner have rights to. */
export async function looseFilesOf(database: string): Promise<string[]> {
  if (isPostgres(database)) return []
  const { looseFiles, replayPathOf, withCompanions } = await import('./sqlite/driver/files.ts')
  const path = sqlitePath(database)
  return looseFiles([path, replayPathOf(path)].flatMap(withCompanions))
}

/** Watches the files of a database from now on: its data, and for a provider also its replay file. */
export async function openFileWatch(
  database: string,
  role: 'provider' | 'platform',
  onChange?: (paths: readonly string[]) => void,
): Promise<FileWatch> {
  if (isPostgres(database)) return { isIntact: () => true, close() {} }
  const { openSqliteFileWatch } = await import('./sqlite/driver/file-watch.ts')
  return openSqliteFileWatch(sqlitePath(database), role, onChange)
}

export async function openProviderStore(
  database: string,
  options: DatabaseOptions = {},
): Promise<ProviderStore> {
  if (isPostgres(database)) {
    const { openPostgresProviderStore } = await import('./postgres/reads/provider-store.ts')
    return openPostgresProviderStore(database, options)
  }
  const { openSqliteProviderStore } = await import('./sqlite/reads/provider-store.ts')
  return openSqliteProviderStore(sqlitePath(database))
}

export async function openProviderWriter(
  database: string,
  writing: WriterOptions,
  options: DatabaseOptions = {},
): Promise<ProviderWriter> {
  if (isPostgres(database)) {
    const { openPostgresProviderWriter } = await import('./postgres/loads/provider-writer.ts')
    return openPostgresProviderWriter(database, writing, options)
  }
  const { openSqliteProviderWriter } = await import('./sqlite/loads/provider-writer.ts')
  return openSqliteProviderWriter(sqlitePath(database), writing)
}

export async function openReplayStore(
  database: string,
  clock: () => Temporal.Instant,
  options: DatabaseOptions & ReplayOptions = {},
): Promise<ReplayStore> {
  if (isPostgres(database)) {
    const { openPostgresReplayStore: openPostgresClaimStore } = await import(
      './postgres/replay/replay-store.ts'
    )
    return openPostgresClaimStore(database, clock, options)
  }
  const { pairReplayFile } = await import('./sqlite/replay/replay-file.ts')
  const { openSqliteReplayStore: openSqliteClaimStore } = await import(
    './sqlite/replay/replay-store.ts'
  )
  const { path, close } = pairReplayFile(sqlitePath(database))
  const store = openSqliteClaimStore(path, clock, options)
  return {
    ...store,
    async close() {
      close()
      await store.close()
    },
  }
}

export async function openSigningKeyStore(
  database: string,
  options: DatabaseOptions = {},
): Promise<SigningKeyStore> {
  if (isPostgres(database)) {
    const { openPostgresSigningKeyStore } = await import('./postgres/platform/signing-key-store.ts')
    return openPostgresSigningKeyStore(database, options)
  }
  const { openSqliteSigningKeyStore } = await import('./sqlite/platform/signing-key-store.ts')
  return openSqliteSigningKeyStore(sqlitePath(database))
}

export async function openCatalogueStore(
  database: string,
  options: DatabaseOptions = {},
): Promise<CatalogueStore> {
  if (isPostgres(database)) {
    const { openPostgresCatalogueStore } = await import('./postgres/platform/catalogue-store.ts')
    return openPostgresCatalogueStore(database, options)
  }
  const { openSqliteCatalogueStore } = await import('./sqlite/platform/catalogue-store.ts')
  return openSqliteCatalogueStore(sqlitePath(database))
}

export async function openClientStore(
  database: string,
  options: DatabaseOptions = {},
): Promise<ClientStore> {
  if (isPostgres(database)) {
    const { openPostgresClientStore } = await import('./postgres/platform/client-store.ts')
    return openPostgresClientStore(database, options)
  }
  const { openSqliteClientStore } = await import('./sqlite/platform/client-store.ts')
  return openSqliteClientStore(sqlitePath(database))
}

export async function openDatabaseProbe(
  database: string,
  use: ProbeUse,
  options: DatabaseOptions = {},
): Promise<DatabaseProbe> {
  if (isPostgres(database)) {
    const { openPostgresProbe } = await import('./postgres/driver/probe.ts')
    return openPostgresProbe(database, options, use)
  }
  const { openSqliteProbe } = await import('./sqlite/driver/probe.ts')
  return openSqliteProbe(sqlitePath(database), use)
}

export async function* dumpProvider(
  database: string,
  options: DatabaseOptions = {},
): AsyncGenerator<DumpedItem> {
  if (isPostgres(database)) {
    const { dumpPostgres } = await import('./postgres/reads/dump.ts')
    yield* dumpPostgres(database, options)
  } else {
    const { dumpSqlite } = await import('./sqlite/reads/dump.ts')
    yield* dumpSqlite(sqlitePath(database))
  }
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database)
}

function sqlitePath(database: string): string {
  if (!database.startsWith('sqlite:')) {
    throw new DatabaseError('a database is sqlite:FILE or postgres://USER@HOST/NAME')
  }
  return resolve(database.slice('sqlite:'.length))
}
