import type { PlannedOutage } from '../../contract/cds/outages.ts'
import type { Calendar } from './calendar.ts'
import { type MinuteCount, type UsageStore, usageSpans } from './store.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

/** Hours without a process are counted afterwards if they are not longer ago. */
const hoursBackMax = 62 * 24

interface AvailabilityOptions {
  readonly store: UsageStore
  readonly calendar: Calendar
  readonly clock: () => Temporal.Instant
  readonly listOutages: () => readonly PlannedOutage[]
}

/**
 * Returns a function that counts the available minutes of the hours since it was last called, and of the one before:
 * counts of other processes may have arrived late. It may be called in several processes. Calls at once share one count,
 * which takes seconds after an outage of weeks.
 */
export function openAvailability({ store, calendar, clock, listOutages }: AvailabilityOptions) {
  const update = async (): Promise<void> => {
    const now = clock().epochMilliseconds
    const end = now - (now % minuteMs)
    // Later ones were counted while the clock was ahead. They are counted again.
    const { firstMinute, firstHour, lastHour } = await store.readBounds(end)
    if (firstMinute === undefined) return
    // Hours of which minutes are not kept any more are not counted again.
    const kept = calendar.nextHour(end - usageSpans.minute.retentionHours * hourMs)
    const begin =
      lastHour === undefined
        ? calendar.startOfHour(firstMinute)
        : Math.max(calendar.startOfHour(lastHour - 1), Math.min(kept, calendar.nextHour(lastHour)))
    let hour = Math.max(
      begin,
      firstHour ?? begin,
      calendar.startOfHour(end - hoursBackMax * hourMs),
    )
    while (hour < end) {
      const next = calendar.nextHour(hour)
      const isFirst = firstHour === undefined || hour === firstHour
      const from = isFirst ? Math.max(hour, firstMinute) : hour
      const counts = new Map(
        (await store.readMinutes({ start: from, end: Math.min(next, end) })).map((each) => [
          each.start,
          each,
        ]),
      )
      const sums = { minutes: 0, available: 0, authenticated: 0, unauthenticated: 0 }
      for (let minute = from; minute < Math.min(next, end); minute += minuteMs) {
        if (isPlanned(minute, listOutages())) continue
        const { authenticated, unauthenticated } = readAvailable(counts.get(minute))
        sums.minutes += 1
        sums.available += Number(authenticated && unauthenticated)
        sums.authenticated += Number(authenticated)
        sums.unauthenticated += Number(unauthenticated)
      }
      const day = calendar.readDay(hour)
      await store.putAvailability(hour, { ...day, end: Math.min(day.end, end) }, sums)
      hour = next
    }
  }
  let updating: Promise<void> | undefined
  return (): Promise<void> => {
    updating ??= update().finally(() => {
      updating = undefined
    })
    return updating
  }
}

/** Whether a minute is in a planned outage. */
export function isPlanned(minute: number, outages: readonly PlannedOutage[]): boolean {
  const start = BigInt(minute) * 1_000_000n
  return outages.some((outage) => outage.start <= start && start < outage.end)
}

/** In a minute without a process, nothing is available. Otherwise, what has not failed for most calls is. */
export function readAvailable(count: MinuteCount | undefined) {
  const isUp = (calls: number, failed: number) => failed * 2 <= calls
  return {
    authenticated: count !== undefined && isUp(count.authenticated, count.failedAuthenticated),
    unauthenticated:
      count !== undefined && isUp(count.unauthenticated, count.failedUnauthenticated),
  }
}
