import { historyMonthsDefault, invoiceMonthsDefault } from '../../contract/index.ts'
import type { CheckContext } from '../context.ts'
import { type Check, type Choice, endpoint } from '../definition.ts'
import { fail, type Passed, skip } from '../outcome.ts'
import { compareRecords, type Fields, type PagedList, readLink } from '../paged-list.ts'
import { readList, requirePage } from '../read-list.ts'
import { formatStatus, isRejection } from '../responses.ts'
import {
  addMonths,
  clockTolerance,
  formatBound,
  isUnambiguousDay,
  parseInstant,
  readNow,
  smallestStep,
} from '../times.ts'
import {
  checkWindow,
  chooseWindow,
  compareWindow,
  listTimes,
  readWindowedList,
  type WindowedList,
} from '../windowed-list.ts'

async function checkOldest(context: CheckContext, ref: string): Promise<Passed> {
  const one = await readWindowedList(context, ref)
  const { from } = chooseWindow(one)
  const far = addMonths(readNow(one.list), historyMonthsDefault)
  await checkWindow(context, one, { from, to: far })
  await checkWindow(context, one, { from: from + smallestStep(one.list), to: far })
  return reportDate(one)
}

async function checkNewest(context: CheckContext, ref: string): Promise<Passed> {
  const one = await readWindowedList(context, ref)
  const step = smallestStep(one.list)
  const { from: record, to } = chooseWindow(one)
  // Before a record: another check tests whether the lower bound is inclusive.
  const from = record - step
  await checkWindow(context, one, { from, to })
  await checkWindow(context, one, { from, to: to - step })
  return reportDate(one)
}

/** Chooses `newest` so that the default of `oldest` is the time of a record, and then one step later. */
async function checkDefaultOldest(context: CheckContext, ref: string): Promise<Passed> {
  const one = await readWindowedList(context, ref)
  const months = defaultMonths(one.list)
  const times = listTimes(one).filter((time) => isUnambiguousDay(one.list, time))
  // Not the oldest one: there must be a record to exclude.
  const time = times.toReversed().find((each) => each !== listTimes(one).at(-1))
  if (time === undefined) return skip('no record is old enough')
  const to = addMonths(time, months)
  await checkWindow(context, one, { to }, { from: time, to })
  await checkWindow(
    context,
    one,
    { to: to + smallestStep(one.list) },
    { from: time + smallestStep(one.list), to: to + smallestStep(one.list) },
  )
  return reportDate(one)
}

/** Without bounds, the window ends now. Records close to its ends are ignored: clocks may differ. */
async function checkDefaultNewest(context: CheckContext, ref: string): Promise<Passed> {
  const one = await readWindowedList(context, ref)
  const { list, subject, whole, timeOf } = one
  const now = readNow(list)
  const months = defaultMonths(one.list)
  const start = addMonths(now, -months)
  const tolerance = clockTolerance(list)
  const isNear = (time: bigint, end: bigint) => time > end - tolerance && time < end + tolerance
  const isClear = (record: Fields) => {
    const time = timeOf(record)
    return time !== undefined && !isNear(time, now) && !isNear(time, start)
  }
  const isInside = (record: Fields) => {
    const time = timeOf(record) ?? 0n
    return time > start && time < now
  }
  const future = whole.records.filter((record) => isClear(record) && (timeOf(record) ?? 0n) > now)
  const past = whole.records.filter((record) => isClear(record) && (timeOf(record) ?? 0n) < start)
  if (future.length === 0 && past.length === 0) skip('all records are in the default window')
  const found = await readList(context, subject)
  const expected = whole.records.filter((record) => isClear(record) && isInside(record))
  const difference = compareRecords(list, expected, found.records.filter(isClear))
  if (difference === undefined)
    return { seen: `${future.length} records are in the future, ${past.length} are older` }
  return fail(`${ref} without bounds: ${difference}`, {
    expected: `the records of the last ${months} months up to now`,
    evidence: found.responses.slice(0, 1),
  })
}

/**
 * On a leap day, twelve months before is another day in the calendar of the offset than in UTC. The links show which: few
 * lists have a record on that day.
 */
async function checkLeapDay(context: CheckContext, ref: string): Promise<Passed> {
  const one = await readWindowedList(context, ref)
  const year = findLeapYear(one) ?? skip('no record is in the months before a leap day')
  const query = { [one.newest]: `${year}-02-29T05:00:00+11:00` }
  const response = await requirePage(context, one.subject, query)
  const link = new URLSearchParams(readLink(response, 'first')?.replace(/^\?/, ''))
  const oldest = link.get(one.oldest) ?? skip('its links do not state the lower bound')
  return {
    seen: `from ${oldest} to ${query[one.newest]}`,
    isHoldfastChoice: parseInstant(oldest) === parseInstant(`${year - 1}-02-28T05:00:00+11:00`),
    evidence: [response],
  }
}

/** A leap year with a record in the second half of the year before. */
function findLeapYear(one: WindowedList): number | undefined {
  for (const time of listTimes(one)) {
    const { month, year } = Temporal.Instant.fromEpochNanoseconds(time).toZonedDateTimeISO('UTC')
    const next = new Temporal.PlainDate(year + 1, 1, 1)
    if (month > 6 && next.inLeapYear) return next.year
  }
  return undefined
}

