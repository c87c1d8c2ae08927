import cluster from 'node:cluster'
import type { MonitoredRole } from '../contract/index.ts'
import type { MetricsOrigin } from './observe/metrics-origin.ts'
import type { MetricsReader } from './observe/metrics-reader.ts'
import { type Settings, variableName } from './settings/settings.ts'
import { readMetricsAddress, type Telemetry } from './telemetry.ts'

type MonitoredTelemetry = Pick<Telemetry, 'metrics' | 'sharedBy'>

/** How long after its start a server takes its first sample. */
const startMs = 5000

/** What the console shows of the servers. Nothing of it is loaded before it is first opened, or started. */
export function createMonitoring(settings: Partial<Settings>, telemetry: MonitoredTelemetry) {
  let opened: ReturnType<typeof openMonitoring> | undefined
  let timer: NodeJS.Timeout | undefined
  const open = () => {
    opened ??= openMonitoring(settings, telemetry)
    return opened
  }
  return {
    open,
    /** Samples are taken soon, also without a client. */
    start(): void {
      timer = setTimeout(() => void open(), startMs).unref()
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      const monitoring = await opened
      monitoring?.close()
    },
  }
}

async function openMonitoring(
  settings: Partial<Settings>,
  { metrics, sharedBy }: MonitoredTelemetry,
) {
  const { openMonitoring: open } = await import('./observe/monitoring.ts')
  const { openRemoteReader } = await import('./observe/metrics-origin.ts')
  const createOwnReader = async (): Promise<MetricsReader | undefined> => {
    if (!metrics) return undefined
    // The supervisor has the metrics of all workers.
    const address = cluster.isWorker ? readMetricsAddress() : undefined
    if (address !== undefined) return openRemoteReader(address)
    const { createMetricsReader } = await import('./observe/metrics.ts')
    return createMetricsReader(metrics)
  }
  const own: MetricsOrigin = {
    roles: sharedBy ?? ['platform'],
    reader: await createOwnReader(),
    setting: variableName('metricsPort'),
  }
  const remote = (
    role: MonitoredRole,
    name: 'providerMetricsUrl' | 'intakeMetricsUrl',
  ): MetricsOrigin => {
    const url = settings[name]
    const reader = url === undefined ? undefined : openRemoteReader(url)
    return { roles: [role], reader, setting: variableName(name) }
  }
  return open(
    sharedBy
      ? [own]
      : [remote('provider', 'providerMetricsUrl'), own, remote('intake', 'intakeMetricsUrl')],
  )
}
