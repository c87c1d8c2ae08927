import cluster from 'node:cluster'
import type { Logger } from 'pino'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Settings } from '../settings/settings.ts'
import { CommandError } from './terminal.ts'

/** How a server reports what it does: a log, and metrics and spans where they are configured. */
export interface Telemetry extends Log {
  readonly metrics: Metrics | undefined
  readonly tracing: Tracing | undefined
  /** From when it serves: at start, an error ends the process and is printed in full. */
  logUncaughtErrors(): void
}

/** The log alone, for a supervisor. Loaded only by the commands that serve. */
export async function openServerLog({ logLevel }: Pick<Settings, 'logLevel'>): Promise<Log> {
  const { openLog } = await import('../observe/log.ts')
  return openLog(logLevel)
}

type Tracing = typeof import('../observe/tracing.ts')

export async function openTelemetry({
  logLevel,
  metricsPort,
}: Pick<Settings, 'logLevel'> & Partial<Settings>): Promise<Telemetry> {
  const { logUncaughtErrors } = await import('../observe/log.ts')
  const opened = await openServerLog({ logLevel })
  return {
    ...opened,
    metrics:
      metricsPort === undefined ? undefined : (await import('../observe/metrics.ts')).openMetrics(),
    tracing: await openTracing(opened.log),
    logUncaughtErrors: () => logUncaughtErrors(opened.log),
  }
}

/** Where every copy of the OpenTelemetry API looks for what was registered with any of them. */
const registry = Symbol.for('opentelemetry.js.api.1')

/** Nothing of it is loaded where nobody has registered an SDK before. */
async function openTracing(log: Logger): Promise<Tracing | undefined> {
  const { trace } = (globalThis as { [registry]?: { trace?: unknown } })[registry] ?? {}
  if (!trace) return undefined
  const tracing = await import('../observe/tracing.ts')
  if (tracing.isTracingActive(trace)) return tracing
  log.warn('no spans: the registered OpenTelemetry API is older than the one that Holdfast has')
  return undefined
}

/** Where the metrics are to be had, until it is closed. */
export interface Scraping {
  readonly address: string
  close(): Promise<void>
}

/** The port for metrics, where one is set: a supervisor has it for all of its workers, which only tell it. */
export async function openScraping(
  { metricsPort, metricsHost }: Pick<Settings, 'metricsHost'> & Partial<Settings>,
  metrics?: Metrics,
): Promise<Scraping | undefined> {
  if (metricsPort === undefined) return undefined
  const { openWorkerMetrics, tellSupervisor } = await import('../observe/worker-metrics.ts')
  if (metrics && cluster.isWorker) {
    return { address: '', close: tellSupervisor(metrics).finish }
  }
  const { serveMetrics } = await import('../observe/metrics-server.ts')
  const { textOf } = await import('../observe/metrics.ts')
  const collect = metrics
    ? async () => textOf([await metrics.snapshot()])
    : openWorkerMetrics().text
  return serveMetrics({ host: metricsHost, port: metricsPort }, collect).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      throw new CommandError(
        1,
        `port ${metricsPort} is already in use: choose another with --metrics-port`,
      )
    },
  )
}
