import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { refusalCircumstances } from '../../contract/index.ts'
import { passcodeBudgets, passcodeEvents } from '../../contract/request-limits.ts'
import type { Tool } from '../../contract/tools.ts'
import { countDescriptors, readDescriptorLimit } from '../../http/descriptors.ts'
import type { UpstreamMetrics } from '../../http/forward.ts'
import type { RequestMetrics } from '../../http/request-log.ts'
import type { FeedMetrics } from '../../intake/batches.ts'
import { type Feed, feedsMax } from '../../intake/feed-writer.ts'
import {
  type DeliveryResult,
  deliveryResults,
} from '../../platform/consent/outbox/delivery-results.ts'
import type { WaitingMessages } from '../../platform/consent/outbox/store.ts'
import type { PasscodeMetrics } from '../../platform/consent/passcodes.ts'
import type { DataNode, PoolName, PoolUse } from '../../storage/database.ts'
import { otherFeeds, serverMetrics } from './metric-definitions.ts'
import type { MetricsReader } from './metrics-reader.ts'
import {
  formatMetrics,
  type Observe,
  openRegistry,
  type Registry,
  type Snapshot,
} from './registry.ts'
import { openRejectionLog, type RejectionLog } from './rejection-log.ts'
import { reuseResult } from './reuse-result.ts'

export interface Metrics extends RequestMetrics, FeedMetrics, UpstreamMetrics, PasscodeMetrics {
  countKeyFetch(outcome: 'fetched' | 'failed'): void
  /** `ageMs` is called on every scrape. */
  watchKeyAge(ageMs: () => number | undefined): void
  watchPool(name: PoolName, pool: PoolUse): void
  /** `list` is called on every scrape. */
  watchFeeds(list: () => Promise<readonly Feed[]>, clock: () => Temporal.Instant): void
  /** `list` is called on every scrape. */
  watchDataNodes(list: () => Promise<readonly DataNode[]>): void
  /** `read` is called on every scrape. */
  watchOutbox(read: () => Promise<WaitingMessages>, clock: () => Temporal.Instant): void
  countDelivery(result: DeliveryResult, count: number): void
  countRecords(count: number): void
  setRecordHead(chain: string, block: number, hash: string): void
  /** Only the named metrics, if names are given: the event loop lag is reset when it is read. */
  snapshot(names?: readonly string[]): Promise<Snapshot>
  readonly rejections: RejectionLog
}

type ServerRegistry = Registry<keyof typeof serverMetrics>

/** The sampling interval of the event loop delay. */
const lagResolutionMs = 20
const nanosecond = 1e-9

/** How long a scrape waits for the database. After that, the values of the previous scrape are used. */
const readTimeoutMs = 900

export function openMetrics(): Metrics {
  const registry = openRegistry(serverMetrics)
  watchProcess(registry)
  const rejections = registry.counter('holdfast_token_rejections_total')
  const replays = registry.counter('holdfast_token_replays_total')
  const shed = registry.counter('holdfast_shed_requests_total')
  const refusals = registry.counter('holdfast_refusals_total')
  const limited = registry.counter('holdfast_limited_requests_total')
  const fetches = registry.counter('holdfast_key_set_fetches_total')
  // Known label values start at zero, so that a rate includes the first increment.
  for (const reason of serverMetrics.holdfast_token_rejections_total.labels.reason) {
    rejections(0, { reason })
  }
  for (const circumstance of refusalCircumstances) refusals(0, { circumstance })
  for (const limit of serverMetrics.holdfast_limited_requests_total.labels.limit) {
    limited(0, { limit })
  }
  for (const outcome of serverMetrics.holdfast_key_set_fetches_total.labels.outcome) {
    fetches(0, { outcome })
  }
  const rejectionLog = openRejectionLog()
  let keyAgeMs: () => number | undefined = () => undefined
  registry.watch('holdfast_key_set_age_seconds', (add) => {
    const ms = keyAgeMs()
    if (ms !== undefined) add(ms / 1000)
  })

  return {
    recordRequest: openDurations(registry),
    recordRejection(reason, tool) {
      rejections(1, { reason, ...(tool && { tool }) })
      if (reason === 'jti was used before') replays(1)
    },
    countShedRequest: () => shed(1),
    recordFailure: rejectionLog.record,
    countLimitedRequest: (limit) => limited(1, { limit }),
    countRefusal: (circumstance) => refusals(1, { circumstance }),
    recordReadiness: openReadinessMetric(registry),
    rejections: rejectionLog,
    countKeyFetch: (outcome) => fetches(1, { outcome }),
    watchKeyAge(ageMs) {
      keyAgeMs = ageMs
    },
    watchPool: openPoolMetrics(registry),
    watchDataNodes: openDataNodeMetrics(registry),
    ...openFeedMetrics(registry),
    ...openOutboxMetrics(registry),
    ...openRecordMetrics(registry),
    ...openUpstreamMetrics(registry),
    ...openPasscodeMetrics(registry),
    snapshot: registry.snapshot,
  }
}

