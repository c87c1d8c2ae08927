import { Command } from 'commander'
import type { HttpApp } from '../http/app.ts'
import { databaseSettings } from './database.ts'
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
      await superviseWorkers(settings.workers, terminal)
      return
    }
    await run('provider', await openProvider(settings), settings, terminal)
  })
  addSettingFlags(platform, [...databaseSettings, 'host', 'port', 'logLevel']).action(
    async (flags: Flags) => {
      const settings = settingsOf('platform', flags, terminal)
      await run('platform', await openPlatform(settings), settings, terminal)
    },
  )
  return new Command('serve')
    .summary('serve a provider or a platform')
    .addCommand(provider)
    .addCommand(platform)
}

async function run(
  role: string,
  app: HttpApp,
  { host, port }: Pick<Settings, 'host' | 'port'>,
  terminal: Terminal,
): Promise<void> {
  const address = await listen(app, host, port)
  // A worker leaves it to its supervisor to say so.
  if (isSupervisor()) terminal.out(`${role} ready on ${address}\n`)
  await untilStopped()
  await app.close()
  leaveSupervisor()
}
