import { settingsOf } from './settings-command.ts'
import type { Terminal } from './terminal.ts'

type Storage = typeof import('../storage/open.ts')

/** Opens a store of the platform's for one piece of work. */
export async function withStore<Store extends { close(): Promise<void> }>(
  { database: given }: { readonly database?: string },
  terminal: Terminal,
  open: (storage: Storage, database: string) => Store,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const { database } = settingsOf('platform', given ? { database: given } : {}, terminal)
  const store = open(await import('../storage/open.ts'), database)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