function openDurations(registry: ServerRegistry): Metrics['recordRequest'] {
  const openSeries = registry.histogram('holdfast_request_duration_seconds')
  const openObservers = (tool?: Tool) => {
    const observers = new Map<string, Map<number, Observe>>()
    const createObserver = (operation: string, status: number): Observe => {
      const labels = { operation, status: String(status), ...(tool && { tool }) }
      const observe = openSeries(labels)
      const byStatus = observers.get(operation) ?? new Map<number, Observe>()
      observers.set(operation, byStatus.set(status, observe))
      return observe
    }
    return (operation: string, status: number): Observe =>
      observers.get(operation)?.get(status) ?? createObserver(operation, status)
  }
  const find = openObservers()
  const ofTools = { console: openObservers('console'), check: openObservers('check') }
  return (operation, status, seconds, tool) => {
    const observe = (tool ? ofTools[tool] : find)(operation, status)
    observe(seconds)
  }
}

function openReadinessMetric(registry: ServerRegistry): Metrics['recordReadiness'] {
  const probes = new Map<string, Parameters<Metrics['recordReadiness']>>()
  registry.watch('holdfast_readiness_probe_up', (add) => {
    for (const [role, probe, isPassed] of probes.values()) add(isPassed ? 1 : 0, { role, probe })
  })
  return (...result) => probes.set(`${result[0]} ${result[1]}`, result)
}

function openPoolMetrics(registry: ServerRegistry): Metrics['watchPool'] {
  const pools: { name: PoolName; pool: PoolUse }[] = []
  registry.watch('holdfast_database_connections', (add) => {
    for (const { name, pool } of pools) {
      add(pool.idleCount, { pool: name, state: 'idle' })
      add(pool.totalCount - pool.idleCount, { pool: name, state: 'used' })
    }
  })
  registry.watch('holdfast_database_pending_requests', (add) => {
    for (const { name, pool } of pools) add(pool.waitingCount, { pool: name })
  })
  return (name, pool) => pools.push({ name, pool })
}

function openDataNodeMetrics(registry: ServerRegistry): Metrics['watchDataNodes'] {
  let listDataNodes: () => Promise<readonly DataNode[]> = async () => []
  registry.watch('holdfast_data_node_up', async (add) => {
    for (const { address, isUp } of await listDataNodes()) add(isUp ? 1 : 0, { node: address })
  })
  return (list) => {
    listDataNodes = list
  }
}

function openFeedMetrics(registry: ServerRegistry) {
  const batches = registry.counter('holdfast_feed_batches_total')
  const lineCount = registry.counter('holdfast_feed_lines_total')
  const errorCount = registry.counter('holdfast_feed_errors_total')
  const commits = registry.counter('holdfast_feed_commits_total')
  const names = new Set<string>()
  /** Clients choose the names, also those of batches that are rejected. */
  const toLabel = (feed: string): string => {
    if (names.size < feedsMax) names.add(feed)
    return names.has(feed) ? feed : otherFeeds
  }
  let listLags: () => Promise<readonly [feed: string, seconds: number][]> = async () => []
  registry.watch('holdfast_feed_lag_seconds', async (add) => {
    for (const [feed, seconds] of await listLags()) add(seconds, { feed })
  })
  return {
    countBatch(feed, lines) {
      const label = { feed: toLabel(feed) }
      batches(1, label)
      lineCount(lines, label)
    },
    countErrors: (feed, errors) => errorCount(errors, { feed: toLabel(feed) }),
    countCommit: () => commits(1),
    watchFeeds(list, clock) {
      let feeds: readonly Feed[] = []
      // Without the database, the last known feeds stay: a lag grows when nothing is committed.
      const read = reuseResult(async () => {
        feeds = await list().catch(() => feeds)
      })
      listLags = async () => {
        await Promise.race([read(), wait(readTimeoutMs, undefined, { ref: false })])
        const now = clock().epochMilliseconds
        return feeds.map(({ name, time }) => [name, Math.max(0, now - time) / 1000])
      }
    },
  } satisfies FeedMetrics & Pick<Metrics, 'watchFeeds'>
}

