import type { Fields, PagedList } from './lists.ts'

const dayNanoseconds = 86_400_000_000_000n

/**
 * When a record took effect, as a number that compares: nanoseconds, for invoices days. Undefined where
 * the record does not say: the data holder then chose a time that is not shown.
 */
export function effectiveOf(
  { ref }: PagedList,
  record: Fields,
  timeZone: string,
  dateField = 'issueDate',
): bigint | undefined {
  switch (ref) {
    case 'B3':
      return instantOf(record['postingDateTime'] ?? record['executionDateTime'])
    case 'E3':
      return dayOf(dateIn(record, dateField))
    default:
      return wallClockOf(record['executionDateTime'], timeZone)
  }
}

/** The dates of an invoice that could be meant by its effective date. */
export const invoiceDates = ['issueDate', 'dueDate', 'period.endDate', 'period.startDate'] as const

function dateIn(record: Fields, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], record)
}

function instantOf(text: unknown): bigint | undefined {
  return attempt(text, (it) => Temporal.Instant.from(it).epochNanoseconds)
}

function dayOf(text: unknown): bigint | undefined {
  return attempt(text, (it) => {
    const date = Temporal.PlainDate.from(it).toZonedDateTime('UTC')
    return date.epochNanoseconds / dayNanoseconds
  })
}

function wallClockOf(text: unknown, timeZone: string): bigint | undefined {
  return attempt(
    text,
    (it) => Temporal.PlainDateTime.from(it).toZonedDateTime(timeZone).epochNanoseconds,
  )
}

function attempt(text: unknown, read: (text: string) => bigint): bigint | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return read(text)
  } catch {
    return undefined
  }
}

/** An effective time as a bound of a query: a date-time, or for invoices a date. */
export function boundText({ ref }: PagedList, time: bigint): string {
  if (ref !== 'E3') return Temporal.Instant.fromEpochNanoseconds(time).toString()
  return dateOfDay(time).toString()
}

export function monthsAfter({ ref }: PagedList, time: bigint, months: number): bigint {
  if (ref === 'E3') {
    const date = dateOfDay(time).add({ months }).toZonedDateTime('UTC')
    return date.epochNanoseconds / dayNanoseconds
  }
  const later = Temporal.Instant.fromEpochNanoseconds(time).toZonedDateTimeISO('UTC')
  return later.add({ months }).epochNanoseconds
}

export function nowOf({ ref }: PagedList): bigint {
  const now = BigInt(Date.now()) * 1_000_000n
  return ref === 'E3' ? now / dayNanoseconds : now
}

/** The smallest step: a second, or a day. */
export function stepOf({ ref }: PagedList): bigint {
  return ref === 'E3' ? 1n : 1_000_000_000n
}

/** How near to now a record is not judged by the clock: the provider's may differ, and its day too. */
export function blurOf({ ref }: PagedList): bigint {
  return ref === 'E3' ? 2n : dayNanoseconds
}

/**
 * Whether "so many months before" means one thing only: not at the end of a month, and not where clocks
 * may be put forward or back a week apart in two years.
 */
export function isPlainDay({ ref }: PagedList, time: bigint): boolean {
  const date =
    ref === 'E3'
      ? dateOfDay(time)
      : Temporal.Instant.fromEpochNanoseconds(time).toZonedDateTimeISO('UTC').toPlainDate()
  if (date.day > 28) return false
  return ref === 'E3' || ![3, 4, 9, 10, 11].includes(date.month)
}

function dateOfDay(day: bigint): Temporal.PlainDate {
  return new Temporal.PlainDate(1970, 1, 1).add({ days: Number(day) })
}