/** The same times with another offset. */
async function checkOffset(context: CheckContext, ref: string): Promise<Passed> {
  const one = await readWindowedList(context, ref)
  const { from, to } = chooseWindow(one)
  const { difference, must } = await compareWindow(context, one, { from, to })
  if (difference !== undefined) return skip('the window is already wrong without an offset')
  const shifted = (time: bigint) =>
    Temporal.Instant.fromEpochNanoseconds(time).toString({ timeZone: '+10:00' })
  const query = { [one.oldest]: shifted(from), [one.newest]: shifted(to) }
  const found = await readList(context, one.subject, query)
  const timed = found.records.filter((record) => one.timeOf(record) !== undefined)
  const shiftedDifference = compareRecords(one.list, must, timed)
  if (shiftedDifference === undefined) return {}
  return fail(`${ref} with ${new URLSearchParams(query)}: ${shiftedDifference}`, {
    expected: 'the records for the same times in UTC',
    evidence: found.responses.slice(0, 1),
  })
}

/** The bounds in the wrong order. */
async function checkInverted(context: CheckContext, ref: string): Promise<Passed> {
  const one = await readWindowedList(context, ref)
  const { from, to } = chooseWindow(one)
  const query = {
    [one.oldest]: formatBound(one.list, to),
    [one.newest]: formatBound(one.list, from),
  }
  const response = await context.request(one.list.operation, { ...one.subject.input, query })
  const found = await (response.isSuccess ? readList(context, one.subject, query) : { records: [] })
  const records = found.records.filter((record) => one.timeOf(record) !== undefined)
  const { isSuccess, status } = response
  if (!(isSuccess || isRejection(response)) || records.length > 0) {
    fail(
      `${ref}: a lower bound after the upper bound returned ${formatStatus(response)} with ${records.length} records`,
      { expected: 'an empty list, or a rejection', evidence: [response] },
    )
  }
  const seen = isSuccess ? 'an empty list' : `rejected with ${status}`
  return { seen, isHoldfastChoice: isSuccess, evidence: [response] }
}

function defaultMonths({ bounds }: PagedList): number {
  return bounds === 'date' ? invoiceMonthsDefault : historyMonthsDefault
}

function reportDate({ list, dateField }: WindowedList): Passed {
  return list.bounds === 'date' ? { seen: `the effective date is ${dateField}` } : {}
}

const newestTime = 'newest-time (effective time at or before; default current date-time)'
const billing = {
  oldest: 'oldest-time (effective time at or after; default newest-time minus 12 months)',
  newest: newestTime,
}

/** The clauses of the lists with time bounds. */
const windowQuotes = {
  B3: {
    oldest:
      'a lower date-time bound (effective time at or after; default newest-time minus 12 months)',
    newest: newestTime,
  },
  E3: {
    oldest:
      'the lower bound (effective date at or after) defaults to the upper bound minus 24 months',
    newest: 'the upper bound (effective date at or before) defaults to the current date',
  },
  E4: billing,
  E5: billing,
} as const

interface WindowCheck {
  readonly id: string
  readonly bound: 'oldest' | 'newest'
  readonly title: string
  /** The lists that the check applies to; all if absent. */
  readonly refs?: readonly (keyof typeof windowQuotes)[]
  readonly choice?: Choice
  readonly run: (context: CheckContext, ref: string) => Promise<Passed>
}

const windowChecks: readonly WindowCheck[] = [
  {
    id: 'oldest',
    bound: 'oldest',
    title: 'The lower bound is applied and inclusive',
    run: checkOldest,
  },
  {
    id: 'newest',
    bound: 'newest',
    title: 'The upper bound is applied and inclusive',
    run: checkNewest,
  },
  {
    id: 'default-oldest',
    bound: 'oldest',
    title: 'Without a lower bound, the window has the default length',
    run: checkDefaultOldest,
  },
  {
    id: 'default',
    bound: 'newest',
    title: 'Without bounds, the window ends now',
    run: checkDefaultNewest,
  },
  {
    id: 'inverted',
    bound: 'oldest',
    title: 'A window that ends before it starts is empty',
    choice: { ofHoldfast: 'an empty list', decision: '0004-parameter-names' },
    run: checkInverted,
  },
  {
    id: 'offset',
    bound: 'newest',
    title: 'Bounds may have any offset',
    // The bounds of E3 are dates, which have no offset.
    refs: ['B3', 'E4', 'E5'],
    run: checkOffset,
  },
  {
    id: 'leap-day',
    bound: 'oldest',
    title: 'The calendar of the default window on a leap day is reported',
    refs: ['B3'],
    choice: {
      ofHoldfast: 'from 28 February of the year before, in the calendar of the offset',
      decision: '0007-calendar-months',
    },
    run: checkLeapDay,
  },
]

const zoneHint =
  'Billing times have no offset. If the provider interprets them in a time zone other than UTC, pass --time-zone.'

export const windows: readonly Check[] = (
  Object.keys(windowQuotes) as (keyof typeof windowQuotes)[]
).flatMap((ref) =>
  windowChecks
    .filter(({ refs }) => !refs || refs.includes(ref))
    .map(({ id, bound, title, choice, run }) => ({
      id: `windows.${ref}.${id}`,
      title: `${ref}: ${title[0]?.toLowerCase()}${title.slice(1)}`,
      ...(choice && { choice }),
      clause: endpoint(ref, windowQuotes[ref][bound]),
      ...(ref.startsWith('E') && ref !== 'E3' && { hint: zoneHint }),
      run: (context: CheckContext) => run(context, ref),
    })),
)
