import type { SigningKeyStore } from '../catalogue/signing-keys.ts'
import type { ClaimStore } from '../provider/claims.ts'
import type { ProviderStore } from '../provider/store.ts'
import type { DumpedItem, ProviderWriter, WriterOptions } from '../provider/writer.ts'
import { DatabaseError } from './database.ts'
import { openSqliteClaimStore } from './sqlite/claim-store.ts'
import { dumpSqlite } from './sqlite/dump.ts'
import { openSqliteProviderStore } from './sqlite/provider-store.ts'
import { openSqliteProviderWriter } from './sqlite/provider-writer.ts'
import { openSqliteSigningKeyStore } from './sqlite/signing-key-store.ts'

export function openProviderStore(database: string): ProviderStore {
  return openSqliteProviderStore(sqlitePath(database))
}

export function openProviderWriter(database: string, options: WriterOptions): ProviderWriter {
  return openSqliteProviderWriter(sqlitePath(database), options)
}

export function openClaimStore(database: string, clock: () => Temporal.Instant): ClaimStore {
  return openSqliteClaimStore(`${sqlitePath(database)}-claims`, clock)
}

export function openSigningKeyStore(database: string): SigningKeyStore {
  return openSqliteSigningKeyStore(sqlitePath(database))
}

export function dumpProvider(database: string): Iterable<DumpedItem> {
  return dumpSqlite(sqlitePath(database))
}

function sqlitePath(database: string): string {
  if (!database.startsWith('sqlite:')) {
    throw new DatabaseError('only sqlite:FILE can be opened yet')
  }
  return database.slice('sqlite:'.length)
}
