import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { countDescriptors, readDescriptorLimit } from '../../http/descriptors.ts'
import type { UpstreamMetrics } from '../../http/forward.ts'
import type { RequestMetrics } from '../../http/request-log.ts'
import type { FeedMetrics } from '../../intake/batches.ts'
import { type Feed, feedsMax } from '../../intake/feed-writer.ts'
import type { DataNode, PoolName, PoolUse } from '../../storage/database.ts'
import { createHistogram, type Observe } from './histogram.ts'
import { type MetricDefinition, otherFeeds, serverMetrics } from './metric-definitions.ts'
import type { MetricsReader } from './metrics-reader.ts'
import { openRejectionLog, type RejectionLog } from './rejection-log.ts'

/** The metrics of a process as plain data, which can be sent to another process. */
export type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

export interface Metrics extends RequestMetrics, FeedMetrics, UpstreamMetrics {
  countKeyFetch(outcome: 'fetched' | 'failed'): void
  /** `ageMs` is called on every scrape. */
  watchKeyAge(ageMs: () => number | undefined): void
  watchPool(name: PoolName, pool: PoolUse): void
  /** `list` is called on every scrape. */
  watchFeeds(list: () => Promise<readonly Feed[]>, clock: () => Temporal.Instant): void
  /** `list` is called on every scrape. */
  watchDataNodes(list: () => Promise<readonly DataNode[]>): void
  /** Only the named metrics, if names are given: the event loop lag is reset when it is read. */
  snapshot(names?: readonly string[]): Promise<Snapshot>
  readonly rejections: RejectionLog
}

export const contentType = Registry.PROMETHEUS_CONTENT_TYPE

/** The sampling interval of the event loop delay. */
const lagResolutionMs = 20
const nanosecond = 1e-9

/** How long a scrape waits for the feeds. After that, those of the previous scrape are used. */
const feedsTimeoutMs = 900

export function openMetrics(): Metrics {
  const registry = new Registry()
  registerProcessMetrics(registry)
  const rejections = new Counter(metricConfig('holdfast_token_rejections_total', registry))
  const replays = new Counter(metricConfig('holdfast_token_replays_total', registry))
  const shed = new Counter(metricConfig('holdfast_shed_requests_total', registry))
  const fetches = new Counter(metricConfig('holdfast_key_set_fetches_total', registry))
  // Known label values start at zero, so that a rate includes the first increment.
  for (const reason of serverMetrics.holdfast_token_rejections_total.labels.reason) {
    rejections.inc({ reason }, 0)
  }
  for (const outcome of serverMetrics.holdfast_key_set_fetches_total.labels.outcome) {
    fetches.inc({ outcome }, 0)
  }
  const readiness = new Gauge(metricConfig('holdfast_readiness_probe_up', registry))
  const rejectionLog = openRejectionLog()
  let keyAgeMs: () => number | undefined = () => undefined
  registerOptionalGauge('holdfast_key_set_age_seconds', registry, () => {
    const ms = keyAgeMs()
    return ms === undefined ? undefined : ms / 1000
  })

  return {
    recordRequest: openDurations(registry),
    recordRejection(reason) {
      rejections.inc({ reason })
      if (reason === 'jti was used before') replays.inc()
    },
    countShedRequest: () => shed.inc(),
    recordFailure: rejectionLog.record,
    recordReadiness: (role, probe, isPassed) => readiness.set({ role, probe }, isPassed ? 1 : 0),
    rejections: rejectionLog,
    countKeyFetch: (outcome) => fetches.inc({ outcome }),
    watchKeyAge(ageMs) {
      keyAgeMs = ageMs
    },
    watchPool: openPoolMetrics(registry),
    watchDataNodes: openDataNodeMetrics(registry),
    ...openFeedMetrics(registry),
    ...openUpstreamMetrics(registry),
    snapshot: (names) =>
      Promise.all(
        registry
          .getMetricsAsArray()
          .filter(({ name }) => names?.includes(name) ?? true)
          .map(({ name }) => (registry.getSingleMetric(name) as unknown as Collected).get()),
      ),
  }
}

