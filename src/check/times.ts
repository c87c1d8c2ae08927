import { type Fields, type PagedList, readPath } from './paged-list.ts'

const secondNanoseconds = 1_000_000_000n
const dayNanoseconds = 86_400n * secondNanoseconds

/**
 * The effective time of a record in nanoseconds; a date is its start in UTC. Undefined if the record does not state it:
 * the provider then chose a time that its responses do not show.
 */
export function readEffectiveTime(
  { ref, record: { time } }: PagedList,
  record: Fields,
  timeZone: string,
  dateField = 'issueDate',
): bigint | undefined {
  switch (time) {
    case 'instant':
      return parseInstant(record['postingDateTime'] ?? record['executionDateTime'])
    case 'date':
      return attempt(
        readPath(record, dateField),
        (it) => Temporal.PlainDate.from(it).toZonedDateTime('UTC').epochNanoseconds,
      )
    case 'local':
      return parseLocalTime(record['executionDateTime'], timeZone)
    default:
      throw new TypeError(`${ref}: its records have no effective time`)
  }
}

/** The dates of an invoice that its effective date may refer to. */
export const invoiceDates = ['issueDate', 'dueDate', 'period.endDate', 'period.startDate'] as const

export function parseInstant(text: unknown): bigint | undefined {
  return attempt(text, (it) => Temporal.Instant.from(it).epochNanoseconds)
}

function parseLocalTime(text: unknown, timeZone: string): bigint | undefined {
  return attempt(
    text,
    (it) => Temporal.PlainDateTime.from(it).toZonedDateTime(timeZone).epochNanoseconds,
  )
}

function attempt(text: unknown, parse: (text: string) => bigint): bigint | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** An effective time as a bound of a query: a date-time, or a date. */
export function formatBound({ bounds }: PagedList, time: bigint): string {
  const utc = toUtc(time)
  return (bounds === 'date' ? utc.toPlainDate() : utc.toInstant()).toString()
}

export function addMonths(time: bigint, months: number): bigint {
  return toUtc(time).add({ months }).epochNanoseconds
}

/** The current time, or the start of the current day for lists by date. */
export function readNow({ bounds }: PagedList): bigint {
  const now = BigInt(Date.now()) * 1_000_000n
  return bounds === 'date' ? now - (now % dayNanoseconds) : now
}

/** The smallest step of a bound: a second, or a day. */
export function smallestStep({ bounds }: PagedList): bigint {
  return bounds === 'date' ? dayNanoseconds : secondNanoseconds
}

/** Records this close to a bound that depends on the clock are ignored: the provider's clock and day may differ. */
export function clockTolerance({ bounds }: PagedList): bigint {
  return bounds === 'date' ? 2n * dayNanoseconds : dayNanoseconds
}

/**
 * Whether "so many months earlier" has one meaning: not at the end of a month, and not in months in which clocks may
 * change at different dates in two years.
 */
export function isUnambiguousDay({ bounds }: PagedList, time: bigint): boolean {
  const { day, month } = toUtc(time)
  return day <= 28 && (bounds === 'date' || ![3, 4, 9, 10, 11].includes(month))
}

function toUtc(time: bigint): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochNanoseconds(time).toZonedDateTimeISO('UTC')
}
