import { historyMonthsDefault, invoiceMonthsDefault } from '../../contract/index.ts'
import { differenceOf } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, endpoint } from '../definition.ts'
import {
  type Fields,
  keyOf,
  type PagedList,
  type Subject,
  type Walk,
  walk,
  wholeWalk,
} from '../lists.ts'
import { fail, type Passed, skip } from '../outcome.ts'
import { nameHint, nameOf } from '../parameters.ts'
import {
  blurOf,
  boundText,
  effectiveOf,
  invoiceDates,
  isPlainDay,
  monthsAfter,
  nowOf,
  stepOf,
} from '../times.ts'
import { requireList } from './order.ts'

interface Timed {
  readonly list: PagedList
  readonly subject: Subject
  readonly whole: Walk
  /** The names of the bounds. */
  readonly oldest: string
  readonly newest: string
  readonly timeOf: (record: Fields) => bigint | undefined
  /** Which date of an invoice counts. */
  readonly dateField: string
}

interface Window {
  readonly from?: bigint
  readonly to?: bigint
}

async function timed(world: CheckContext, ref: string): Promise<Timed> {
  const list = requireList(world, ref)
  const { subject, whole } = await wholeWalk(world, list, { recordsMin: 2 })
  const unit = ref === 'E3' ? 'date' : 'time'
  const name = (parameter: string) => nameOf(world.options.parameters, ref, parameter)
  const one = {
    list,
    subject,
    whole,
    oldest: name(`oldest-${unit}`),
    newest: name(`newest-${unit}`),
  }
  const made = (dateField: string): Timed => ({
    ...one,
    dateField,
    timeOf: (record) => effectiveOf(list, record, world.options.timeZone, dateField),
  })
  return ref === 'E3' ? made(await effectiveDate(world, made)) : made('')
}

/** The interface does not say which date of an invoice takes effect: the one that its bounds go by. */
function effectiveDate(world: CheckContext, made: (dateField: string) => Timed): Promise<string> {
  return world.once('effective date of invoices', async () => {
    const [first] = invoiceDates
    for (const field of invoiceDates) {
      const one = made(field)
      const middle = timesOf(one)[Math.floor(timesOf(one).length / 2)]
      if (middle === undefined) continue
      const { difference } = await compare(world, one, { from: middle, to: middle })
      if (difference === undefined) return field
    }
    return first
  })
}

/** All moments that records have, newest first, each once. */
function timesOf({ whole, timeOf }: Timed): bigint[] {
  const times = whole.records.map(timeOf).filter((time) => time !== undefined)
  return [...new Set(times)].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
}

/** Asks for a window and compares with the walk. Records that show no time may be in it or not. */
async function compare(
  world: CheckContext,
  one: Timed,
  { from, to }: Window,
  expected: Window = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
) {
  const { list, subject, whole, timeOf } = one
  const query = {
    ...(from !== undefined && { [one.oldest]: boundText(list, from) }),
    ...(to !== undefined && { [one.newest]: boundText(list, to) }),
  }
  const found = await walk(world, subject, query)
  const inside = (record: Fields) => {
    const time = timeOf(record)
    if (time === undefined) return undefined
    return time >= (expected.from ?? time) && time <= (expected.to ?? time)
  }
  const must = whole.records.filter((record) => inside(record) === true)
  const found2 = found.records.filter((record) => inside(record) !== undefined)
  const keys = (records: readonly Fields[]) => records.map((record) => keyOf(list, record))
  return { difference: differenceOf(keys(must), keys(found2)), query, found, must }
}

async function judge(
  world: CheckContext,
  one: Timed,
  window: Window,
  expected: Window = window,
): Promise<void> {
  const { difference, query, found, must } = await compare(world, one, window, expected)
  if (difference === undefined) return
  const { list, whole, oldest, newest } = one
  const hints = [nameHint(list.ref, oldest), nameHint(list.ref, newest)].filter(Boolean)
  const hint = found.records.length === whole.records.length ? hints[0] : undefined
  fail(`${list.ref} with ${new URLSearchParams(query).toString() || 'no bounds'}: ${difference}`, {
    expected: `the ${must.length} records ${textOf(list, expected)}, bounds included`,
    evidence: found.answers.slice(0, 1),
    ...(hint && { hint }),
  })
}

