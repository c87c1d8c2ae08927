import { type PerformanceTier, performanceTiers } from '../../contract/cds/performance-tiers.ts'
import { flowStages } from '../../contract/consent-flows.ts'
import type { AuthorisationDay, AuthorisationStore } from '../consent/authorisation-store.ts'
import type { FlowEndCount, FlowStore } from '../consent/flow-store.ts'
import type { Calendar } from '../usage/calendar.ts'
import { clientClosed, isFailure, isRejected, isSession } from '../usage/call-outcomes.ts'
import type { DayCount, HourCount, PeriodCount, Range, UsageStore } from '../usage/store.ts'

export const metricsVersions = [4, 5] as const
export const metricsPeriods = ['CURRENT', 'HISTORIC', 'ALL'] as const
export type MetricsPeriod = (typeof metricsPeriods)[number]

/** The standards report so many days before the present one, and months before the present one. */
const previousDaysMax = 7
const previousMonthsMax = 12

export interface MetricsOptions {
  readonly usage: UsageStore
  readonly authorisations: AuthorisationStore
  readonly flows: Pick<FlowStore, 'countEnds'>
  readonly calendar: Calendar
  readonly clock: () => Temporal.Instant
}

/** The data of a day that the metrics are computed from. */
interface Day extends Range {
  /** How much of it has passed. */
  readonly seconds: number
  readonly counts: readonly DayCount[]
  readonly hours: readonly HourCount[]
  readonly peak: PeriodCount | undefined
  readonly authorisations: AuthorisationDay
  readonly flows: readonly FlowEndCount[]
}

interface Month extends Range {
  readonly days: readonly PeriodCount[]
}

/** The `data` of Get Metrics. The calls of other processes of the last half minute may be missing. */
export async function readMetrics(
  options: MetricsOptions,
  version: number,
  period: MetricsPeriod,
): Promise<object> {
  const { usage, authorisations, calendar, clock } = options
  const now = clock()
  const time = now.epochMilliseconds
  const ranges = calendar.listDays(time, previousDaysMax + 1)
  const months = calendar.listMonths(time, previousMonthsMax + 1)
  const periods = await usage.readPeriods('day')
  const first = periods[0]?.start ?? time
  const isKnown = ({ end }: Range) => end > first
  const [today, ...previous] = await readDays(
    options,
    [...ranges.slice(0, 1), ...ranges.slice(1).filter(isKnown)],
    periods,
  )
  if (!today) throw new Error('there is no present day')
  const [month, ...earlier] = months.map((range) => ({
    ...range,
    days: periods.filter(({ start }) => start >= range.start && start < range.end && start <= time),
  }))
  const hasCurrent = period !== 'HISTORIC'
  const hasHistory = period !== 'CURRENT'
  const daily = <Value>(read: (day: Day) => Value) => ({
    ...(hasCurrent && { currentDay: read(today) }),
    ...(hasHistory && { previousDays: previous.map(read) }),
  })
  const monthly = (read: (month: Month) => string) => ({
    ...(hasCurrent && month && { currentMonth: read(month) }),
    ...(hasHistory && { previousMonths: earlier.filter(isKnown).map(read) }),
  })
  const perTier = <Value>(read: (tier: PerformanceTier) => Value) =>
    Object.fromEntries(
      (Object.keys(performanceTiers) as PerformanceTier[]).map((tier) => [tier, read(tier)]),
    )
  const { ongoing, customers, recipients } = await authorisations.countActive(now)
  const aggregate = daily(({ counts }) => shareWithin(counts.filter(isAccepted)))
  return {
    requestTime: now.toString({ smallestUnit: 'second' }),
    availability: {
      aggregate: monthly((each) => shareAvailable(each, 'available')),
      unauthenticated: monthly((each) => shareAvailable(each, 'unauthenticated')),
      authenticated: monthly((each) => shareAvailable(each, 'authenticated')),
    },
    performance:
      version === 4
        ? aggregate
        : { aggregate, ...perTier((tier) => daily((day) => listHours(day, tier, time, calendar))) },
    invocations: perTier((tier) => daily(({ counts }) => sumCalls(counts, hasTier(tier)))),
    averageResponse: perTier((tier) =>
      daily(({ counts }) => averageSeconds(counts.filter(hasTier(tier)).filter(isAccepted))),
    ),
    sessionCount: daily(({ counts }) => sumCalls(counts, isSession)),
    averageTps: {
      aggregate: daily((day) => averageRate(day, () => true)),
      unauthenticated: daily((day) => averageRate(day, isUnauthenticated)),
      authenticated: daily((day) => averageRate(day, isAuthenticated)),
    },
    peakTps: {
      aggregate: daily(({ peak }) => peak?.peak ?? 0),
      unauthenticated: daily(({ peak }) => peak?.peakUnauthenticated ?? 0),
      authenticated: daily(({ peak }) => peak?.peakAuthenticated ?? 0),
    },
    errors: {
      aggregate: daily(({ counts }) => sumCalls(counts, isFailure)),
      unauthenticated: daily(({ counts }) => countErrors(counts.filter(isUnauthenticated))),
      authenticated: daily(({ counts }) => countErrors(counts.filter(isAuthenticated))),
    },
    rejections: {
      authenticated: daily(({ counts }) => sumCalls(counts.filter(isRejected), isAuthenticated)),
      unauthenticated: daily(({ counts }) =>
        sumCalls(counts.filter(isRejected), isUnauthenticated),
      ),
    },
    customerCount: customers,
    recipientCount: recipients,
    authorisations: {
      activeAuthorisationCount: toIndividuals(ongoing),
      newAuthorisationCount: daily(({ authorisations: counts }) => ({
        onceOff: toIndividuals(counts.newOnce),
        ongoing: toIndividuals(counts.newOngoing),
      })),
      revokedAuthorisationCount: daily((day) => toIndividuals(day.authorisations.revoked)),
      amendedAuthorisationCount: daily((day) => toIndividuals(day.authorisations.amended)),
      expiredAuthorisationCount: daily((day) => toIndividuals(day.authorisations.expired)),
      abandonedConsentFlowCount: daily(({ flows }) =>
        sumEnds(flows.filter(({ end }) => end !== 'exchanged')),
      ),
      ...(version > 4 && {
        abandonmentsByStage: Object.fromEntries(
          [...flowStages, 'rejected' as const].map((stage) => [
            stage,
            daily(({ flows }) => sumEnds(flows.filter(({ end }) => end === stage))),
          ]),
        ),
      }),
    },
  }
}

