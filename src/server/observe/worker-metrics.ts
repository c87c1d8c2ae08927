import cluster, { type Worker } from 'node:cluster'
import { on } from 'node:events'
import type { FailedRequest } from '../../http/request-log.ts'
import type { Metrics } from './metrics.ts'
import type { MetricsReader } from './metrics-reader.ts'
import { combineCounters, formatMetrics, type MetricSnapshot, type Snapshot } from './registry.ts'
import {
  mergeReports,
  openRejectionLog,
  type RejectionQuery,
  type RejectionReport,
} from './rejection-log.ts'

/** How long a worker may take to report; after that, its previous metrics are used. */
const reportTimeoutMs = 1000

/** A request of the supervisor to a worker, and the response with the same number. */
interface ReportRequest {
  readonly holdfastReport: number
  readonly names?: readonly string[] | undefined
  readonly rejections?: RejectionQuery
}

interface Report {
  /** Absent in the last report of a worker, which is sent without a request. */
  readonly reportNumber?: number
  readonly metrics?: Snapshot
  readonly rejections?: RejectionReport
  /** Everything that the worker has, before it ends. */
  readonly entries?: readonly FailedRequest[]
}

/**
 * The metrics and the rejected requests of all workers, aggregated by the supervisor. The counters of a worker are kept
 * when it ends, so that no counter ever decreases.
 */
export function openWorkerMetrics(): MetricsReader {
  /** The last values of each metric, by worker and by the name of the metric. */
  const metricsByWorker = new Map<number, Map<string, MetricSnapshot>>()
  const endedRejections = openRejectionLog()
  let ended: Snapshot = []
  let requestNumber = 0

  cluster.on('message', ({ id }, message: unknown) => {
    if (!isReport(message)) return
    const known = metricsByWorker.get(id) ?? new Map<string, MetricSnapshot>()
    for (const metric of message.metrics ?? []) known.set(metric.name, metric)
    metricsByWorker.set(id, known)
    for (const entry of message.entries ?? []) endedRejections.record(entry)
  })
  cluster.on('exit', ({ id }) => {
    const last = metricsByWorker.get(id)
    metricsByWorker.delete(id)
    if (last) ended = combineCounters([ended, [...last.values()]])
  })

  const request = async (worker: Worker, asked: ReportRequest): Promise<Report | undefined> => {
    const signal = AbortSignal.timeout(reportTimeoutMs)
    // As many requests as the metrics port accepts wait at once, which Node would report as a leak.
    worker.setMaxListeners(0)
    const messages = on(worker, 'message', { signal, close: ['disconnect', 'exit'] })
    // Errors are ignored: the worker may be ending.
    worker.send(asked, () => {})
    try {
      for await (const [message] of messages) {
        if (isReport(message) && message.reportNumber === asked.holdfastReport) return message
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return undefined
  }
  const requestAll = async (
    asked: Omit<ReportRequest, 'holdfastReport'>,
  ): Promise<readonly Report[]> => {
    requestNumber += 1
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
    const reports = await Promise.all(
      workers.map((worker) =>
        worker ? request(worker, { ...asked, holdfastReport: requestNumber }) : undefined,
      ),
    )
    return reports.flatMap((report) => report ?? [])
  }

  return {
    async text(names) {
      await requestAll({ names })
      const isAsked = ({ name }: MetricSnapshot) => names?.includes(name) ?? true
      const snapshots = [
        ended,
        ...[...metricsByWorker.values()].map((known) => [...known.values()]),
      ]
      return formatMetrics(snapshots.map((snapshot) => snapshot.filter(isAsked)))
    },
    async rejections(query) {
      const reports = await requestAll({ rejections: query })
      const fromWorkers = reports.flatMap(({ rejections }) => rejections ?? [])
      return mergeReports([endedRejections.report(query), ...fromWorkers])
    },
  }
}

/** In a worker: reports its metrics and rejected requests on request, and once more before it ends. */
export function reportMetricsToSupervisor(metrics: Metrics): { finish(): Promise<void> } {
  // An error means that the supervisor has ended, so that no report is needed.
  const send = (report: Report) =>
    new Promise<void>((resolve) => process.send?.(report, () => resolve()))
  process.on('message', async (message) => {
    if (!isRequest(message)) return
    const { holdfastReport: reportNumber, names, rejections } = message
    if (rejections) send({ reportNumber, rejections: metrics.rejections.report(rejections) })
    else send({ reportNumber, metrics: await metrics.snapshot(names) })
  })
  return {
    finish: async () =>
      send({ metrics: await metrics.snapshot(), entries: metrics.rejections.entries() }),
  }
}

function isReport(message: unknown): message is Report {
  return (
    typeof message === 'object' &&
    message !== null &&
    ('metrics' in message || 'rejections' in message)
  )
}

function isRequest(message: unknown): message is ReportRequest {
  return typeof message === 'object' && message !== null && 'holdfastReport' in message
}
