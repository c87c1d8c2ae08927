import { monitorEventLoopDelay } from 'node:perf_hooks'
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { RequestMetrics } from '../http/request-log.ts'
import type { PoolName, PoolUse } from '../storage/database.ts'
import { type MetricDefinition, serverMetrics } from './metric-definitions.ts'

/** What a process counts, as plain data: it can be sent to another process. */
export type Snapshot = readonly MetricObjectWithValues<MetricValue<string>>[]

export interface Metrics extends RequestMetrics {
  keysAsked(outcome: 'fetched' | 'failed'): void
  /** The age of the keys is asked for when somebody scrapes. */
  watchKeys(ageMs: () => number | undefined): void
  watchPool(name: PoolName, pool: PoolUse): void
  snapshot(): Promise<Snapshot>
}

export const contentType = Registry.PROMETHEUS_CONTENT_TYPE

/** How often the event loop is looked at. */
const lagResolutionMs = 20
const nanosecond = 1e-9

/** The metrics of one process. */
export function openMetrics(): Metrics {
  const registry = new Registry()
  const counter = (name: keyof typeof serverMetrics) => new Counter(configOf(name, registry))
  const gauge = (name: keyof typeof serverMetrics, collect?: (gauge: Gauge) => void) =>
    new Gauge({
      ...configOf(name, registry),
      ...(collect && {
        collect(this: Gauge) {
          collect(this)
        },
      }),
    })
  const durations = new Histogram(configOf('holdfast_request_duration_seconds', registry))
  const refusals = counter('holdfast_token_rejections_total')
  const replays = counter('holdfast_token_replays_total')
  const fetches = counter('holdfast_key_set_fetches_total')
  // What is known in advance stands at zero: a rate can be told from the first time on.
  const { reason: reasons } = serverMetrics.holdfast_token_rejections_total.labels
  for (const reason of reasons) refusals.inc({ reason }, 0)
  for (const outcome of serverMetrics.holdfast_key_set_fetches_total.labels.outcome) {
    fetches.inc({ outcome }, 0)
  }

  let keysAgeMs: () => number | undefined = () => undefined
  gauge('holdfast_key_set_age_seconds', (age) => {
    const ms = keysAgeMs()
    if (ms === undefined) age.remove()
    else age.set(ms / 1000)
  })
  const pools: { name: PoolName; pool: PoolUse }[] = []
  gauge('holdfast_database_connections', (connections) => {
    connections.reset()
    for (const { name, pool } of pools) {
      connections.inc({ pool: name, state: 'idle' }, pool.idleCount)
      connections.inc({ pool: name, state: 'used' }, pool.totalCount - pool.idleCount)
    }
  })
  gauge('holdfast_database_waiting', (waiting) => {
    waiting.reset()
    for (const { name, pool } of pools) waiting.inc({ pool: name }, pool.waitingCount)
  })
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  lag.enable()
  gauge('holdfast_event_loop_lag_seconds', (lags) => {
    for (const quantile of serverMetrics.holdfast_event_loop_lag_seconds.labels.quantile) {
      lags.set({ quantile }, lateBy(lag.percentile(Number(quantile) * 100)))
    }
    lag.reset()
  })
  gauge('holdfast_workers').set(1)
  gauge('process_resident_memory_bytes', (memory) => memory.set(process.memoryUsage.rss()))
  new Counter({
    ...configOf('process_cpu_seconds_total', registry),
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })

  const observers = new Map<string, Map<number, Histogram.Internal<string>>>()
  /** One that is bound to its labels: nothing is looked up by text for each request. */
  const observerOf = (operation: string, status: number): Histogram.Internal<string> => {
    const ofOperation = observers.get(operation) ?? new Map<number, Histogram.Internal<string>>()
    observers.set(operation, ofOperation)
    const observer = ofOperation.get(status) ?? durations.labels(operation, String(status))
    ofOperation.set(status, observer)
    return observer
  }

  return {
    recordRequest(operation, status, seconds) {
      const observer = observers.get(operation)?.get(status) ?? observerOf(operation, status)
      observer.observe(seconds)
    },
    recordRejection(reason) {
      refusals.inc({ reason })
      if (reason === 'jti was used before') replays.inc()
    },
    keysAsked: (outcome) => fetches.inc({ outcome }),
    watchKeys(ageMs) {
      keysAgeMs = ageMs
    },
    watchPool(name, pool) {
      pools.push({ name, pool })
    },
    snapshot: async () =>
      (await registry.getMetricsAsJSON()) as unknown as MetricObjectWithValues<
        MetricValue<string>
      >[],
  }
}

/** The text that Prometheus reads, of one process or of several together. */
export function textOf(snapshots: readonly Snapshot[]): Promise<string> {
  return merged(snapshots).metrics()
}

/** What stays true of processes that are gone: what they counted, and nothing of what they were. */
export async function countsOf(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const together = (await merged(snapshots).getMetricsAsJSON()) as unknown as Snapshot
  return together.filter(({ type }) => String(type) !== 'gauge')
}

function merged(snapshots: readonly Snapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots as never) as unknown as Registry
}

function configOf(name: keyof typeof serverMetrics, registry: Registry) {
  const { help, labels = {}, buckets, ofWorkers = 'sum' }: MetricDefinition = serverMetrics[name]
  return {
    name,
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
    aggregator: ofWorkers,
    ...(buckets && { buckets: [...buckets] }),
  }
}

/** In seconds. What is measured is the time between two looks. */
function lateBy(nanoseconds: number): number {
  return Math.max(0, nanoseconds * nanosecond - lagResolutionMs / 1000) || 0
}