function textOf(list: PagedList, { from, to }: Window): string {
  return [
    from === undefined ? '' : `from ${boundText(list, from)}`,
    to === undefined ? '' : `to ${boundText(list, to)}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Two moments inside the list, the older first. */
function within(one: Timed): { from: bigint; to: bigint } {
  const times = timesOf(one)
  const to = times[Math.floor(times.length / 3)]
  const from = times[Math.floor((2 * times.length) / 3)]
  if (times.length < 4 || from === undefined || to === undefined)
    return skip('the records have too few different times')
  return { from, to }
}

async function judgeOldest(world: CheckContext, ref: string): Promise<Passed> {
  const one = await timed(world, ref)
  const { from } = within(one)
  const far = monthsAfter(one.list, nowOf(one.list), historyMonthsDefault)
  await judge(world, one, { from, to: far })
  await judge(world, one, { from: from + stepOf(one.list), to: far })
  return seenOf(one)
}

async function judgeNewest(world: CheckContext, ref: string): Promise<Passed> {
  const one = await timed(world, ref)
  const step = stepOf(one.list)
  const { from: record, to } = within(one)
  // Right before a record: whether the lower bound itself counts is for another check.
  const from = record - step
  await judge(world, one, { from, to })
  await judge(world, one, { from, to: to - step })
  return seenOf(one)
}

/** `newest` so that the default of `oldest` falls right on a record, and then right behind it. */
async function judgeDefaultOldest(world: CheckContext, ref: string): Promise<Passed> {
  const one = await timed(world, ref)
  const months = ref === 'E3' ? invoiceMonthsDefault : historyMonthsDefault
  const times = timesOf(one).filter((time) => isPlainDay(one.list, time))
  // Not the oldest of all: behind it there is something to be left out.
  const time = times.toReversed().find((each) => each !== timesOf(one).at(-1))
  if (time === undefined) return skip('no record is old enough to tell')
  const to = monthsAfter(one.list, time, months)
  await judge(world, one, { to }, { from: time, to })
  await judge(
    world,
    one,
    { to: to + stepOf(one.list) },
    { from: time + stepOf(one.list), to: to + stepOf(one.list) },
  )
  return seenOf(one)
}

/** Without bounds: up to now, and back from there. Records near either end are left to the clocks. */
async function judgeDefaultNewest(world: CheckContext, ref: string): Promise<Passed> {
  const one = await timed(world, ref)
  const { list, subject, whole, timeOf } = one
  const now = nowOf(list)
  const months = ref === 'E3' ? invoiceMonthsDefault : historyMonthsDefault
  const start = monthsAfter(list, now, -months)
  const blur = blurOf(list)
  const isNear = (time: bigint, end: bigint) => time > end - blur && time < end + blur
  const sure = (record: Fields) => {
    const time = timeOf(record)
    return time !== undefined && !isNear(time, now) && !isNear(time, start)
  }
  const isInside = (record: Fields) => {
    const time = timeOf(record) ?? 0n
    return time > start && time < now
  }
  const future = whole.records.filter((record) => sure(record) && (timeOf(record) ?? 0n) > now)
  const past = whole.records.filter((record) => sure(record) && (timeOf(record) ?? 0n) < start)
  if (future.length === 0 && past.length === 0) skip('every record is of the default window')
  const found = await walk(world, subject)
  const keys = (records: readonly Fields[]) =>
    records.filter(sure).map((record) => keyOf(list, record))
  const difference = differenceOf(keys(whole.records.filter(isInside)), keys(found.records))
  if (difference === undefined)
    return { seen: `${future.length} records are still to come, ${past.length} are older` }
  return fail(`${ref} without bounds: ${difference}`, {
    expected: `what is at or before now, and not more than ${months} months before`,
    evidence: found.answers.slice(0, 1),
  })
}

/** The same moment, written for another zone. */
async function judgeOffset(world: CheckContext, ref: string): Promise<Passed> {
  const one = await timed(world, ref)
  const { from, to } = within(one)
  const { difference, must } = await compare(world, one, { from, to })
  if (difference !== undefined) return skip('the window is wrong without an offset already')
  const shifted = (time: bigint) =>
    Temporal.Instant.fromEpochNanoseconds(time).toString({ timeZone: '+10:00' })
  const query = { [one.oldest]: shifted(from), [one.newest]: shifted(to) }
  const found = await walk(world, one.subject, query)
  const keys = (records: readonly Fields[]) =>
    records
      .filter((record) => one.timeOf(record) !== undefined)
      .map((record) => keyOf(one.list, record))
  const shiftedDifference = differenceOf(keys(must), keys(found.records))
  if (shiftedDifference === undefined) return {}
  return fail(`${ref} with ${new URLSearchParams(query)}: ${shiftedDifference}`, {
    expected: 'what the same moments show when they are written in UTC',
    evidence: found.answers.slice(0, 1),
  })
}

/** The two bounds in the wrong order. */
async function judgeInverted(world: CheckContext, ref: string): Promise<Passed> {
  const one = await timed(world, ref)
  const { from, to } = within(one)
  const query = { [one.oldest]: boundText(one.list, to), [one.newest]: boundText(one.list, from) }
  const answer = await world.ask(one.list.operation, { ...one.subject.ask, query })
  const found = await (answer.isSuccess ? walk(world, one.subject, query) : { records: [] })
  const records = found.records.filter((record) => one.timeOf(record) !== undefined)
  if (answer.status >= 500 || answer.status === 0 || records.length > 0) {
    fail(
      `${ref}: a lower bound that is later than the upper one answered ${answer.status} with ${records.length} records`,
      {
        expected: 'an empty list, or a refusal',
        evidence: [answer],
      },
    )
  }
  return {
    choice: {
      seen: answer.isSuccess ? 'an empty list' : `refused with ${answer.status}`,
      isOurs: answer.isSuccess,
      ours: 'an empty list',
      decision: '0004-parameter-names',
      evidence: [answer],
    },
  }
}

function seenOf({ list, dateField }: Timed): Passed {
  return list.ref === 'E3' ? { seen: `the effective date is ${dateField}` } : {}
}

const quotes = {
  B3: {
    oldest:
      'a lower date-time bound (effective time at or after; default newest-time minus 12 months)',
    newest: 'newest-time (effective time at or before; default current date-time)',
  },
  E3: {
    oldest:
      'the lower bound (effective date at or after) defaults to the upper bound minus 24 months',
    newest: 'the upper bound (effective date at or before) defaults to the current date',
  },
  E4: {
    oldest: 'oldest-time (effective time at or after; default newest-time minus 12 months)',
    newest: 'newest-time (effective time at or before; default current date-time)',
  },
  E5: {
    oldest: 'oldest-time (effective time at or after; default newest-time minus 12 months)',
    newest: 'newest-time (effective time at or before; default current date-time)',
  },
} as const

const laws = [
  {
    id: 'oldest',
    bound: 'oldest',
    title: 'The lower bound is kept, itself included',
    run: judgeOldest,
  },
  {
    id: 'newest',
    bound: 'newest',
    title: 'The upper bound is kept, itself included',
    run: judgeNewest,
  },
  {
    id: 'default-oldest',
    bound: 'oldest',
    title: 'Without a lower bound, the window goes back by the months that the interface sets',
    run: judgeDefaultOldest,
  },
  {
    id: 'default',
    bound: 'newest',
    title: 'Without bounds, the window ends now',
    run: judgeDefaultNewest,
  },
  {
    id: 'inverted',
    bound: 'oldest',
    title: 'A window that ends before it begins is empty',
    run: judgeInverted,
  },
  { id: 'offset', bound: 'newest', title: 'Bounds may be written for any zone', run: judgeOffset },
] as const

const zoneHint =
  'Billing times carry no zone. Where the provider reads them in another than UTC, say --time-zone.'

export const windows: readonly Check[] = (Object.keys(quotes) as (keyof typeof quotes)[]).flatMap(
  (ref) =>
    laws
      .filter(({ id }) => !(ref === 'E3' && id === 'offset'))
      .map(({ id, bound, title, run }) => ({
        id: `windows.${ref}.${id}`,
        title: `${ref}: ${title[0]?.toLowerCase()}${title.slice(1)}`,
        clause: endpoint(ref, quotes[ref][bound]),
        profile: 'full' as const,
        ...(ref.startsWith('E') && ref !== 'E3' && { hint: zoneHint }),
        run: (world: CheckContext) => run(world, ref),
      })),
)