/** What prom-client's types lack. */
interface Collected {
  get(): Promise<Snapshot[number]>
}

function openDurations(registry: Registry): Metrics['recordRequest'] {
  const durations = createHistogram(metricConfig('holdfast_request_duration_seconds', registry))
  const observers = new Map<string, Map<number, Observe>>()
  const createObserver = (operation: string, status: number): Observe => {
    const observe = durations.open({ operation, status: String(status) })
    const byStatus = observers.get(operation) ?? new Map<number, Observe>()
    observers.set(operation, byStatus.set(status, observe))
    return observe
  }
  return (operation, status, seconds) => {
    const observe = observers.get(operation)?.get(status) ?? createObserver(operation, status)
    observe(seconds)
  }
}

function openPoolMetrics(registry: Registry): Metrics['watchPool'] {
  const pools: { name: PoolName; pool: PoolUse }[] = []
  registerGauge('holdfast_database_connections', registry, (connections) => {
    connections.reset()
    for (const { name, pool } of pools) {
      connections.inc({ pool: name, state: 'idle' }, pool.idleCount)
      connections.inc({ pool: name, state: 'used' }, pool.totalCount - pool.idleCount)
    }
  })
  registerGauge('holdfast_database_pending_requests', registry, (pending) => {
    pending.reset()
    for (const { name, pool } of pools) pending.inc({ pool: name }, pool.waitingCount)
  })
  return (name, pool) => pools.push({ name, pool })
}

function openDataNodeMetrics(registry: Registry): Metrics['watchDataNodes'] {
  let listDataNodes: () => Promise<readonly DataNode[]> = async () => []
  registerGauge('holdfast_data_node_up', registry, async (up) => {
    const dataNodes = await listDataNodes()
    up.reset()
    for (const { address, isUp } of dataNodes) up.set({ node: address }, isUp ? 1 : 0)
  })
  return (list) => {
    listDataNodes = list
  }
}

function openFeedMetrics(registry: Registry) {
  const batches = new Counter(metricConfig('holdfast_feed_batches_total', registry))
  const lineCount = new Counter(metricConfig('holdfast_feed_lines_total', registry))
  const errorCount = new Counter(metricConfig('holdfast_feed_errors_total', registry))
  const commits = new Counter(metricConfig('holdfast_feed_commits_total', registry))
  const names = new Set<string>()
  /** Clients choose the names, also those of batches that are rejected. */
  const toLabel = (feed: string): string => {
    if (names.size < feedsMax) names.add(feed)
    return names.has(feed) ? feed : otherFeeds
  }
  let listLags: () => Promise<readonly [feed: string, seconds: number][]> = async () => []
  registerGauge('holdfast_feed_lag_seconds', registry, async (lag) => {
    const lags = await listLags()
    lag.reset()
    for (const [feed, seconds] of lags) lag.set({ feed }, seconds)
  })
  return {
    countBatch(feed, lines) {
      const label = { feed: toLabel(feed) }
      batches.inc(label)
      lineCount.inc(label, lines)
    },
    countErrors: (feed, errors) => errorCount.inc({ feed: toLabel(feed) }, errors),
    countCommit: () => commits.inc(),
    watchFeeds(list, clock) {
      let feeds: readonly Feed[] = []
      let reading: Promise<void> | undefined
      // Without the database, the last known feeds stay: a lag grows when nothing is committed.
      const read = (): Promise<void> =>
        list().then(
          (found) => {
            feeds = found
          },
          () => {},
        )
      listLags = async () => {
        reading ??= read().finally(() => {
          reading = undefined
        })
        await Promise.race([reading, wait(feedsTimeoutMs, undefined, { ref: false })])
        const now = clock().epochMilliseconds
        return feeds.map(({ name, time }) => [name, Math.max(0, now - time) / 1000])
      }
    },
  } satisfies FeedMetrics & Pick<Metrics, 'watchFeeds'>
}

