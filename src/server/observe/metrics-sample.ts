import {
  type FeedActivity,
  type MetricsSample,
  type MonitoredRole,
  type Operation,
  operations,
  type RejectionRate,
} from '../../contract/index.ts'
import { endpoints } from '../../http/endpoints.ts'
import { healthEndpoints } from '../../http/health.ts'
import { clientClosedStatus } from '../../http/request-log.ts'
import { estimatePercentiles } from '../../platform/usage/percentiles.ts'
import type { MetricLine } from './parse-metrics.ts'

const requests = 'holdfast_request_duration_seconds'
const rejections = 'holdfast_token_rejections_total'
const shed = 'holdfast_shed_requests_total'
const batches = 'holdfast_feed_batches_total'
const lag = 'holdfast_feed_lag_seconds'

/** The metrics that a sample is computed from. */
export const sampledMetrics = [requests, rejections, shed, batches, lag] as const

/** How many reasons, and how many feeds, a sample lists. */
const listedMax = 100

/** The metrics of a source at one time. */
export interface Reading {
  /** In milliseconds, of a monotonic clock. */
  readonly at: number
  /** The servers that the metrics are about. */
  readonly roles: readonly MonitoredRole[]
  readonly lines: ReadonlyMap<string, MetricLine>
}

/** Two readings of one source. */
export interface Interval {
  readonly from: Reading
  readonly to: Reading
}

type Figures = Omit<MetricsSample, 'time' | 'sources' | 'rejections' | 'others'> & {
  /** `total` is the number in this interval. */
  readonly rejections: readonly RejectionRate[]
}

/** The figures per second of all sources together, and those without requests of the console and of checks. */
export function computeFigures(
  intervals: readonly Interval[],
): Figures & Pick<MetricsSample, 'others'> {
  const all = computeRates(intervals, true)
  const { requests, roles, errors, clientErrors, rejections, latency } = computeRates(
    intervals,
    false,
  )
  if (requests === all.requests && rejections.length === all.rejections.length) return all
  const others = { requests, roles, errors, clientErrors, rejections: [...rejections] }
  return { ...all, others: { ...others, ...(latency && { latency }) } }
}

function computeRates(intervals: readonly Interval[], hasTools: boolean): Figures {
  const sums = new Map<string, number>()
  const buckets = new Map<number, number>()
  const rejected = new Map<string, { readonly rate: number; readonly total: number }>()
  const feeds = new Map<string, Omit<FeedActivity, 'feed'>>()
  const add = (key: string, rate: number) => sums.set(key, (sums.get(key) ?? 0) + rate)

  for (const { from, to } of intervals) {
    const seconds = (to.at - from.at) / 1000
    for (const [key, line] of to.lines) {
      const { name, labels, value } = line
      const label = (given: string) => labels.get(given) ?? ''
      if (!hasTools && labels.has('tool')) continue
      const feed: Omit<FeedActivity, 'feed'> = feeds.get(label('feed')) ?? { batches: 0 }
      if (name === lag) feeds.set(label('feed'), { ...feed, lag: Math.max(value, feed.lag ?? 0) })
      const increase = increaseSince(from.lines.get(key)?.value, value)
      // An empty bucket is needed too: it is the lower bound of the next one.
      if (increase === 0 && name !== `${requests}_bucket`) continue
      const rate = increase / seconds
      if (name === rejections) {
        const known = rejected.get(label('reason')) ?? { rate: 0, total: 0 }
        const sum = { rate: known.rate + rate, total: known.total + increase }
        rejected.set(label('reason'), sum)
      } else if (name === shed) add('shed', rate)
      else if (name === batches) {
        feeds.set(label('feed'), { ...feed, batches: feed.batches + rate })
      } else if (isProbe(label('operation'))) continue
      else if (name === `${requests}_bucket`) addBucket(buckets, label('le'), increase)
      else if (name === `${requests}_count`) {
        const role = findRole(label('operation'), to.roles)
        add('requests', rate)
        if (role) add(`role ${role}`, rate)
        add(classify(Number(label('status'))), rate)
      }
    }
  }
  const rate = (key: string) => round(sums.get(key) ?? 0)
  const latency = estimatePercentiles(buckets)
  const durations = intervals.map(({ from, to }) => (to.at - from.at) / 1000)
  return {
    seconds: round(Math.max(0, ...durations)),
    requests: rate('requests'),
    roles: [...new Set(intervals.flatMap(({ to }) => to.roles))].map((role) => ({
      role,
      rate: rate(`role ${role}`),
    })),
    ...(latency && { latency }),
    errors: rate('errors'),
    clientErrors: rate('client errors'),
    shed: rate('shed'),
    rejections: [...rejected].slice(0, listedMax).map(([reason, { rate, total }]) => ({
      reason,
      rate: round(rate),
      total: Math.round(total),
    })),
    feeds: [...feeds]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, listedMax)
      .map(([feed, { batches, lag }]) => ({
        feed,
        batches: round(batches),
        ...(lag !== undefined && { lag: round(lag) }),
      })),
  }
}

/** A counter starts again at 0 when its process does. */
function increaseSince(previous: number | undefined, value: number): number {
  return previous === undefined || value < previous ? value : value - previous
}

function classify(status: number): 'errors' | 'client errors' | 'other' {
  if (status >= 500) return 'errors'
  return status >= 400 && status !== clientClosedStatus ? 'client errors' : 'other'
}

function isProbe(operation: string): boolean {
  return Object.hasOwn(healthEndpoints, operation)
}

const roleByBase = {
  provider: 'provider',
  resource: 'provider',
  platform: 'platform',
  intake: 'intake',
} as const
const roleByOperation: ReadonlyMap<string, MonitoredRole> = new Map([
  ...Object.values<Operation>(operations).map(({ ref, base }) => [ref, roleByBase[base]] as const),
  ...endpoints.map((endpoint) => [endpoint, 'platform'] as const),
])

/** Of a process that serves several roles, only operations tell which one received a request. */
function findRole(operation: string, roles: readonly MonitoredRole[]): MonitoredRole | undefined {
  return roles.length === 1 ? roles[0] : roleByOperation.get(operation)
}

/** Buckets are cumulative: each counts all requests up to its bound. */
function addBucket(buckets: Map<number, number>, bound: string, increase: number): void {
  const le = bound === '+Inf' ? Infinity : Number(bound)
  if (!Number.isNaN(le)) buckets.set(le, (buckets.get(le) ?? 0) + increase)
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
