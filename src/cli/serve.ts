import type { TlsOptions } from 'node:tls'
import { Command } from 'commander'
import { shutDownGracefully } from '../server/graceful-shutdown.ts'
import { listen } from '../server/listen.ts'
import { openPlatform } from '../server/open-platform.ts'
import { type OpenServer, openProvider } from '../server/open-provider.ts'
import { exitAfter, untilStoppedBySupervisor, untilStopSignal } from '../server/signals.ts'
import {
  openMetricsEndpoint,
  openServerLog,
  openTelemetry,
  type Telemetry,
} from '../server/telemetry.ts'
import type { Terminal } from '../server/terminal.ts'
import { logCertificate, logFailedHandshakes, readTls, reloadTls } from '../server/tls.ts'
import {
  disconnectFromSupervisor,
  isReplacement,
  isSupervisor,
  reportReady,
  superviseWorkers,
} from '../server/workers.ts'
import type { Settings } from '../settings/settings.ts'
import { addCreateFlag, databaseSettings, prepareDatabase } from './common/database.ts'
import {
  addSettingFlags,
  readCommandSettings,
  requireRoleSettings,
  type SettingFlags,
} from './common/setting-flags.ts'

type Flags = SettingFlags & {
  readonly create?: boolean
  readonly newReplayFile?: boolean
}

type Open = (telemetry: Telemetry, tls: TlsOptions | undefined) => Promise<OpenServer>

export function serveCommand(terminal: Terminal): Command {
  const provider = new Command('provider')
    .summary('serve customers’ data to the platform')
    .description(
      'Serves sections A and C of the interface: banking and energy data, contact and the consent flow. Every request needs a single-use token that the platform signed for exactly that URL.',
    )
    .addHelpText(
      'after',
      `
SIGTERM and SIGINT shut the server down gracefully, SIGHUP reloads the certificates, SIGUSR2 replaces the workers one by one.

Example: holdfast serve provider --create --database sqlite:bank.db --subdomain bank --provider-url https://bank.example --jwks-url https://platform.example/.well-known/jwks.json`,
    )
  const platform = new Command('platform')
    .summary('serve the product catalogue and the platform’s public keys')
    .description(
      'Serves section D of the interface, /v1/token for the API clients (see holdfast client), and /.well-known/jwks.json with the public signing keys (see holdfast keys).',
    )
    .addHelpText(
      'after',
      '\nExample: holdfast serve platform --create --database sqlite:platform.db',
    )

  addCreateFlag(provider).option(
    '--new-replay-file',
    'start with an empty replay file if that of the database is lost; used tokens that have not expired can then be used again',
  )
  addSettingFlags(provider, 'provider')
  provider.action(async ({ create = false, newReplayFile = false, ...flags }: Flags) => {
    const settings = requireRoleSettings('provider', flags, terminal)
    await prepare(settings, { create, newReplayFile }, terminal)
    const open: Open = (...args) => openProvider(settings, ...args)
    await serve('provider', settings, open, terminal)
  })
  addSettingFlags(addCreateFlag(platform), 'platform', platformSettings)
  platform.action(async ({ create = false, ...flags }: Flags) => {
    const settings = readCommandSettings('platform', flags, terminal)
    await prepare(settings, { create }, terminal)
    const open: Open = async (...args) => ({
      app: await openPlatform(settings, ...args),
      isReady: async () => true,
    })
    await serve('platform', settings, open, terminal)
  })
  return new Command('serve')
    .summary('start a provider or a platform')
    .description(
      'Starts a server. Both roles can use the same database. To try them with synthetic data, use holdfast demo.',
    )
    .addHelpText('after', '\nFor settings and an example: holdfast serve provider --help')
    .addCommand(provider)
    .addCommand(platform)
}

/** Only in the supervisor: a worker that is started later must open the same files as the others. */
async function prepare(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  { create, newReplayFile = false }: { create: boolean; newReplayFile?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (!isSupervisor()) return
  await prepareDatabase(settings, create, terminal)
  if (!newReplayFile) return
  const { replaceReplayFile } = await import('../storage/open.ts')
  await replaceReplayFile(settings.database)
}

const platformSettings = [
  ...databaseSettings,
  'host',
  'port',
  'trustedProxies',
  'workers',
  'tlsCert',
  'tlsKey',
  'tlsClientCa',
  'shutdownTimeout',
  'connectionsPerAddress',
  'logLevel',
  'metricsPort',
  'metricsHost',
] as const

type ServeSettings = Pick<
  Settings,
  'host' | 'port' | 'workers' | 'logLevel' | 'metricsHost' | 'shutdownTimeout'
> &
  Partial<Settings>

/** Serves in this process, or in workers that this process supervises. */
async function serve(
  role: string,
  settings: ServeSettings,
  open: Open,
  terminal: Terminal,
): Promise<void> {
  if (settings.workers > 1 && isSupervisor()) {
    const log = await openServerLog(settings)
    const metricsEndpoint = await openMetricsEndpoint(settings)
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
  role: string,
  settings: ServeSettings,
  open: Open,
  terminal: Terminal,
): Promise<void> {
  const tls = readTls(settings)
  const telemetry = await openTelemetry(settings)
  const { log, exit } = telemetry
  const metricsEndpoint = await openMetricsEndpoint(settings, telemetry.metrics)
  try {
    const { app, isReady } = await open(telemetry, tls)
    const shutdownMs = settings.shutdownTimeout * 1000
    shutDownGracefully(app, shutdownMs, log)
    if (tls) logCertificate(log, tls, 'certificate in use')
    logFailedHandshakes(log, app.server)
    process.on('SIGHUP', () => reloadTls(log, app.server, settings))
    process.on('SIGUSR2', () => log.info('nothing to replace: the server has no workers'))
    const stopped = isSupervisor() ? untilStopSignal(exit) : untilStoppedBySupervisor()

    const shouldListen = !isReplacement() || (await isReady())
    const address = shouldListen ? await listen(app, settings.host, settings.port) : ''
    telemetry.logUncaughtErrors()
    if (isSupervisor()) {
      terminal.out(`${role} ready on ${address}\n`)
      if (metricsEndpoint) terminal.out(`metrics on ${metricsEndpoint.address}\n`)
    } else reportReady({ readyOn: address, isReady: await isReady() })
    await stopped
    exitAfter(shutdownMs, exit)
    await app.close()
  } finally {
    await metricsEndpoint?.close()
    await telemetry.close()
  }
}
