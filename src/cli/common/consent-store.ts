import type { ConsentStore } from '../../platform/consent/store.ts'
import type { Terminal } from '../../server/terminal.ts'
import { type StoreFlags, withStore } from './database.ts'

/** Opens the store of consents and third parties, calls `work` with it and closes it. */
export function withConsents(
  flags: StoreFlags,
  terminal: Terminal,
  work: (store: ConsentStore) => Promise<void>,
): Promise<void> {
  return withStore(flags, terminal, (storage, ...args) => storage.openConsentStore(...args), work)
}