async function readDays(
  { usage, authorisations, flows, clock }: MetricsOptions,
  ranges: readonly Range[],
  periods: readonly PeriodCount[],
): Promise<Day[]> {
  const now = clock()
  const from = ranges.at(-1)?.start ?? 0
  const counts = await usage.readDays(from)
  const hours = await usage.readHours(from)
  const days: Day[] = []
  for (const { start, end } of ranges) {
    const range = { from: toInstant(start), until: toInstant(end) }
    days.push({
      ...{ start, end },
      seconds: Math.max(1, (Math.min(end, now.epochMilliseconds) - start) / 1000),
      counts: counts.filter((each) => each.start === start),
      hours: hours.filter((each) => each.start >= start && each.start < end),
      peak: periods.find((each) => each.start === start),
      authorisations: await authorisations.countDay(range),
      flows: await flows.countEnds(range, now),
    })
  }
  return days
}

const toInstant = (time: number) => Temporal.Instant.fromEpochMilliseconds(time)

const hasTier = (tier: PerformanceTier) => (count: DayCount) => count.tier === tier
const isAccepted = (count: DayCount) => !isRejected(count)
const isAuthenticated = (count: DayCount) => count.isAuthenticated
const isUnauthenticated = (count: DayCount) => !count.isAuthenticated

function sumCalls(counts: readonly DayCount[], isCounted: (count: DayCount) => boolean): number {
  return counts.filter(isCounted).reduce((sum, { calls }) => sum + calls, 0)
}

function sumEnds(ends: readonly FlowEndCount[]): number {
  return ends.reduce((sum, { count }) => sum + count, 0)
}

function averageSeconds(counts: readonly DayCount[]): number {
  const calls = sumCalls(counts, () => true)
  const microseconds = counts.reduce((sum, each) => sum + each.microseconds, 0)
  return calls === 0 ? 0 : round(microseconds / calls / 1e6)
}

function averageRate({ counts, seconds }: Day, isCounted: (count: DayCount) => boolean): number {
  return round(sumCalls(counts, isCounted) / seconds)
}

/** To three decimals: seconds at millisecond resolution. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

/** By the status that the caller got. A caller that closed the connection got none. */
function countErrors(counts: readonly DayCount[]): Readonly<Record<string, number>> {
  const errors: Record<string, number> = {}
  for (const { status, calls } of counts) {
    if (status < 400 || status === clientClosed || status > 599) continue
    errors[status] = (errors[status] ?? 0) + calls
  }
  return errors
}

interface WithinTier {
  readonly calls: number
  readonly withinTier: number
}

function shareWithin(counts: readonly WithinTier[]): string {
  const calls = counts.reduce((sum, each) => sum + each.calls, 0)
  return toRate(
    counts.reduce((sum, { withinTier }) => sum + withinTier, 0),
    calls,
  )
}

function shareAvailable(
  { days }: Month,
  part: 'available' | 'authenticated' | 'unauthenticated',
): string {
  const minutes = days.reduce((sum, each) => sum + each.minutes, 0)
  return toRate(
    days.reduce((sum, each) => sum + each[part], 0),
    minutes,
  )
}

/** Nothing is outside of the threshold if there is nothing. Rounded down: only a whole is 1. */
function toRate(part: number, whole: number): string {
  if (whole === 0) return '1.0000'
  return (Math.floor((part / whole) * 10_000) / 10_000).toFixed(4)
}

/** The hours of the day that have begun. */
function listHours(
  { start, end, hours }: Day,
  tier: PerformanceTier,
  now: number,
  calendar: Calendar,
): string[] {
  const shares: string[] = []
  for (let hour = start; hour < Math.min(end, now + 1); ) {
    shares.push(shareWithin(hours.filter((each) => each.start === hour && each.tier === tier)))
    hour = calendar.nextHour(hour)
  }
  return shares
}

/** The interface does not say whether a customer is an organisation. */
function toIndividuals(count: number) {
  return { individual: count, nonIndividual: 0 }
}
