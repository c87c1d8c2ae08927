import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import { ContractError } from '../contract/index.ts'
import { openRecorder, type Recorder } from '../disclosures/recorder.ts'
import { removeExpired } from '../disclosures/retention.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import type { ConsentSettings } from './open-consent.ts'
import type { Telemetry } from './telemetry.ts'

/** How often old records are removed. */
const removalMs = 3_600_000

/** Records the answers to third parties, and removes old records. */
export function openPlatformRecorder(
  { recordYears: years }: ConsentSettings,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
  { disclosureRecords: store, corrections }: ConsentStore,
  signingKeys: SigningKeyStore,
  clock: () => Temporal.Instant,
): Recorder {
  const onError = (error: Error): void => {
    const { cause } = error
    const isOutage = cause instanceof ContractError && cause.code === 'unavailable'
    log[isOutage ? 'warn' : 'error']({ err: error }, 'records of disclosures failed')
  }
  const recorder = openRecorder({
    store,
    signingKeys,
    clock,
    onHead: ({ chain, number, hash }, statement) => {
      log.info({ chain, block: number, hash, statement }, 'records of disclosures signed')
      metrics?.setRecordHead(chain, number, hash)
    },
    onRecords: (count) => metrics?.countRecords(count),
    onError,
  })
  const timer = setInterval(() => {
    const before = clock().toZonedDateTimeISO('UTC').subtract({ years }).toInstant()
    const removals = [removeExpired(store, recorder, before), corrections.remove(before)]
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
