import { openPurgeClock } from '../auth/purge-clock.ts'
import type { PlannedOutage } from '../contract/cds/outages.ts'
import { openAvailability } from '../platform/usage/availability.ts'
import { type Calendar, openCalendar } from '../platform/usage/calendar.ts'
import { type CallCounts, openCallCounts } from '../platform/usage/call-counts.ts'
import type { UsageStore } from '../platform/usage/store.ts'
import { openUsageStore } from '../storage/open.ts'
import { databaseOptions } from './database-options.ts'
import type { Settings } from './settings/settings.ts'
import { openSteadyClock } from './steady-clock.ts'
import type { Telemetry } from './telemetry.ts'

/** How often the availability is counted: minutes of which the counts are kept are read again. */
const availabilityMs = 10 * 60_000

export interface Usage {
  readonly store: UsageStore
  readonly callCounts: CallCounts
  readonly calendar: Calendar
  readonly updateAvailability: () => Promise<void>
  close(): Promise<void>
}

interface UsageOptions {
  readonly listOutages?: (() => readonly PlannedOutage[]) | undefined
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs?: (() => number) | undefined
}

/** Opens the counts of calls. */
export async function openUsage(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  { log }: Pick<Telemetry, 'log'>,
  wallClock: () => Temporal.Instant,
  { listOutages = () => [], monotonicMs }: UsageOptions = {},
): Promise<Usage> {
  const clock = openSteadyClock(wallClock, monotonicMs)
  const purgeSeconds = openPurgeClock(wallClock, { monotonicMs })
  const store = await openUsageStore(settings.database, databaseOptions(settings))
  const calendar = openCalendar(settings.timeZone ?? 'UTC')
  const onError = (error: Error) => log.warn({ err: error }, 'usage not recorded')
  const callCounts = openCallCounts({ store, clock, purgeSeconds, calendar, onError })
  const updateAvailability = openAvailability({ store, calendar, clock, listOutages })
  const timer = setInterval(() => updateAvailability().catch(onError), availabilityMs)
  timer.unref()
  return {
    ...{ store, callCounts, calendar, updateAvailability },
    async close() {
      clearInterval(timer)
      await callCounts.close()
      await store.close()
    },
  }
}
