import type { CheckContext } from './context.ts'
import { fail, skip } from './outcome.ts'
import { compareRecords, type Fields, type PagedList, requireList } from './paged-list.ts'
import { hintForParameter, resolveName } from './parameters.ts'
import { type ListContent, readList, type Subject } from './read-list.ts'
import { readWholeList } from './subjects.ts'
import { formatBound, invoiceDates, readEffectiveTime } from './times.ts'

/** A list with time bounds. */
export interface WindowedList {
  readonly list: PagedList
  readonly subject: Subject
  readonly whole: ListContent
  /** The names of the parameters. */
  readonly oldest: string
  readonly newest: string
  readonly timeOf: (record: Fields) => bigint | undefined
  /** The effective date of invoices. */
  readonly dateField: string
}

interface Window {
  readonly from?: bigint
  readonly to?: bigint
}

export async function readWindowedList(context: CheckContext, ref: string): Promise<WindowedList> {
  const list = requireList(context, ref)
  const { subject, whole } = await readWholeList(context, list, { recordsMin: 2 })
  const unit = list.bounds ?? skip('it has no time bounds')
  const name = (parameter: string) => resolveName(context.options.parameters, ref, parameter)
  const one = {
    list,
    subject,
    whole,
    oldest: name(`oldest-${unit}`),
    newest: name(`newest-${unit}`),
  }
  const made = (dateField: string): WindowedList => ({
    ...one,
    dateField,
    timeOf: (record) => readEffectiveTime(list, record, context.options.timeZone, dateField),
  })
  return unit === 'date' ? made(await findEffectiveDate(context, made)) : made('')
}

/** The interface does not define the effective date of an invoice: it is the date that the bounds apply to. */
function findEffectiveDate(
  context: CheckContext,
  made: (dateField: string) => WindowedList,
): Promise<string> {
  return context.once('effective date of invoices', async () => {
    const [first] = invoiceDates
    for (const field of invoiceDates) {
      const one = made(field)
      const middle = listTimes(one)[Math.floor(listTimes(one).length / 2)]
      if (middle === undefined) continue
      const { difference } = await compareWindow(context, one, { from: middle, to: middle })
      if (difference === undefined) return field
    }
    return first
  })
}

/** The distinct times of the records, newest first. */
export function listTimes({ whole, timeOf }: WindowedList): bigint[] {
  const times = whole.records.map(timeOf).filter((time) => time !== undefined)
  return [...new Set(times)].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0))
}

/** Requests a window and compares it with the whole list. Records without a time may be in it or not. */
export async function compareWindow(
  context: CheckContext,
  one: WindowedList,
  window: Window,
  expected: Window = window,
) {
  const { list, subject, whole, timeOf } = one
  const { from, to } = window
  const query = {
    ...(from !== undefined && { [one.oldest]: formatBound(list, from) }),
    ...(to !== undefined && { [one.newest]: formatBound(list, to) }),
  }
  const found = await readList(context, subject, query)
  const inside = (record: Fields) => {
    const time = timeOf(record)
    if (time === undefined) return undefined
    return time >= (expected.from ?? time) && time <= (expected.to ?? time)
  }
  const must = whole.records.filter((record) => inside(record) === true)
  const timed = found.records.filter((record) => inside(record) !== undefined)
  return { difference: compareRecords(list, must, timed), query, found, must }
}

export async function checkWindow(
  context: CheckContext,
  one: WindowedList,
  window: Window,
  expected: Window = window,
): Promise<void> {
  const { difference, query, found, must } = await compareWindow(context, one, window, expected)
  if (difference === undefined) return
  const { list, whole, oldest, newest } = one
  const hint =
    found.records.length === whole.records.length
      ? (hintForParameter(list.ref, oldest) ?? hintForParameter(list.ref, newest))
      : undefined
  fail(`${list.ref} with ${new URLSearchParams(query).toString() || 'no bounds'}: ${difference}`, {
    expected: `the ${must.length} records ${formatWindow(list, expected)}, bounds included`,
    evidence: found.responses.slice(0, 1),
    ...(hint && { hint }),
  })
}

function formatWindow(list: PagedList, { from, to }: Window): string {
  return [
    from === undefined ? '' : `from ${formatBound(list, from)}`,
    to === undefined ? '' : `to ${formatBound(list, to)}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Two times of records inside the list. */
export function chooseWindow(one: WindowedList): { from: bigint; to: bigint } {
  const times = listTimes(one)
  const to = times[Math.floor(times.length / 3)]
  const from = times[Math.floor((2 * times.length) / 3)]
  if (times.length < 4 || from === undefined || to === undefined)
    return skip('the records have too few different times')
  return { from, to }
}
