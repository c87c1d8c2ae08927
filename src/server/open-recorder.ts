import { findNewestKey, type SigningKeyStore } from '../auth/signing-key-store.ts'
import { ContractError } from '../contract/index.ts'
import type { AnswerRecord, DisclosureRecord, ProviderRecord } from '../disclosures/record.ts'
import { openRecorder, type Recorder, type RecorderOptions } from '../disclosures/recorder.ts'
import { openExpiry, removeExpired } from '../disclosures/retention.ts'
import type { RecordStore } from '../disclosures/store.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import { clock } from './clock.ts'
import { databaseOptions } from './database-options.ts'
import type { ConsentSettings } from './open-consent.ts'
import { logReplayEvents } from './replay-log.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'

type Log = Pick<Telemetry, 'log' | 'metrics'>

/** How often old records are removed. */
const removalMs = 3_600_000

/** Records the answers to third parties, and removes old records. */
export function openPlatformRecorder(
  { recordYears }: ConsentSettings,
  telemetry: Log,
  { disclosureRecords: store, corrections }: ConsentStore,
  signingKeys: SigningKeyStore,
  clock: () => Temporal.Instant,
): Recorder<DisclosureRecord> {
  const parts = { store, signingKeys, clock, recordYears }
  return openLoggedRecorder(parts, telemetry, corrections.remove)
}

/** Records the answers to platforms, and removes old records. The replay store must be open. */
export async function openProviderRecorder(
  settings: Pick<Settings, 'database' | 'recordYears'> & Partial<Settings>,
  { log, metrics }: Log,
): Promise<Recorder<ProviderRecord>> {
  const { openProviderRecords } = await import('../storage/open.ts')
  const { makeSigningKey } = await import('../auth/signing.ts')
  const options = { ...databaseOptions(settings), ...logReplayEvents(log) }
  const { store, signingKeys, close } = await openProviderRecords(settings.database, {
    ...options,
    onPool: metrics?.watchPool,
  })
  try {
    // Of several processes that start together, each may add one: the newest signs, and all of them verify.
    if (!(await findNewestKey(signingKeys)))
      await signingKeys.add(await makeSigningKey('ES256', clock()))
  } catch (error) {
    await close()
    throw error
  }
  const { appendWithUses } = store
  const parts = { store, signingKeys, clock, appendWithUses, recordYears: settings.recordYears }
  const recorder = openLoggedRecorder<ProviderRecord>(parts, { log, metrics })
  return {
    ...recorder,
    async close() {
      await recorder.close()
      await close()
    },
  }
}

type Parts<Kind extends AnswerRecord> = Pick<
  RecorderOptions<Kind>,
  'signingKeys' | 'clock' | 'appendWithUses'
> &
  Pick<Settings, 'recordYears'> & { readonly store: RecordStore<Kind> }

/** A recorder that logs and counts. It also removes what is older than the records are kept. */
function openLoggedRecorder<Kind extends AnswerRecord>(
  { recordYears: years, ...parts }: Parts<Kind>,
  { log, metrics }: Log,
  removeOthers: (before: Temporal.Instant) => Promise<void> = async () => {},
): Recorder<Kind> {
  const { store, clock } = parts
  const onError = (error: Error): void => {
    const { cause } = error
    const isOutage = cause instanceof ContractError && cause.code === 'unavailable'
    log[isOutage ? 'warn' : 'error']({ err: error }, 'records of disclosures failed')
  }
  const recorder = openRecorder({
    ...parts,
    onHead: ({ chain, number, hash }, statement) => {
      log.info({ chain, block: number, hash, statement }, 'records of disclosures signed')
      metrics?.setRecordHead(chain, number, hash)
    },
    onRecords: (count) => metrics?.countRecords(count),
    onError,
  })
  const readExpiry = openExpiry(clock, years)
  const timer = setInterval(() => {
    const before = readExpiry()
    const removals = [removeExpired(store, recorder, before), removeOthers(before)]
    Promise.all(removals).catch((cause: unknown) => {
      onError(new Error('old records could not be removed', { cause }))
    })
  }, removalMs)
  timer.unref()
  return {
    ...recorder,
    close() {
      clearInterval(timer)
      return recorder.close()
    },
  }
}
