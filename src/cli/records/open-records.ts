import { type Command, Option } from 'commander'
import type { SigningKeyStore } from '../../auth/signing-key-store.ts'
import type { AnswerRecord, DisclosureRecord, ProviderRecord } from '../../disclosures/record.ts'
import type { DisclosureRecordStore } from '../../disclosures/store.ts'
import type { Terminal } from '../../server/terminal.ts'
import { type StoreFlags, withStore } from '../common/database.ts'

export interface RecordFlags extends StoreFlags {
  readonly of: Side
}

/** Whose records they are. */
export const sides = ['platform', 'provider'] as const
export type Side = (typeof sides)[number]

/** A record of either side, with the fields that it may have. */
export type AnyRecord = AnswerRecord &
  Partial<Omit<DisclosureRecord, keyof AnswerRecord>> &
  Partial<Omit<ProviderRecord, keyof AnswerRecord>>

export interface Records {
  readonly store: Pick<DisclosureRecordStore, 'list' | 'walk' | 'find'>
  readonly signingKeys: Pick<SigningKeyStore, 'list'>
}

export function addSideOption(command: Command): Command {
  return command.addOption(
    new Option('--of <side>', 'the records of the platform, or those of a provider or a guard')
      .choices(sides)
      .default('platform'),
  )
}

/** Calls `work` with the records of a side. */
export async function withRecords<Result>(
  flags: RecordFlags,
  terminal: Terminal,
  work: (records: Records) => Promise<Result>,
): Promise<Result> {
  if (flags.of === 'provider') return withStore('openProviderRecords', flags, terminal, work)
  return withStore('openSigningKeyStore', flags, terminal, (signingKeys) =>
    withStore('openConsentStore', flags, terminal, ({ disclosureRecords: store }) =>
      work({ store, signingKeys }),
    ),
  )
}
