import type { Logger } from 'pino'
import { openEmbeddedLog, withErrorsForLog } from './observe/log.ts'
import type { Settings } from './settings/settings.ts'
import { openTracing, type Telemetry } from './telemetry.ts'

/** The log, metrics and traces of a server in the process of another program. */
export interface EmbeddedTelemetry extends Pick<Telemetry, 'log' | 'metrics' | 'tracing'> {
  close(): Promise<void>
}

/** `given` is a logger of the program, with a level of its own. */
export async function openEmbeddedTelemetry(
  { logLevel, metricsHost, metricsPort }: Settings,
  given: Logger | undefined,
): Promise<EmbeddedTelemetry> {
  const tracing = await openTracing()
  const { log, close } = given
    ? { log: withErrorsForLog(given), close: async () => {} }
    : openEmbeddedLog(logLevel, tracing !== undefined)
  if (metricsPort === undefined) return { log, metrics: undefined, tracing, close }

  const { createMetricsReader, openMetrics } = await import('./observe/metrics.ts')
  const { serveMetrics } = await import('./observe/metrics-server.ts')
  const metrics = openMetrics()
  const address = { host: metricsHost, port: metricsPort }
  const endpoint = await serveMetrics(address, createMetricsReader(metrics))
  log.info({ address: endpoint.address }, 'metrics are served')
  return { log, metrics, tracing, close: () => endpoint.close().finally(close) }
}
