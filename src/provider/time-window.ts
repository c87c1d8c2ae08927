import { epochNanoseconds } from '../contract/date-time.ts'
import { historyMonthsDefault, invoiceMonthsDefault } from '../contract/index.ts'
import type { TimeWindow } from './store.ts'

/** The bounds that a request left open or gave, as texts for its links and as numbers for the store. */
export interface Resolved {
  readonly oldest: string
  readonly newest: string
  readonly window: TimeWindow
}

interface Given {
  readonly oldest?: string | undefined
  readonly newest?: string | undefined
}

/** B3: instants. "Minus 12 months" goes by the calendar, in UTC. */
export function resolveInstantWindow(given: Given, now: Temporal.Instant): Resolved {
  if (given.oldest !== undefined || given.newest !== undefined) return resolved(given, now)
  if (lastOpen?.now !== now) lastOpen = { now, resolved: resolved(given, now) }
  return lastOpen.resolved
}

/** What both bounds left open mean: the same for all who ask at one moment. */
let lastOpen: { readonly now: Temporal.Instant; readonly resolved: Resolved } | undefined

function resolved(given: Given, now: Temporal.Instant): Resolved {
  const end = given.newest === undefined ? now.epochNanoseconds : epochNanoseconds(given.newest)
  const start = given.oldest === undefined ? monthsBefore(end) : epochNanoseconds(given.oldest)
  return {
    oldest: given.oldest ?? instantText(start),
    newest: given.newest ?? instantText(end),
    window: { oldest: start, newest: end },
  }
}

/** E4, E5: the same bounds, compared with times that carry no zone and are read in this one. */
export function resolveWallClockWindow(
  given: Given,
  now: Temporal.Instant,
  timeZone: string,
): Resolved {
  const { oldest, newest } = resolveInstantWindow(given, now)
  return {
    oldest,
    newest,
    window: {
      // Right behind what is at or before the moment before: no time is on both sides, or on neither.
      oldest: lastWallClock(epochNanoseconds(oldest) - 1n, timeZone) + 1n,
      newest: lastWallClock(epochNanoseconds(newest), timeZone),
    },
  }
}

/** E3: dates. Today is the provider's today. */
export function resolveDateWindow(given: Given, now: Temporal.Instant, timeZone: string): Resolved {
  const newest = given.newest ?? now.toZonedDateTimeISO(timeZone).toPlainDate().toString()
  const oldest =
    given.oldest ??
    Temporal.PlainDate.from(newest).subtract({ months: invoiceMonthsDefault }).toString()
  return {
    oldest,
    newest,
    window: { oldest: parseEpochDay(oldest), newest: parseEpochDay(newest) },
  }
}

export function parseLocalTime(text: string): bigint {
  return wallNanoseconds(Temporal.PlainDateTime.from(text))
}

export function parseEpochDay(text: string): bigint {
  return BigInt(Temporal.PlainDate.from(text).since('1970-01-01').days)
}

/** A clock tells milliseconds, and then the older kind of date writes the same at a tenth of the price. */
function instantText(nanoseconds: bigint): string {
  const milliseconds = Number(nanoseconds / 1_000_000n)
  const isPlain = nanoseconds % 1_000_000n === 0n && milliseconds > 0 && milliseconds % 10 !== 0
  return isPlain && milliseconds < plainEnd
    ? new Date(milliseconds).toISOString()
    : Temporal.Instant.fromEpochNanoseconds(nanoseconds).toString()
}

/** From here on years have more than four digits. */
const plainEnd = Date.UTC(10_000, 0)

const dayNanoseconds = 86_400_000_000_000n

/** How long the months before a day are: the same for all of the day, and asked for all day long. */
let lastStep = { day: 0n, nanoseconds: 0n }

function monthsBefore(newest: bigint): bigint {
  const day = newest / dayNanoseconds
  if (day !== lastStep.day || day <= 0n) {
    const end = Temporal.Instant.fromEpochNanoseconds(newest).toZonedDateTimeISO('UTC')
    const start = end.subtract({ months: historyMonthsDefault })
    lastStep = { day, nanoseconds: newest - start.epochNanoseconds }
  }
  return newest - lastStep.nanoseconds
}

/** The time between two turns of a zone's clock, in nanoseconds. */
interface Season {
  readonly timeZone: string
  readonly start: bigint
  /** Outside. */
  readonly end: bigint
  /** How far the wall clock is ahead of UTC. */
  readonly offset: bigint
  /** What the wall clock showed last before the season. */
  readonly before: bigint
}

/** Those that were asked about last. A zone is looked up at a hundred times the price. */
const seasons: Season[] = []
const seasonsMax = 16

/**
 * The last time on the wall clock that is at or before an instant. A time in the hour that the clock goes
 * through twice is read as its first pass, so the second pass has that whole hour before it.
 */
function lastWallClock(nanoseconds: bigint, timeZone: string): bigint {
  const { offset, before } = seasonOf(nanoseconds, timeZone)
  const own = nanoseconds + offset
  return own > before ? own : before
}

function seasonOf(nanoseconds: bigint, timeZone: string): Season {
  const known = seasons.find(
    (season) =>
      season.timeZone === timeZone && season.start <= nanoseconds && nanoseconds < season.end,
  )
  if (known) return known
  const zoned = Temporal.Instant.fromEpochNanoseconds(nanoseconds).toZonedDateTimeISO(timeZone)
  const start = zoned.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  const season: Season = {
    timeZone,
    start: start?.epochNanoseconds ?? -everNanoseconds,
    end: zoned.getTimeZoneTransition('next')?.epochNanoseconds ?? everNanoseconds,
    offset: BigInt(zoned.offsetNanoseconds),
    before: start
      ? wallNanoseconds(start.subtract({ nanoseconds: 1 }).toPlainDateTime())
      : -everNanoseconds,
  }
  seasons.unshift(season)
  if (seasons.length > seasonsMax) seasons.pop()
  return season
}

/** Beyond what any clock shows, and what Temporal can tell. */
const everNanoseconds = 10n ** 22n

function wallNanoseconds(time: Temporal.PlainDateTime): bigint {
  return time.toZonedDateTime('UTC').epochNanoseconds
}
