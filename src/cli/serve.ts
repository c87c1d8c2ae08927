import type { TlsOptions } from 'node:tls'
import { Command } from 'commander'
import { openDrain } from '../http/drain.ts'
import { databaseSettings } from './database.ts'
import { listen, type Opened, openPlatform, openProvider } from './running.ts'
import type { Settings } from './settings.ts'
import { addSettingFlags, requiredSettingsOf, settingsOf } from './settings-command.ts'
import type { Terminal } from './terminal.ts'
import { logCertificate, logRefusedHandshakes, readTls, reloadTls } from './tls.ts'
import { untilStopped, untilToldBySupervisor } from './until-stopped.ts'
import { isSupervisor, leaveSupervisor, superviseWorkers, tellSupervisor } from './workers.ts'

/** How long closing databases may take when all requests are done. */
const exitAfterMs = 1000

type Flags = Partial<Record<keyof Settings, string>>

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

  addSettingFlags(provider).action(async (flags: Flags) => {
    const settings = requiredSettingsOf('provider', flags, terminal)
    if (settings.workers > 1 && isSupervisor()) {
      await superviseWorkers(settings, terminal)
      return
    }
    try {
      const tls = readTls(settings)
      await run('provider', await openProvider(settings, tls), settings, tls, terminal)
    } finally {
      leaveSupervisor()
    }
  })
  addSettingFlags(platform, platformSettings).action(async (flags: Flags) => {
    const settings = settingsOf('platform', flags, terminal)
    const tls = readTls(settings)
    const app = await openPlatform(settings, tls)
    await run('platform', { app, isAble: () => true }, settings, tls, terminal)
  })
  return new Command('serve')
    .summary('serve a provider or a platform')
    .addCommand(provider)
    .addCommand(platform)
}

const platformSettings = [
  ...databaseSettings,
  'host',
  'port',
  'tlsCert',
  'tlsKey',
  'tlsClientCa',
  'shutdownTimeout',
  'logLevel',
] as const

async function run(
  role: string,
  { app, isAble }: Opened,
  settings: Pick<Settings, 'host' | 'port' | 'shutdownTimeout'> & Partial<Settings>,
  tls: TlsOptions | undefined,
  terminal: Terminal,
): Promise<void> {
  const shutdownMs = settings.shutdownTimeout * 1000
  const drain = openDrain(app.server)
  app.addHook('preClose', async () => {
    const cut = await drain(shutdownMs)
    if (cut > 0) app.log.warn({ requests: cut }, 'stopped before these were answered')
  })
  if (tls) logCertificate(app, tls, 'certificate in use')
  logRefusedHandshakes(app)
  process.on('SIGHUP', () => reloadTls(app, settings))
  process.on('SIGUSR2', () => app.log.info('nothing to replace: only a supervisor has workers'))
  const stopped = isSupervisor() ? untilStopped() : untilToldBySupervisor()

  const address = await listen(app, settings.host, settings.port)
  // A worker leaves it to its supervisor to say so.
  if (isSupervisor()) terminal.out(`${role} ready on ${address}\n`)
  else tellSupervisor({ readyOn: address, isAble: isAble() })
  await stopped
  // Whatever a database or a connection still waits for: it is over then.
  setTimeout(() => process.exit(0), shutdownMs + exitAfterMs).unref()
  await app.close()
}
