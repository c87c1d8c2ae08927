import { openTokenBuckets } from '../../../auth/token-bucket.ts'
import {
  authorisationsPerStep,
  customerPerSecond,
  sessionCalls,
  sessionPerSecond,
  sessionsPerDay,
  type TrafficLimit,
  thirdPartyPerSecond,
  totalPerSecond,
} from '../../../contract/traffic-limits.ts'
import { limitError } from '../../cds/errors.ts'
import type { Access } from '../access.ts'
import { openLimitKeys } from '../limit-keys.ts'
import type { ConsentStore } from '../store.ts'

/** How many customers, third parties and sessions have a bucket. */
const keysMax = 100_000

/** How long the number of active consents is used. */
const countMinutes = 10

const wholePlatform = ''

interface Rate {
  readonly limit: TrafficLimit
  readonly buckets: ReturnType<typeof openTokenBuckets>
  readonly key: string
}

export interface TrafficLimitOptions {
  readonly store: ConsentStore
  readonly clock: () => Temporal.Instant
  /** In which days begin. */
  readonly timeZone: string
  /** A monotonic clock. */
  readonly seconds?: (() => number) | undefined
}

/**
 * Returns a function that counts a request with a valid token, and throws if it is over a limit. Limits per second are
 * those of this process; the counts of sessions and their calls are those of the database.
 */
export async function openTrafficLimits({ store, clock, timeZone, seconds }: TrafficLimitOptions) {
  const makeKey = await openLimitKeys(store)
  const openRate = (perSecond: number) =>
    openTokenBuckets(perSecond, 1 / perSecond, keysMax, seconds)
  const customers = openRate(customerPerSecond)
  const thirdParties = openRate(thirdPartyPerSecond)
  const sessions = openRate(sessionPerSecond)
  const readTotal = await openTotal(store, clock, openRate)
  const readDay = openDays(clock, timeZone)

  /** Without waiting, so that concurrent requests cannot pass together. */
  const countRates = ({ arrangement, session }: Access, isPresent: boolean): void => {
    const { customerId, thirdPartyId } = arrangement
    const rates: readonly Rate[] = [
      { limit: 'total_per_second', buckets: readTotal(), key: wholePlatform },
      // The standards state it for each kind of traffic.
      {
        limit: 'third_party_per_second',
        buckets: thirdParties,
        key: `${isPresent} ${thirdPartyId}`,
      },
      isPresent
        ? { limit: 'customer_per_second', buckets: customers, key: customerId }
        : { limit: 'session_per_second', buckets: sessions, key: session.key },
    ]
    for (const { limit, buckets, key } of rates) {
      const waitSeconds = buckets.retryAfter(key)
      if (waitSeconds > 0) throw limitError(limit, waitSeconds)
    }
    for (const { buckets, key } of rates) buckets.take(key)
  }

  const countSession = async ({ arrangement, session }: Access): Promise<void> => {
    const { customerId, thirdPartyId } = arrangement
    const now = clock()
    const day = readDay(now)
    const full = await store.sessions.countCall(
      { key: makeKey('session', session.key), max: sessionCalls, ends: session.ends },
      {
        key: makeKey('sessions', day.name, thirdPartyId, customerId),
        max: sessionsPerDay,
        ends: day.ends,
      },
      now,
    )
    if (full === undefined) return
    const [limit, ends]: [TrafficLimit, Temporal.Instant] =
      full === 'calls' ? ['session_calls', session.ends] : ['sessions_per_day', day.ends]
    throw limitError(limit, ends.since(now).total('seconds'))
  }

  return async (access: Access, isPresent: boolean): Promise<void> => {
    countRates(access, isPresent)
    if (!isPresent) await countSession(access)
  }
}

/** The bucket of all requests. It is replaced when the number of active consents reaches another step. */
async function openTotal(
  { arrangements }: ConsentStore,
  clock: () => Temporal.Instant,
  openRate: (perSecond: number) => ReturnType<typeof openTokenBuckets>,
) {
  const { first, step, last } = totalPerSecond
  const activeMax = ((last - first) / step) * authorisationsPerStep + 1
  let perSecond = 0
  let buckets = openRate(last)
  let countedAt = clock()
  const count = async (): Promise<void> => {
    countedAt = clock()
    const active = await arrangements.countActive(activeMax, countedAt)
    const next = limitTotal(active)
    if (next !== perSecond) buckets = openRate(next)
    perSecond = next
  }
  await count()
  return () => {
    // Without the database, the last count stays.
    if (clock().since(countedAt).total('minutes') >= countMinutes) void count().catch(() => {})
    return buckets
  }
}

/** The requests per second that are admitted in total with so many active consents. */
export function limitTotal(active: number): number {
  const steps = Math.max(0, Math.ceil(active / authorisationsPerStep) - 1)
  return Math.min(totalPerSecond.last, totalPerSecond.first + totalPerSecond.step * steps)
}

/** The calendar day of a time, by which sessions are counted. */
function openDays(clock: () => Temporal.Instant, timeZone: string) {
  const read = (now: Temporal.Instant) => {
    const date = now.toZonedDateTimeISO(timeZone).toPlainDate()
    const start = date.toZonedDateTime(timeZone).toInstant()
    const ends = date.add({ days: 1 }).toZonedDateTime(timeZone).toInstant()
    return { name: date.toString(), start, ends }
  }
  let day = read(clock())
  return (now: Temporal.Instant) => {
    const isWithin =
      Temporal.Instant.compare(now, day.start) >= 0 && Temporal.Instant.compare(now, day.ends) < 0
    if (!isWithin) day = read(now)
    return day
  }
}
