import type { TlsOptions } from 'node:tls'
import { warnOfLowDescriptorLimit } from '../../server/descriptor-limit.ts'
import { openEnding } from '../../server/ending.ts'
import { adaptToRequests } from '../../server/garbage-collection.ts'
import { shutDownGracefully } from '../../server/graceful-shutdown.ts'
import { listen } from '../../server/listen.ts'
import { openIntake } from '../../server/open-intake.ts'
import { openPlatform } from '../../server/open-platform.ts'
import { type OpenServer, openProvider } from '../../server/open-provider.ts'
import { openOutages } from '../../server/outages.ts'
import { recordStart } from '../../server/record-start.ts'
import type { Settings } from '../../server/settings/settings.ts'
import {
  openMetricsEndpoint,
  openServerLog,
  openTelemetry,
  shareMetricsAddress,
  type Telemetry,
} from '../../server/telemetry.ts'
import type { Terminal } from '../../server/terminal.ts'
import { logCertificate, logFailedHandshakes, readTls, reloadTls } from '../../server/tls.ts'
import {
  disconnectFromSupervisor,
  isReplacement,
  isSupervisor,
  reportReady,
  superviseWorkers,
} from '../../server/workers.ts'
import { prepareDatabase } from '../common/database.ts'

export type ServedRole = 'provider' | 'guard' | 'platform' | 'intake'

type Open = (telemetry: Telemetry, tls: TlsOptions | undefined) => Promise<OpenServer>

/** What is done once, before the workers are started. */
interface Preparation {
  readonly create: boolean
  readonly newReplayFile: boolean
}

/** How each role opens its server. What is wrong with its files is reported once, and not by each worker. */
const openers: Readonly<Record<ServedRole, (settings: Settings) => Open | Promise<Open>>> = {
  provider:
    (settings) =>
    (...args) =>
      openProvider(settings, ...args),
  async guard(settings) {
    const { openGuardServer, readForwarded } = await import('../../server/open-guard.ts')
    readForwarded(settings.upstreamOperations)
    return (...args) => openGuardServer(settings, ...args)
  },
  platform(settings) {
    const outages = openOutages(settings.outagesFile)
    return async (telemetry, tls) => ({
      ...(await openReady(openPlatform(settings, telemetry, tls, { listOutages: outages.list }))),
      reload: () => outages.reload(telemetry.log),
    })
  },
  intake:
    (settings) =>
    (...args) =>
      openReady(openIntake(settings, ...args)),
}

/** A server that needs no keys is ready once it is open. */
async function openReady(app: Promise<OpenServer['app']>): Promise<OpenServer> {
  return { app: await app, isReady: async () => true }
}

/** Only in the supervisor: a worker that is started later must open the same files as the others. */
async function prepare(
  settings: Settings,
  { create, newReplayFile }: Preparation,
  terminal: Terminal,
): Promise<void> {
  if (!isSupervisor()) return
  await prepareDatabase(settings, create, terminal)
  if (!newReplayFile) return
  const { replaceReplayFile } = await import('../../storage/open.ts')
  await replaceReplayFile(settings.database)
}

/** Serves in this process, or in workers that this process supervises. */
export async function serve(
  role: ServedRole,
  settings: Settings,
  preparation: Preparation,
  terminal: Terminal,
): Promise<void> {
  const open = await openers[role](settings)
  await prepare(settings, preparation, terminal)
  if (settings.workers > 1 && isSupervisor()) {
    const log = await openServerLog(settings)
    warnOfLowDescriptorLimit(settings, log.log)
    const metricsEndpoint = await openMetricsEndpoint(settings)
    if (metricsEndpoint) shareMetricsAddress(metricsEndpoint)
    try {
      await superviseWorkers({ role, ...settings }, log, metricsEndpoint, terminal)
    } finally {
      await metricsEndpoint?.close()
      await log.close()
    }
    return
  }
  try {
    await serveInProcess(role, settings, open, terminal)
  } finally {
    disconnectFromSupervisor()
  }
}

async function serveInProcess(
  role: ServedRole,
  settings: Settings,
  open: Open,
  terminal: Terminal,
): Promise<void> {
  const tls = readTls(settings)
  const telemetry = await openTelemetry(settings)
  const { log } = telemetry
  // The workers have the limit of their supervisor.
  if (isSupervisor()) warnOfLowDescriptorLimit(settings, log)
  const metricsEndpoint = await openMetricsEndpoint(settings, telemetry.metrics)
  const ending = openEnding(telemetry, settings.shutdownTimeout * 1000)
  try {
    const { app, isReady, reload } = await open(telemetry, tls)
    shutDownGracefully(app, ending.shutdownMs, log)
    if (tls) logCertificate(log, tls, 'certificate in use')
    logFailedHandshakes(log, app.server)
    process.on('SIGHUP', () => {
      reloadTls(log, app.server, settings)
      reload?.()
    })
    process.on('SIGUSR2', () => log.info('nothing to replace: the server has no workers'))
    const stopped = ending.untilStopped()

    const shouldListen = !isReplacement() || (await isReady())
    const address = shouldListen ? await listen(app, settings.host, settings.port) : ''
    adaptToRequests()
    ending.endOnUncaughtError()
    if (isSupervisor()) {
      terminal.out(`${role} ready on ${address}\n`)
      if (metricsEndpoint) terminal.out(`metrics on ${metricsEndpoint.address}\n`)
    } else reportReady({ readyOn: address, isReady: await isReady() })
    const endRecording = recordStart(role, settings, log)
    await stopped
    await app.close()
    await endRecording()
  } finally {
    await metricsEndpoint?.close()
    await telemetry.close()
  }
  await ending.exitIfFailed()
}
