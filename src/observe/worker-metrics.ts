import cluster, { type Worker } from 'node:cluster'
import { combineCounters, formatMetrics, type Metrics, type Snapshot } from './metrics.ts'

/** How long a worker may take to report its metrics; after that, its previous report is used. */
const reportTimeoutMs = 1000

const reportRequest = 'holdfast metrics'

interface MetricsReport {
  readonly metrics: Snapshot
}

/**
 * The metrics of all workers, aggregated by the supervisor. The counters of a worker are kept when it ends, so that no
 * counter ever decreases.
 */
export function openWorkerMetrics(): { text(): Promise<string> } {
  const reports = new Map<number, Snapshot>()
  const waiting = new Map<number, () => void>()
  let ended: Promise<Snapshot> = Promise.resolve([])

  cluster.on('message', ({ id }, message: unknown) => {
    if (!isReport(message)) return
    reports.set(id, message.metrics)
    waiting.get(id)?.()
  })
  cluster.on('exit', ({ id }) => {
    const last = reports.get(id)
    reports.delete(id)
    waiting.get(id)?.()
    if (last) ended = ended.then((previous) => combineCounters([previous, last]))
  })

  const requestReport = (worker: Worker): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, reportTimeoutMs)
      waiting.set(worker.id, () => {
        clearTimeout(timer)
        resolve()
      })
      // Sending fails if the worker is ending.
      worker.send(reportRequest, (error) => error && waiting.get(worker.id)?.())
    })

  return {
    async text() {
      const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? [])
      await Promise.all(workers.filter((worker) => worker.isConnected()).map(requestReport))
      waiting.clear()
      let awaited: Promise<Snapshot>
      let endedCounters: Snapshot
      // Repeated if a worker ended meanwhile: it would be missing from both sources.
      do {
        awaited = ended
        endedCounters = await awaited
      } while (awaited !== ended)
      return formatMetrics([endedCounters, ...reports.values()])
    },
  }
}

/** In a worker: reports its metrics on request, and once more before it ends. */
export function reportMetricsToSupervisor(metrics: Metrics): { finish(): Promise<void> } {
  const report = async (): Promise<void> => {
    const message: MetricsReport = { metrics: await metrics.snapshot() }
    // An error means that the supervisor has ended, so that no report is needed.
    await new Promise((resolve) => process.send?.(message, resolve))
  }
  process.on('message', (message) => {
    if (message === reportRequest) report()
  })
  return { finish: report }
}

function isReport(message: unknown): message is MetricsReport {
  return typeof message === 'object' && message !== null && 'metrics' in message
}
