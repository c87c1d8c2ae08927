import { openUsageRecorder, type UsageRecorder } from '../platform/usage/recorder.ts'
import type { UsageStore } from '../platform/usage/store.ts'
import { openUsageStore } from '../storage/open.ts'
import { databaseOptions } from './database-options.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'

export interface Usage {
  readonly store: UsageStore
  readonly recorder: UsageRecorder
  close(): Promise<void>
}

/** Opens the counts of calls. */
export async function openUsage(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  { log }: Pick<Telemetry, 'log'>,
  clock: () => Temporal.Instant,
): Promise<Usage> {
  const store = await openUsageStore(settings.database, databaseOptions(settings))
  const recorder = openUsageRecorder({
    store,
    clock,
    timeZone: settings.timeZone ?? 'UTC',
    onError: (error) => log.warn({ err: error }, 'usage not recorded'),
  })
  return {
    store,
    recorder,
    async close() {
      await recorder.close()
      await store.close()
    },
  }
}
