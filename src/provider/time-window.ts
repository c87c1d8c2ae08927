import { epochNanoseconds } from '../contract/date-time.ts'
import { historyMonthsDefault, invoiceMonthsDefault } from '../contract/index.ts'
import type { TimeWindow } from './store.ts'

/** The requested or default bounds, as text for links and as numbers for the store. */
interface ResolvedWindow {
  readonly oldest: string
  readonly newest: string
  readonly window: TimeWindow
}

interface RequestedBounds {
  readonly oldest?: string | undefined
  readonly newest?: string | undefined
}

/**
 * B3: instants. The default of 12 calendar months is counted in local time: with the offset of the given upper bound, or
 * in the provider's time zone if the window ends now.
 */
export function resolveInstantWindow(
  requested: RequestedBounds,
  now: Temporal.Instant,
  timeZone: string,
): ResolvedWindow {
  if (requested.oldest !== undefined || requested.newest !== undefined)
    return resolveInstants(requested, now, timeZone)
  if (lastDefault?.now !== now || lastDefault.timeZone !== timeZone) {
    lastDefault = { now, timeZone, resolved: resolveInstants(requested, now, timeZone) }
  }
  return lastDefault.resolved
}

interface DefaultWindow {
  readonly now: Temporal.Instant
  readonly timeZone: string
  readonly resolved: ResolvedWindow
}

/** The default window, cached for requests at the same instant. */
let lastDefault: DefaultWindow | undefined

function resolveInstants(
  requested: RequestedBounds,
  now: Temporal.Instant,
  timeZone: string,
): ResolvedWindow {
  const end =
    requested.newest === undefined ? now.epochNanoseconds : epochNanoseconds(requested.newest)
  const startDefault = () =>
    requested.newest === undefined
      ? monthsBeforeInZone(end, timeZone)
      : monthsBefore(end, parseOffset(requested.newest))
  const start = requested.oldest === undefined ? startDefault() : epochNanoseconds(requested.oldest)
  return {
    oldest: requested.oldest ?? instantText(start),
    newest: requested.newest ?? instantText(end),
    window: { oldest: start, newest: end },
  }
}

/** E4, E5: the same bounds, compared with local times in this time zone. */
export function resolveWallClockWindow(
  requested: RequestedBounds,
  now: Temporal.Instant,
  timeZone: string,
): ResolvedWindow {
  const { oldest, newest } = resolveInstantWindow(requested, now, timeZone)
  return {
    oldest,
    newest,
    window: {
      // Directly after the newest bound of a window that ends 1 ns earlier: adjacent windows neither overlap nor leave a gap.
      oldest: lastLocalTime(epochNanoseconds(oldest) - 1n, timeZone) + 1n,
      newest: lastLocalTime(epochNanoseconds(newest), timeZone),
    },
  }
}

/** E3: dates. Today is the date in the provider's time zone. */
export function resolveDateWindow(
  requested: RequestedBounds,
  now: Temporal.Instant,
  timeZone: string,
): ResolvedWindow {
  const newest = requested.newest ?? now.toZonedDateTimeISO(timeZone).toPlainDate().toString()
  const oldest =
    requested.oldest ??
    Temporal.PlainDate.from(newest).subtract({ months: invoiceMonthsDefault }).toString()
  return {
    oldest,
    newest,
    window: { oldest: parseEpochDay(oldest), newest: parseEpochDay(newest) },
  }
}

export function parseLocalTime(text: string): bigint {
  return localNanoseconds(Temporal.PlainDateTime.from(text))
}

export function parseEpochDay(text: string): bigint {
  return BigInt(Temporal.PlainDate.from(text).since('1970-01-01').days)
}

/** The inverse functions of the three units of a window. */

export function toInstant(nanoseconds: bigint): Temporal.Instant {
  return Temporal.Instant.fromEpochNanoseconds(nanoseconds)
}

export function toLocalTime(nanoseconds: bigint): Temporal.PlainDateTime {
  return toInstant(nanoseconds).toZonedDateTimeISO('UTC').toPlainDateTime()
}

export function toPlainDate(day: bigint): Temporal.PlainDate {
  return toLocalTime(day * dayNanoseconds).toPlainDate()
}