function openOutboxMetrics(registry: ServerRegistry) {
  const deliveries = registry.counter('holdfast_outbox_deliveries_total')
  for (const result of deliveryResults) deliveries(0, { result })
  return {
    countDelivery: (result, count) => deliveries(count, { result }),
    watchOutbox(read, clock) {
      // Without the database, the last known messages stay: they still wait.
      let waiting: WaitingMessages | undefined
      const update = reuseResult(async () => {
        waiting = await read().catch(() => waiting)
      })
      const readInTime = async () => {
        await Promise.race([update(), wait(readTimeoutMs, undefined, { ref: false })])
        return waiting
      }
      registry.watch('holdfast_outbox_messages', async (add) => {
        const found = await readInTime()
        if (found) add(found.count)
      })
      registry.watch('holdfast_outbox_oldest_seconds', async (add) => {
        const found = await readInTime()
        if (!found) return
        const { epochMilliseconds: now } = clock()
        add(found.oldest ? Math.max(0, now - found.oldest.epochMilliseconds) / 1000 : 0)
      })
    },
  } satisfies Pick<Metrics, 'countDelivery' | 'watchOutbox'>
}

/** How many digits of a hash a number of a metric can have. */
const digestDigits = 12

function openRecordMetrics(registry: ServerRegistry) {
  const records = registry.counter('holdfast_disclosure_records_total')
  let head: { readonly chain: string; readonly block: number; readonly digest: number } | undefined
  registry.watch('holdfast_disclosure_record_head', (add) => {
    if (head) add(head.block, { chain: head.chain })
  })
  registry.watch('holdfast_disclosure_record_digest', (add) => {
    if (head) add(head.digest, { chain: head.chain })
  })
  return {
    countRecords: (count) => records(count),
    setRecordHead(chain, block, hash) {
      const digest = Number.parseInt(
        Buffer.from(hash, 'base64url').toString('hex').slice(0, digestDigits) || '0',
        16,
      )
      head = { chain, block, digest }
    },
  } satisfies Pick<Metrics, 'countRecords' | 'setRecordHead'>
}

function openUpstreamMetrics(registry: ServerRegistry): UpstreamMetrics {
  const requests = registry.counter('holdfast_upstream_requests_total')
  const openSeries = registry.histogram('holdfast_upstream_duration_seconds')
  const observers = new Map<string, Observe>()
  const createObserver = (operation: string): Observe => {
    const observe = openSeries({ operation })
    observers.set(operation, observe)
    return observe
  }
  const checks = registry.counter('holdfast_upstream_checked_responses_total')
  return {
    recordUpstreamRequest(operation, outcome, seconds) {
      requests(1, { operation, outcome })
      const observe = observers.get(operation) ?? createObserver(operation)
      observe(seconds)
    },
    countUpstreamCheck: (operation, outcome) => checks(1, { operation, outcome }),
  }
}

function openPasscodeMetrics(registry: ServerRegistry): PasscodeMetrics {
  const events = registry.counter('holdfast_passcodes_total')
  const exceeded = registry.counter('holdfast_passcode_budget_exceeded_total')
  for (const event of passcodeEvents) events(0, { event })
  for (const limit of passcodeBudgets) exceeded(0, { limit })
  return {
    countPasscode: (event) => events(1, { event }),
    countOverBudget: (limit) => exceeded(1, { limit }),
  }
}

function watchProcess(registry: ServerRegistry): void {
  const lag = monitorEventLoopDelay({ resolution: lagResolutionMs })
  lag.enable()
  registry.watch('holdfast_event_loop_lag_seconds', (add) => {
    for (const percentile of serverMetrics.holdfast_event_loop_lag_seconds.labels.percentile) {
      add(lagSeconds(lag.percentile(Number(percentile))), { percentile })
    }
    lag.reset()
  })
  registry.watch('holdfast_workers', (add) => add(1))
  registry.watch('process_resident_memory_bytes', (add) => add(process.memoryUsage.rss()))
  const limit = readDescriptorLimit()
  registry.watch('process_open_fds', (add) => {
    const count = countDescriptors(limit)
    if (count !== undefined) add(count)
  })
  registry.watch('process_max_fds', (add) => {
    if (limit !== undefined) add(limit)
  })
  registry.watch('process_start_time_seconds', (add) => add(performance.timeOrigin / 1000))
  registry.watch('process_cpu_seconds_total', (add) => {
    const { user, system } = process.cpuUsage()
    add((user + system) / 1e6)
  })
}

/** What this process reports on its metrics port. */
export function createMetricsReader({ snapshot, rejections }: Metrics): MetricsReader {
  return {
    text: async (names) => formatMetrics([await snapshot(names)]),
    rejections: async (query) => rejections.report(query),
  }
}

/** The monitor measures the time between two samples, which includes the sampling interval. */
function lagSeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds * nanosecond - lagResolutionMs / 1000) || 0
}
