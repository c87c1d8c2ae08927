import type { TlsOptions } from 'node:tls'
import { Command } from 'commander'
import {
  listen,
  type OpenServer,
  openPlatform,
  openProvider,
  shutDownGracefully,
} from '../server/open-servers.ts'
import { exitAfter, untilStoppedBySupervisor, untilStopSignal } from '../server/signals.ts'
import { openScraping, openServerLog, openTelemetry, type Telemetry } from '../server/telemetry.ts'
import type { Terminal } from '../server/terminal.ts'
import { logCertificate, logRefusedHandshakes, readTls, reloadTls } from '../server/tls.ts'
import {
  isReplacement,
  isSupervisor,
  leaveSupervisor,
  reportReady,
  superviseWorkers,
} from '../server/workers.ts'
import type { Settings } from '../settings/settings.ts'
import { addCreateFlag, databaseSettings, prepareDatabase } from './database.ts'
import { addSettingFlags, requiredSettingsOf, settingsOf } from './settings-command.ts'

type Flags = Partial<Record<keyof Settings, string>> & {
  readonly create?: boolean
  readonly newReplayFile?: boolean
}

type Open = (observation: Telemetry, tls: TlsOptions | undefined) => Promise<OpenServer>

export function serveCommand(terminal: Terminal): Command {
  const provider = new Command('provider')
    .summary('answer the platform’s requests for customers’ data')
    .description(
      'Serves sections A and C of the interface. Every request must carry a token that the platform signed for exactly that resource, and that was not used before.',
    )
  const platform = new Command('platform')
    .summary('serve the product catalogue, its tokens and the platform’s public keys')
    .description(
      'Serves section D of the interface, /v1/token for the clients that holdfast client manages, and /.well-known/jwks.json with the keys that holdfast keys manages.',
    )

  addCreateFlag(addSettingFlags(provider)).option(
    '--new-replay-file',
    'begin an empty replay file if the one of the database is lost: tokens that were used and have not expired can then be used once more',
  )
  provider.action(async ({ create = false, newReplayFile = false, ...flags }: Flags) => {
    const settings = requiredSettingsOf('provider', flags, terminal)
    await prepare(settings, { create, newReplayFile }, terminal)
    const open: Open = (...given) => openProvider(settings, ...given)
    await serve('provider', settings, open, terminal)
  })
  addCreateFlag(addSettingFlags(platform, platformSettings))
  platform.action(async ({ create = false, ...flags }: Flags) => {
    const settings = settingsOf('platform', flags, terminal)
    await prepare(settings, { create }, terminal)
    const open: Open = async (...given) => ({
      app: await openPlatform(settings, ...given),
      isReady: async () => true,
    })
    await serve('platform', settings, open, terminal)
  })
  return new Command('serve')
    .summary('serve a provider or a platform')
    .addCommand(provider)
    .addCommand(platform)
}

/** Once for all workers. One that is started later must find the files that the others have open. */
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

/** In this process, or in workers that this process supervises. */
async function serve(
  role: string,
  settings: ServeSettings,
  open: Open,
  terminal: Terminal,
): Promise<void> {
  if (settings.workers > 1 && isSupervisor()) {
    const log = await openServerLog(settings)
    const scraping = await openScraping(settings)
    try {
      await superviseWorkers({ role, ...settings }, log, scraping, terminal)
    } finally {
      await scraping?.close()
      await log.close()
    }
    return
  }
  try {
    await run(role, settings, open, terminal)
  } finally {
    leaveSupervisor()
  }
}

async function run(
  role: string,
  settings: ServeSettings,
  open: Open,
  terminal: Terminal,
): Promise<void> {
  const tls = readTls(settings)
  const observation = await openTelemetry(settings)
  const { log, exit } = observation
  const scraping = await openScraping(settings, observation.metrics)
  try {
    const { app, isReady } = await open(observation, tls)
    const shutdownMs = settings.shutdownTimeout * 1000
    shutDownGracefully(app, shutdownMs, log)
    if (tls) logCertificate(log, tls, 'certificate in use')
    logRefusedHandshakes(log, app.server)
    process.on('SIGHUP', () => reloadTls(log, app.server, settings))
    process.on('SIGUSR2', () => log.info('nothing to replace: only a supervisor has workers'))
    const stopped = isSupervisor() ? untilStopSignal(exit) : untilStoppedBySupervisor()

    const isWanted = !isReplacement() || (await isReady())
    const address = isWanted ? await listen(app, settings.host, settings.port) : ''
    observation.logUncaughtErrors()
    // A worker leaves it to its supervisor to say so.
    if (isSupervisor()) {
      terminal.out(`${role} ready on ${address}\n`)
      if (scraping) terminal.out(`metrics on ${scraping.address}\n`)
    } else reportReady({ readyOn: address, isReady: await isReady() })
    await stopped
    exitAfter(shutdownMs, exit)
    await app.close()
  } finally {
    await scraping?.close()
    await observation.close()
  }
}
