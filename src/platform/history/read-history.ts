import { setImmediate } from 'node:timers/promises'
import { flowDays } from '../../contract/consent-flows.ts'
import {
  type LatencyPercentiles,
  listedThirdPartiesMax,
  type OperationUsage,
  type ThirdPartyUsage,
  type UsageHistory,
  type UsagePoint,
  type UsageRange,
  usageRanges,
} from '../../contract/index.ts'
import type { FlowEndCount } from '../consent/flow-store.ts'
import { toThirdParty } from '../consent/format-flow.ts'
import type { ConsentStore } from '../consent/store.ts'
import { readThirdPartyNames } from '../consent/third-party-names.ts'
import type { Calendar } from '../usage/calendar.ts'
import type { CallCounts } from '../usage/call-counts.ts'
import { isClientError, isFailure, isRejected, isSession } from '../usage/call-outcomes.ts'
import { estimateLatency } from '../usage/percentiles.ts'
import type { CallGroup, GroupedBy, UsageStore } from '../usage/store.ts'
import { listMarks, type MarkSources } from './list-marks.ts'

export interface HistoryQuery {
  readonly range: UsageRange
  readonly operation?: string | undefined
  readonly thirdPartyId?: string | undefined
}

export interface HistoryOptions extends MarkSources {
  readonly usage: UsageStore
  readonly callCounts: Pick<CallCounts, 'write'>
  readonly updateAvailability: () => Promise<void>
  readonly consents: Pick<ConsentStore, 'flows' | 'thirdParties'>
  readonly calendar: Calendar
  readonly timeZone: string
  readonly clock: () => Temporal.Instant
}

const flowMs = flowDays * 24 * 3_600_000

/** The calls of a range. The counts of this process are complete; those of others are written every half minute. */
export async function readHistory(
  options: HistoryOptions,
  { range, operation, thirdPartyId }: HistoryQuery,
): Promise<UsageHistory> {
  const { usage, callCounts, consents, calendar, timeZone, clock } = options
  await callCounts.write()
  const now = clock()
  const time = now.epochMilliseconds
  const { unit } = usageRanges[range]
  const starts = listStarts(range, time, calendar)
  const start = starts[0] ?? time
  const isSelected = operation !== undefined || thirdPartyId !== undefined
  const filter = { span: unit, start, end: time + 1, operation, thirdPartyId }
  /** SQLite blocks the event loop, which is free in between. */
  const readGroups = async (by: GroupedBy) => {
    const groups = await usage.readGroups(by, filter)
    await setImmediate()
    return groups
  }
  const byStart = await readGroups('start')
  const byOperation = await readGroups('operation')
  const byThirdParty = await readGroups('thirdPartyId')
  const periods = isSelected ? [] : await usage.readPeriods(unit, start)
  const names = await readThirdPartyNames(consents)
  const peaks = new Map(periods.map((period) => [period.start, period.peak]))
  const groups = Map.groupBy(byStart, ({ key }) => Number(key))
  const flowsSince = Math.max(start, time - flowMs)
  const ends = await consents.flows.countEnds(
    { from: toInstant(flowsSince), until: now },
    now,
    thirdPartyId,
  )
  return {
    range,
    unit,
    start: toInstant(start).toString(),
    end: now.toString(),
    timeZone,
    points: starts.map(
      (each): UsagePoint => ({
        start: toInstant(each).toString(),
        ...describeCalls(groups.get(each) ?? []),
        ...(!isSelected && { peak: peaks.get(each) ?? 0 }),
      }),
    ),
    total: {
      ...describeCalls(byStart),
      sessions: sumCalls(
        byOperation.filter(({ key, status }) => isSession({ operation: key, status })),
      ),
      ...(!isSelected && { peak: Math.max(0, ...peaks.values()) }),
    },
    statuses: countBy(
      byStart.filter((group) => isFailure(group) || isClientError(group)),
      ({ status }) => status,
    ).map(([status, calls]) => ({ status, calls })),
    limits: countBy(byStart.filter(isRejected), ({ rejection }) => rejection).map(
      ([limit, calls]) => ({ limit, calls }),
    ),
    operations: describeEach(
      byOperation,
      (key): Pick<OperationUsage, 'operation'> => ({ operation: key }),
    ),
    thirdParties: describeEach(
      byThirdParty,
      (key): Pick<ThirdPartyUsage, 'thirdParty'> =>
        key === '' ? {} : { thirdParty: toThirdParty(key, names.get(key)) },
    ).slice(0, listedThirdPartiesMax),
    consentFlows: { since: toInstant(flowsSince).toString(), ends: sumEnds(ends) },
    marks: await listMarks(options, { start, end: time + 1 }, unit),
  }
}

/** When the periods of a range begin, the oldest first: the present one, and those before it. */
function listStarts(range: UsageRange, time: number, calendar: Calendar): readonly number[] {
  const { unit, periods } = usageRanges[range]
  const count = periods + 1
  if (unit === 'hour') return calendar.listHours(time, count).toReversed()
  if (unit === 'day') {
    return calendar
      .listDays(time, count)
      .map(({ start }) => start)
      .toReversed()
  }
  const { minute } = calendar.starts(time)
  return Array.from({ length: count }, (_, index) => minute - (periods - index) * 60_000)
}

const toInstant = (time: number) => Temporal.Instant.fromEpochMilliseconds(time)

const sumCalls = (groups: readonly Pick<CallGroup, 'calls'>[]) =>
  groups.reduce((sum, { calls }) => sum + calls, 0)

interface DescribedCalls extends Pick<UsagePoint, 'calls' | 'errors' | 'clientErrors'> {
  readonly rejections: number
  readonly latency?: LatencyPercentiles
}

function describeCalls(groups: readonly CallGroup[]): DescribedCalls {
  const latency = estimateLatency(groups.filter((group) => !isRejected(group)))
  return {
    calls: sumCalls(groups),
    errors: sumCalls(groups.filter(isFailure)),
    clientErrors: sumCalls(groups.filter(isClientError)),
    rejections: sumCalls(groups.filter(isRejected)),
    ...(latency && { latency }),
  }
}

function describeEach<Named extends object>(
  groups: readonly CallGroup[],
  name: (key: string) => Named,
): (Named & DescribedCalls)[] {
  return [...Map.groupBy(groups, ({ key }) => key)]
    .map(([key, alike]) => ({ key, ...describeCalls(alike) }))
    .sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1))
    .map(({ key, ...described }) => ({ ...name(key), ...described }))
}

/** The most frequent first. */
function countBy<Key extends string | number>(
  groups: readonly CallGroup[],
  read: (group: CallGroup) => Key,
): [Key, number][] {
  return [...Map.groupBy(groups, read)]
    .map(([key, alike]): [Key, number] => [key, sumCalls(alike)])
    .sort(([a, most], [b, least]) => least - most || (a < b ? -1 : 1))
}

function sumEnds(counts: readonly FlowEndCount[]): UsageHistory['consentFlows']['ends'] {
  return [...Map.groupBy(counts, ({ end }) => end)].map(([end, alike]) => ({
    end,
    flows: alike.reduce((sum, { count }) => sum + count, 0),
  }))
}
