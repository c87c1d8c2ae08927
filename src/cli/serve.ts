import { Command } from 'commander'
import { listSettings, settingNames } from '../server/settings/settings.ts'
import type { Terminal } from '../server/terminal.ts'
import { addCreateFlag } from './common/database.ts'
import { addSettingFlags, requireRoleSettings, type SettingFlags } from './common/setting-flags.ts'
import type { ServedRole } from './serve/serve.ts'

type Flags = SettingFlags & {
  readonly create?: boolean
  readonly newReplayFile?: boolean
}

const signals = (reloaded: string) =>
  `SIGTERM and SIGINT shut the server down gracefully, SIGHUP reloads ${reloaded}, SIGUSR2 replaces the workers one by one.\n\n`

const roles = {
  provider: {
    summary: 'serve customers’ data to the platform',
    description:
      'Serves sections A and C of the interface: banking and energy data, contact and the consent flow. Every request needs a single-use token that the platform signed for exactly that URL.',
    help: `${signals('the certificates')}Example: holdfast serve provider --create --database sqlite:bank.db --subdomain bank --provider-url https://bank.example --jwks-url https://platform.example/.well-known/jwks.json`,
    settings: settingNames,
  },
  guard: {
    summary: 'check requests of the platform and forward them to a service of yours',
    description:
      'Checks every request as the provider does (token, replay, limits, parameters and body) and forwards it to the upstream: a service that already has the data. The database holds the replay records, and the data of operations that are not forwarded.',
    help: `${signals('the certificates')}Example: holdfast serve guard --create --upstream https://core.internal:9000 --upstream-header-file api-key.txt --database sqlite:replay.db --subdomain bank --provider-url https://bank.example --jwks-url https://platform.example/.well-known/jwks.json`,
    settings: listSettings('guard'),
  },
  platform: {
    summary: 'serve the product catalogue and the platform’s public keys',
    description:
      'Serves section D of the interface, /v1/token for the API clients (see holdfast client), and /.well-known/jwks.json with the public signing keys (see holdfast keys).',
    help: `${signals('the certificates and the planned outages')}Example: holdfast serve platform --create --database sqlite:platform.db`,
    settings: listSettings('platform'),
  },
  intake: {
    summary: 'receive changes of the data in numbered batches',
    description:
      'Serves /v1/feeds to the systems of the data provider, and /v1/token for their API clients with the scope data.write (see holdfast client). It belongs in the internal network. It runs in one process: batches that arrive together share a commit, and the database commits one after another.',
    help: 'Example: holdfast serve intake --create --database sqlite:bank.db',
    settings: listSettings('intake'),
  },
} as const

export function serveCommand(terminal: Terminal): Command {
  const serve = new Command('serve')
    .summary('start a provider, a guard, a platform or an intake')
    .description(
      'Starts a server. All roles can use the same database. To try them with synthetic data, use holdfast demo.',
    )
    .addHelpText('after', '\nFor settings and an example: holdfast serve provider --help')
  for (const role of Object.keys(roles) as ServedRole[])
    serve.addCommand(roleCommand(role, terminal))
  return serve
}

function roleCommand(role: ServedRole, terminal: Terminal): Command {
  const { summary, description, help, settings } = roles[role]
  const command = new Command(role).summary(summary).description(description)
  addCreateFlag(command).addHelpText('after', `\n${help}`)
  if (role === 'provider' || role === 'guard') {
    command.option(
      '--new-replay-file',
      'start with an empty replay file if that of the database is lost; used tokens that have not expired can then be used again',
    )
  }
  return addSettingFlags(command, role, settings).action(
    async ({ create = false, newReplayFile = false, ...flags }: Flags) => {
      const settings = requireRoleSettings(role, flags, terminal)
      // The number of workers may be set for the other roles.
      const { workers } = role === 'intake' ? { workers: 1 } : settings
      const { serve } = await import('./serve/serve.ts')
      await serve(role, { ...settings, workers }, { create, newReplayFile }, terminal)
    },
  )
}
