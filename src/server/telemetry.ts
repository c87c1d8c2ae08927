import cluster from 'node:cluster'
import type { MonitoredRole } from '../contract/index.ts'
import { warningType } from './database-options.ts'
import type { Log } from './observe/log.ts'
import type { Metrics } from './observe/metrics.ts'
import type { MetricsEndpoint } from './observe/metrics-reader.ts'
import type { Settings } from './settings/settings.ts'
import { CommandError } from './terminal.ts'

/** The log of a server, and its metrics and traces if they are configured. */
export interface Telemetry extends Log {
  readonly metrics: Metrics | undefined
  /** The servers of this process, if they share the metrics. Absent: there is one server. */
  readonly sharedBy?: readonly MonitoredRole[]
  readonly tracing: Tracing | undefined
}

/** The log alone, for a supervisor. */
export async function openServerLog(
  { logLevel }: Pick<Settings, 'logLevel'>,
  isTraced = false,
): Promise<Log> {
  const { openLog } = await import('./observe/log.ts')
  return openLog(logLevel, isTraced)
}

type Tracing = typeof import('./observe/tracing.ts')

export async function openTelemetry(
  settings: Pick<Settings, 'logLevel'> & Partial<Settings>,
): Promise<Telemetry> {
  const tracing = await openTracing()
  const log = await openServerLog(settings, tracing !== undefined)
  process.on('warning', ({ name, message }) => {
    if (name === warningType) log.log.warn(message)
  })
  if (settings.metricsPort === undefined) return { ...log, metrics: undefined, tracing }
  const { openMetrics } = await import('./observe/metrics.ts')
  return { ...log, metrics: openMetrics(), tracing }
}

/** Undefined unless the OpenTelemetry API is installed and an SDK is registered. */
export async function openTracing(): Promise<Tracing | undefined> {
  try {
    const tracing = await import('./observe/tracing.ts')
    return tracing.isTracingActive() ? tracing : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    return undefined
  }
}

/** The address of the supervisor's metrics, for its workers. Without the prefix of settings, because it is not a setting. */
const addressVariable = 'METRICS_OF_HOLDFAST_SUPERVISOR'

export function readMetricsAddress(): string | undefined {
  return process.env[addressVariable]
}

/** Workers that are started from now on read the metrics of all workers at this address. */
export function shareMetricsAddress({ address }: MetricsEndpoint): void {
  process.env[addressVariable] = address
}

/** Serves metrics if a port is configured. With several workers, the supervisor serves them and the workers report to it. */
export async function openMetricsEndpoint(
  { metricsPort, metricsHost }: Pick<Settings, 'metricsHost'> & Partial<Settings>,
  metrics?: Metrics,
): Promise<MetricsEndpoint | undefined> {
  if (metricsPort === undefined) return undefined
  const { openWorkerMetrics, reportMetricsToSupervisor } = await import(
    './observe/worker-metrics.ts'
  )
  if (metrics && cluster.isWorker) {
    return { address: '', close: reportMetricsToSupervisor(metrics).finish }
  }
  const { serveMetrics } = await import('./observe/metrics-server.ts')
  const { createMetricsReader } = await import('./observe/metrics.ts')
  const reader = metrics ? createMetricsReader(metrics) : openWorkerMetrics()
  return serveMetrics({ host: metricsHost, port: metricsPort }, reader).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      throw new CommandError(
        1,
        `port ${metricsPort} is already in use: choose another with --metrics-port`,
      )
    },
  )
}
