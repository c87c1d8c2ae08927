import type { DatabaseOptions } from '../storage/database.ts'
import { databaseOptions } from './database.ts'
import type { SettingName } from './settings.ts'
import { settingsOf } from './settings-command.ts'
import type { Terminal } from './terminal.ts'

type Storage = typeof import('../storage/open.ts')

/** Opens a store of the platform's for one piece of work. */
export async function withStore<Store extends { close(): Promise<void> }>(
  given: Partial<Record<SettingName, string>>,
  terminal: Terminal,
  open: (storage: Storage, database: string, options: DatabaseOptions) => Promise<Store>,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const settings = settingsOf('platform', given, terminal)
  const storage = await import('../storage/open.ts')
  const store = await open(storage, settings.database, databaseOptions(settings))
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
