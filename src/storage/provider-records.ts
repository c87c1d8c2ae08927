import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import type { ProviderRecordStore } from '../disclosures/store.ts'

/** The records of a provider, and the keys that it signs them with. */
export interface ProviderRecords {
  readonly store: ProviderRecordStore
  readonly signingKeys: Omit<SigningKeyStore, 'close'>
  close(): Promise<void>
}