function openUpstreamMetrics(registry: Registry): UpstreamMetrics {
  const requests = new Counter(metricConfig('holdfast_upstream_requests_total', registry))
  const durations = createHistogram(metricConfig('holdfast_upstream_duration_seconds', registry))
  const observers = new Map<string, Observe>()
  const createObserver = (operation: string): Observe => {
    const observe = durations.open({ operation })
    observers.set(operation, observe)
    return observe
  }
  const checks = new Counter(metricConfig('holdfast_upstream_checked_responses_total', registry))
  return {
    recordUpstreamRequest(operation, outcome, seconds) {
      requests.inc({ operation, outcome })
      const observe = observers.get(operation) ?? createObserver(operation)
      observe(seconds)
    },
    countUpstreamCheck: (operation, outcome) => checks.inc({ operation, outcome }),
  }
}

function registerProcessMetrics(registry: Registry): void {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  lag.enable()
  registerGauge('holdfast_event_loop_lag_seconds', registry, (lags) => {
    for (const quantile of serverMetrics.holdfast_event_loop_lag_seconds.labels.quantile) {
      lags.set({ quantile }, lagSeconds(lag.percentile(Number(quantile) * 100)))
    }
    lag.reset()
  })
  registerGauge('holdfast_workers', registry, (workers) => workers.set(1))
  registerGauge('process_resident_memory_bytes', registry, (memory) =>
    memory.set(process.memoryUsage.rss()),
  )
  const limit = readDescriptorLimit()
  registerOptionalGauge('process_open_fds', registry, () => countDescriptors(limit))
  registerOptionalGauge('process_max_fds', registry, () => limit)
  registerGauge('process_start_time_seconds', registry, (start) =>
    start.set(performance.timeOrigin / 1000),
  )
  new Counter({
    ...metricConfig('process_cpu_seconds_total', registry),
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
}

/** `collect` sets the value on every scrape. */
function registerGauge(
  name: MetricName,
  registry: Registry,
  collect: (gauge: Gauge) => void | Promise<void>,
) {
  new Gauge({
    ...metricConfig(name, registry),
    collect(this: Gauge) {
      return collect(this)
    },
  })
}

/** A gauge without labels, which is absent while `read` returns undefined. */
function registerOptionalGauge(
  name: MetricName,
  registry: Registry,
  read: () => number | undefined,
): void {
  registerGauge(name, registry, (gauge) => {
    const value = read()
    if (value === undefined) gauge.remove()
    else gauge.set(value)
  })
}

/** What this process reports on its metrics port. */
export function createMetricsReader({ snapshot, rejections }: Metrics): MetricsReader {
  return {
    text: async (names) => formatMetrics([await snapshot(names)]),
    rejections: async (query) => rejections.report(query),
  }
}

/** The Prometheus text format of the combined metrics. */
export function formatMetrics(snapshots: readonly Snapshot[]): Promise<string> {
  return combine(snapshots).metrics()
}

/** Combines the metrics of processes that have ended: counters and histograms stay valid, gauges do not. */
export async function combineCounters(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const combined = (await combine(snapshots).getMetricsAsJSON()) as unknown as Snapshot
  return combined.filter(({ type }) => String(type) !== 'gauge')
}

function combine(snapshots: readonly Snapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots as never) as unknown as Registry
}

type MetricName = keyof typeof serverMetrics

function metricConfig(name: MetricName, registry: Registry) {
  const { help, labels = {}, buckets, aggregator = 'sum' }: MetricDefinition = serverMetrics[name]
  return {
    name,
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
    aggregator,
    ...(buckets && { buckets: [...buckets] }),
  }
}

/** The monitor measures the time between two samples, which includes the sampling interval. */
function lagSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds * nanosecond - lagResolutionMs / 1000) || 0
}
