import { type Fields, type PagedList, readPath } from './paged-list.ts'

const dayNanoseconds = 86_400_000_000_000n

/**
 * The effective time of a record as a comparable number: nanoseconds, or days for lists by date. Undefined if the record
 * does not state it: the provider then chose a time that its responses do not show.
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
      return parseDay(readPath(record, dateField))
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

function parseDay(text: unknown): bigint | undefined {
  return attempt(text, (it) => {
    const date = Temporal.PlainDate.from(it).toZonedDateTime('UTC')
    return date.epochNanoseconds / dayNanoseconds
  })
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
  if (bounds !== 'date') return Temporal.Instant.fromEpochNanoseconds(time).toString()
  return toDate(time).toString()
}

export function addMonths({ bounds }: PagedList, time: bigint, months: number): bigint {
  if (bounds === 'date') {
    const date = toDate(time).add({ months }).toZonedDateTime('UTC')
    return date.epochNanoseconds / dayNanoseconds
  }
  const later = Temporal.Instant.fromEpochNanoseconds(time).toZonedDateTimeISO('UTC')
  return later.add({ months }).epochNanoseconds
}

export function readNow({ bounds }: PagedList): bigint {
  const now = BigInt(Date.now()) * 1_000_000n
  return bounds === 'date' ? now / dayNanoseconds : now
}

/** The smallest step of a bound: a second, or a day. */
export function smallestStep({ bounds }: PagedList): bigint {
  return bounds === 'date' ? 1n : 1_000_000_000n
}

/** Records this close to a bound that depends on the clock are ignored: the provider's clock and day may differ. */
export function clockTolerance({ bounds }: PagedList): bigint {
  return bounds === 'date' ? 2n : dayNanoseconds
}

/**
 * Whether "so many months earlier" has one meaning: not at the end of a month, and not in months in which clocks may
 * change at different dates in two years.
 */
export function isUnambiguousDay({ bounds }: PagedList, time: bigint): boolean {
  const date =
    bounds === 'date'
      ? toDate(time)
      : Temporal.Instant.fromEpochNanoseconds(time).toZonedDateTimeISO('UTC').toPlainDate()
  if (date.day > 28) return false
  return bounds === 'date' || ![3, 4, 9, 10, 11].includes(date.month)
}

function toDate(day: bigint): Temporal.PlainDate {
  return new Temporal.PlainDate(1970, 1, 1).add({ days: Number(day) })
}
