import type { SigningKeyStore } from '../../auth/signing-key-store.ts'
import type { PlannedOutage } from '../../contract/cds/outages.ts'
import { type MarkKind, marksMax, type UsageMark } from '../../contract/index.ts'
import { isPlanned, readAvailable } from '../usage/availability.ts'
import type { Calendar } from '../usage/calendar.ts'
import type { Range, UsageSpan, UsageStore } from '../usage/store.ts'
import type { MarkStore, RecordedLoad, RecordedStart } from './mark-store.ts'

const minuteMs = 60_000

/** Where the marks of a range are found. */
export interface MarkSources {
  readonly usage: UsageStore
  readonly updateAvailability: () => Promise<void>
  readonly marks: Pick<MarkStore, 'listStarts' | 'listLoads'>
  readonly signingKeys: Pick<SigningKeyStore, 'list'>
  readonly listOutages: () => readonly PlannedOutage[]
  readonly calendar: Calendar
}

interface Mark extends Partial<Range> {
  readonly kind: MarkKind
  readonly start: number
  readonly text: string
}

/** What happened in a range, oldest first. */
export async function listMarks(
  sources: MarkSources,
  range: Range,
  span: UsageSpan,
): Promise<UsageMark[]> {
  const { marks, signingKeys, listOutages } = sources
  const [starts, loads, keys, outages] = await Promise.all([
    marks.listStarts(range),
    marks.listLoads(range),
    signingKeys.list(),
    span === 'minute' ? findMinutes(sources, range) : findHours(sources, range),
  ])
  const found: Mark[] = [
    ...[...Map.groupBy(starts, ({ minute }) => minute)].map(([start, together]) => ({
      ...{ kind: 'start' as const, start, text: describeStarts(together) },
    })),
    ...loads.map((load) => ({
      ...{ kind: 'load' as const, start: load.committed, text: describeLoad(load) },
    })),
    ...keys.flatMap(({ id, algorithm, created, retired }) => [
      {
        ...{ kind: 'keyAdded' as const, start: created.epochMilliseconds },
        text: `Signing key added: ${algorithm}, ${id}`,
      },
      ...(retired
        ? [
            {
              ...{ kind: 'keyRetired' as const, start: retired.epochMilliseconds },
              text: `Signing key retired: ${algorithm}, ${id}`,
            },
          ]
        : []),
    ]),
    ...outages.map(({ start, end, minutes }) => ({
      ...{ kind: 'outage' as const, start, end },
      text: `Not available for ${count(minutes, 'minute')}`,
    })),
    ...listOutages().map(({ outage: { explanation }, start, end }) => ({
      ...{ kind: 'plannedOutage' as const, start: toMilliseconds(start), end: toMilliseconds(end) },
      text: `Planned outage: ${explanation}`,
    })),
  ]
  return found
    .filter(({ start, end = start + 1 }) => start < range.end && end > range.start)
    .sort((a, b) => a.start - b.start)
    .slice(-marksMax)
    .map(({ kind, start, end, text }) => ({
      ...{ kind, time: formatTime(start) },
      ...(end !== undefined && { end: formatTime(end) }),
      text,
    }))
}

interface Unavailable extends Range {
  readonly minutes: number
}

/** The last minute is not over, and the counts of the one before may be on their way. */
async function findMinutes(
  { usage, listOutages }: MarkSources,
  { start, end }: Range,
): Promise<readonly Unavailable[]> {
  const { firstMinute } = await usage.readBounds(end)
  if (firstMinute === undefined) return []
  const counts = new Map(
    (await usage.readMinutes({ start, end })).map((each) => [each.start, each]),
  )
  const found: Unavailable[] = []
  for (
    let minute = Math.max(start, firstMinute);
    minute + 2 * minuteMs <= end;
    minute += minuteMs
  ) {
    const { authenticated, unauthenticated } = readAvailable(counts.get(minute))
    if ((authenticated && unauthenticated) || isPlanned(minute, listOutages())) continue
    found.push({ start: minute, end: minute + minuteMs, minutes: 1 })
  }
  return join(found)
}

/** Of hours, only the number of minutes is kept. */
async function findHours(
  { usage, updateAvailability, calendar }: MarkSources,
  { start, end }: Range,
): Promise<readonly Unavailable[]> {
  await updateAvailability()
  const hours = await usage.readPeriods('hour', start)
  return join(
    hours
      .filter((hour) => hour.start <= end - minuteMs)
      .map((hour) => ({
        ...{ start: hour.start, end: calendar.nextHour(hour.start) },
        minutes: hour.minutes - hour.available,
      }))
      .filter(({ minutes }) => minutes > 0),
  )
}

/** Joins those that follow each other. */
function join(found: readonly Unavailable[]): readonly Unavailable[] {
  const joined: Unavailable[] = []
  for (const each of found) {
    const last = joined.at(-1)
    if (last?.end !== each.start) joined.push(each)
    else joined.splice(-1, 1, { ...last, end: each.end, minutes: last.minutes + each.minutes })
  }
  return joined
}

function describeStarts(starts: readonly RecordedStart[]): string {
  const servers = starts.map(({ role, version, processes }) =>
    processes === 1 ? `${role} ${version}` : `${role} ${version} (${processes} processes)`,
  )
  return `Started: ${servers.join(', ')}`
}

function describeLoad({ created, changed, unchanged, deleted }: RecordedLoad): string {
  const counts = { created, changed, unchanged, deleted }
  const parts = Object.entries(counts).filter(([, lines]) => lines > 0)
  const listed = parts.map(([outcome, lines]) => `${count(lines, 'line')} ${outcome}`)
  return `Data loaded: ${listed.join(', ') || 'no lines'}`
}

const count = (number: number, noun: string) =>
  `${number.toLocaleString('en-AU')} ${noun}${number === 1 ? '' : 's'}`

const toMilliseconds = (nanoseconds: bigint) => Number(nanoseconds / 1_000_000n)

const formatTime = (time: number) => Temporal.Instant.fromEpochMilliseconds(time).toString()