/** For whole milliseconds, `Date` formats the same text ten times faster than `Temporal`, which omits final zeros. */
function instantText(nanoseconds: bigint): string {
  const milliseconds = Number(nanoseconds / 1_000_000n)
  const isExact = nanoseconds % 1_000_000n === 0n && milliseconds > 0
  return isExact && milliseconds < yearTenThousand
    ? new Date(milliseconds).toISOString().replace(/\.?0+Z$/, 'Z')
    : Temporal.Instant.fromEpochNanoseconds(nanoseconds).toString()
}

/** From here on, `Date` formats years with more than four digits. */
const yearTenThousand = Date.UTC(10_000, 0)

const dayNanoseconds = 86_400_000_000_000n

/** The length of the default history, cached for the local day: calendar arithmetic is slow. */
let lastHistory = { day: 0n, nanoseconds: 0n }

/** Calendar months before an instant, on a clock that is this many nanoseconds ahead of UTC. */
function monthsBefore(newest: bigint, offset: bigint): bigint {
  const local = newest + offset
  const day = local / dayNanoseconds
  if (day !== lastHistory.day || day <= 0n) {
    const end = Temporal.Instant.fromEpochNanoseconds(local).toZonedDateTimeISO('UTC')
    const start = end.subtract({ months: historyMonthsDefault })
    lastHistory = { day, nanoseconds: local - start.epochNanoseconds }
  }
  return newest - lastHistory.nanoseconds
}

/** Calendar months before an instant, on the clocks of a time zone, whose offset may differ at the two times. */
function monthsBeforeInZone(newest: bigint, timeZone: string): bigint {
  const { offset } = findPeriod(newest, timeZone)
  const approximate = monthsBefore(newest, offset)
  const period = findPeriod(approximate, timeZone)
  const isClear =
    approximate - dayNanoseconds > period.start && approximate + dayNanoseconds < period.end
  if (isClear) return approximate + offset - period.offset
  // Near a transition, a local time may exist twice or not at all.
  return Temporal.Instant.fromEpochNanoseconds(newest)
    .toZonedDateTimeISO(timeZone)
    .subtract({ months: historyMonthsDefault }).epochNanoseconds
}

/** The offset at the end of an RFC 3339 date-time, in nanoseconds. */
function parseOffset(text: string): bigint {
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? []
  if (hours === undefined || minutes === undefined) return 0n
  const nanoseconds = (BigInt(hours) * 60n + BigInt(minutes)) * minuteNanoseconds
  return sign === '-' ? -nanoseconds : nanoseconds
}

const minuteNanoseconds = 60_000_000_000n

/** The time between two transitions of a time zone, in nanoseconds. */
interface ZonePeriod {
  readonly timeZone: string
  readonly start: bigint
  /** Exclusive. */
  readonly end: bigint
  /** Ahead of UTC. */
  readonly offset: bigint
  /** The last local time before the period. */
  readonly before: bigint
}

/** The most recently computed periods: a time zone lookup is a hundred times slower. */
const periods: ZonePeriod[] = []
const periodsMax = 16

/**
 * The last local time that is at or before an instant. A local time in the hour that repeats when the clock is set back is
 * read as its first occurrence, so all of that hour is before the second occurrence.
 */
function lastLocalTime(nanoseconds: bigint, timeZone: string): bigint {
  const { offset, before } = findPeriod(nanoseconds, timeZone)
  const local = nanoseconds + offset
  return local > before ? local : before
}

function findPeriod(nanoseconds: bigint, timeZone: string): ZonePeriod {
  const known = periods.find(
    (period) =>
      period.timeZone === timeZone && period.start <= nanoseconds && nanoseconds < period.end,
  )
  if (known) return known
  const zoned = Temporal.Instant.fromEpochNanoseconds(nanoseconds).toZonedDateTimeISO(timeZone)
  const start = zoned.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const period: ZonePeriod = {
    timeZone,
    start: start?.epochNanoseconds ?? -unboundedNanoseconds,
    end: zoned.getTimeZoneTransition('next')?.epochNanoseconds ?? unboundedNanoseconds,
    offset: BigInt(zoned.offsetNanoseconds),
    before: start
      ? localNanoseconds(start.subtract({ nanoseconds: 1 }).toPlainDateTime())
      : -unboundedNanoseconds,
  }
  periods.unshift(period)
  if (periods.length > periodsMax) periods.pop()
  return period
}

/** Outside the range of Temporal. */
const unboundedNanoseconds = 10n ** 22n

function localNanoseconds(time: Temporal.PlainDateTime): bigint {
  return time.toZonedDateTime('UTC').epochNanoseconds
}
