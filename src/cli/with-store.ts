import { databaseOptions } from '../server/database-options.ts'
import type { Terminal } from '../server/terminal.ts'
import type { SettingName } from '../settings/settings.ts'
import type { DatabaseOptions } from '../storage/database.ts'
import { prepareDatabase } from './database.ts'
import { settingsOf } from './settings-command.ts'

type Storage = typeof import('../storage/open.ts')

/** The flags of a command, and whether it creates a database that does not exist. */
export type StoreFlags = Partial<Record<SettingName, string>> & { readonly create?: boolean }

/** Opens a store of the platform's for one piece of work. */
export async function withStore<Store extends { close(): Promise<void> }>(
  { create = false, ...given }: StoreFlags,
  terminal: Terminal,
  open: (storage: Storage, database: string, options: DatabaseOptions) => Promise<Store>,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const settings = settingsOf('platform', given, terminal)
  await prepareDatabase(settings, create, terminal)
  const storage = await import('../storage/open.ts')
  const store = await open(storage, settings.database, databaseOptions(settings))
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
