import { Command } from 'commander'
import type { HttpApp } from '../http/app.ts'
import { databaseSettings } from './database.ts'
import { type Observation, openObservation, openScraping } from './observation.ts'
import { listen, openPlatform, openProvider } from './running.ts'
import type { Settings } from './settings.ts'
import { addSettingFlags, requiredSettingsOf, settingsOf } from './settings-command.ts'
import type { Terminal } from './terminal.ts'
import { untilStopped } from './until-stopped.ts'
import { isSupervisor, leaveSupervisor, superviseWorkers } from './workers.ts'

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
      const scraping = await openScraping(settings)
      await superviseWorkers(settings.workers, scraping, terminal)
      await scraping?.close()
      return
    }
    await run('provider', settings, (observation) => openProvider(settings, observation), terminal)
  })
  addSettingFlags(platform, platformSettings).action(async (flags: Flags) => {
    const settings = settingsOf('platform', flags, terminal)
    await run('platform', settings, (observation) => openPlatform(settings, observation), terminal)
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
  'logLevel',
  'metricsPort',
  'metricsHost',
] as const

async function run(
  role: string,
  settings: Pick<Settings, 'host' | 'port' | 'logLevel' | 'metricsHost'> & Partial<Settings>,
  open: (observation: Observation) => Promise<HttpApp>,
  terminal: Terminal,
): Promise<void> {
  const observation = await openObservation(settings)
  const scraping = await openScraping(settings, observation.metrics)
  try {
    const app = await open(observation)
    const address = await listen(app, settings.host, settings.port)
    observation.logCrashes()
    // A worker leaves it to its supervisor to say so.
    if (isSupervisor()) {
      terminal.out(`${role} ready on ${address}\n`)
      if (scraping) terminal.out(`metrics on ${scraping.address}\n`)
    }
    await untilStopped()
    await app.close()
  } finally {
    await scraping?.close()
  }
  leaveSupervisor()
}
