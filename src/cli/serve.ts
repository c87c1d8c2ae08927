import { Command } from 'commander'
import { listSettings } from '../server/settings/settings.ts'
import type { Terminal } from '../server/terminal.ts'
import { addCreateFlag } from './common/database.ts'
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
  const guard = new Command('guard')
    .summary('check requests of the platform and forward them to a service of yours')
    .description(
      'Checks every request as the provider does (token, replay, limits, parameters and body) and forwards it to the upstream: a service that already has the data. The database holds the replay records, and the data of operations that are not forwarded.',
    )
    .addHelpText(
      'after',
      `
SIGTERM and SIGINT shut the server down gracefully, SIGHUP reloads the certificates, SIGUSR2 replaces the workers one by one.

Example: holdfast serve guard --create --upstream https://core.internal:9000 --upstream-header-file api-key.txt --database sqlite:replay.db --subdomain bank --provider-url https://bank.example --jwks-url https://platform.example/.well-known/jwks.json`,
    )
  const platform = new Command('platform')
    .summary('serve the product catalogue and the platform’s public keys')
    .description(
      'Serves section D of the interface, /v1/token for the API clients (see holdfast client), and /.well-known/jwks.json with the public signing keys (see holdfast keys).',
    )
    .addHelpText(
      'after',
      `
SIGTERM and SIGINT shut the server down gracefully, SIGHUP reloads the certificates and the planned outages, SIGUSR2 replaces the workers one by one.

Example: holdfast serve platform --create --database sqlite:platform.db`,
    )

  const intake = new Command('intake')
    .summary('receive changes of the data in numbered batches')
    .description(
      'Serves /v1/feeds to the systems of the data provider, and /v1/token for their API clients with the scope data.write (see holdfast client). It belongs in the internal network. It runs in one process: batches that arrive together share a commit, and the database commits one after another.',
    )
    .addHelpText('after', '\nExample: holdfast serve intake --create --database sqlite:bank.db')

  for (const command of [provider, guard]) {
    addCreateFlag(command).option(
      '--new-replay-file',
      'start with an empty replay file if that of the database is lost; used tokens that have not expired can then be used again',
    )
  }
  addSettingFlags(guard, 'guard', listSettings('guard'))
  guard.action(async ({ create = false, newReplayFile = false, ...flags }: Flags) => {
    const settings = requireRoleSettings('guard', flags, terminal)
    const { serveGuard } = await import('./serve/serve.ts')
    await serveGuard(settings, { create, newReplayFile }, terminal)
  })
  addSettingFlags(provider, 'provider')
  provider.action(async ({ create = false, newReplayFile = false, ...flags }: Flags) => {
    const settings = requireRoleSettings('provider', flags, terminal)
    const { serveProvider } = await import('./serve/serve.ts')
    await serveProvider(settings, { create, newReplayFile }, terminal)
  })
  addSettingFlags(addCreateFlag(platform), 'platform', listSettings('platform'))
  platform.action(async ({ create = false, ...flags }: Flags) => {
    const settings = readCommandSettings('platform', flags, terminal)
    const { servePlatform } = await import('./serve/serve.ts')
    await servePlatform(settings, { create }, terminal)
  })
  addSettingFlags(addCreateFlag(intake), 'intake', listSettings('intake'))
  intake.action(async ({ create = false, ...flags }: Flags) => {
    // The number of workers may be set for the other roles.
    const settings = { ...readCommandSettings('intake', flags, terminal), workers: 1 }
    const { serveIntake } = await import('./serve/serve.ts')
    await serveIntake(settings, { create }, terminal)
  })
  return new Command('serve')
    .summary('start a provider, a guard, a platform or an intake')
    .description(
      'Starts a server. All roles can use the same database. To try them with synthetic data, use holdfast demo.',
    )
    .addHelpText('after', '\nFor settings and an example: holdfast serve provider --help')
    .addCommand(provider)
    .addCommand(guard)
    .addCommand(platform)
    .addCommand(intake)
}
