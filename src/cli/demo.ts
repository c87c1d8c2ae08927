import { Readable } from 'node:stream'
import { Command } from 'commander'
import type { Context } from '../provider/handler.ts'
import type { Overview, ProviderStore } from '../provider/store.ts'
import type { Settings } from './settings.ts'
import { addSettingFlags, settingsOf } from './settings-command.ts'
import { CommandError, type Terminal } from './terminal.ts'
import { untilStopped } from './until-stopped.ts'

const demoCustomers = 25
const demoSeed = 'demo'

export function demoCommand(terminal: Terminal): Command {
  const command = new Command('demo')
    .summary('start a provider with invented data')
    .description(
      'Starts a provider on this machine. An empty database is filled with invented customers first; one that has data is served as it is. Never for production: requests need no token.',
    )
    .addHelpText('after', '\nExample: holdfast demo --database sqlite:my-bank.db')
  const names = ['database', 'host', 'port', 'accountVersion', 'timeZone', 'logLevel'] as const
  return addSettingFlags(command, names).action(async (flags: object) => {
    const settings = settingsOf('demo', flags, terminal)
    if (!isLoopback(settings.host)) {
      throw new CommandError(
        2,
        '--host must be this machine’s own address: the demo asks for no token',
      )
    }
    const { openProviderStore } = await import('../storage/open.ts')
    const store = openProviderStore(settings.database)
    try {
      await fillIfEmpty(store, settings.database, terminal)
      await serve(store, settings, terminal)
    } finally {
      await store.close()
    }
  })
}

async function serve(
  store: ProviderStore,
  settings: Pick<Settings, 'database' | 'host' | 'port' | 'logLevel'> &
    Pick<Context, 'timeZone' | 'accountVersion'>,
  terminal: Terminal,
): Promise<void> {
  const { host, port, timeZone, accountVersion } = settings
  const { providerApp } = await import('../http/provider-app.ts')
  const { pino } = await import('pino')
  const app = providerApp({
    context: { store, timeZone, accountVersion },
    clock: () => Temporal.Now.instant(),
    guard: async () => {},
    log: pino({ level: settings.logLevel }, pino.destination(2)),
  })
  const address = await app.listen({ host, port }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new CommandError(1, `port ${port} is taken: choose another with --port`)
  })
  terminal.out(welcome(address, await store.overview(), settings))
  await untilStopped()
  await app.close()
}

async function fillIfEmpty(
  store: ProviderStore,
  database: string,
  terminal: Terminal,
): Promise<void> {
  const { customers } = await store.overview()
  if (customers > 0) return
  terminal.error('An empty database: making demo data …\n')

  const { generateLines } = await import('../load/generate/index.ts')
  const { load } = await import('../load/load.ts')
  const { openProviderWriter } = await import('../storage/open.ts')
  const now = Temporal.Now.instant()
  const lines = generateLines({ customers: demoCustomers, seed: demoSeed, until: now.toString() })
  const writer = openProviderWriter(database, now)
  try {
    const bytes = function* () {
      for (const line of lines) yield Buffer.from(`${line}\n`)
    }
    const file = { name: 'demo data', open: () => Readable.from(bytes()) }
    await load([file], writer, {
      onRefusal: ({ line, path, reason }) => {
        throw new Error(`line ${line} of the demo data: ${path} ${reason}`)
      },
    })
  } finally {
    await writer.close()
  }
}

function welcome(address: string, overview: Overview, { database }: { database: string }): string {
  const { customers, accounts, example } = overview
  const ids = example && {
    customer: encodeURIComponent(example.customerId),
    account: encodeURIComponent(example.accountId),
  }
  const tries = ids && [
    '',
    `customer  ${example.customerId}`,
    '',
    'Try it:',
    `  curl '${address}/auth/v1/customer/${ids.customer}/accounts'`,
    `  curl '${address}/v1/banking/customer/${ids.customer}/accounts/${ids.account}/transactions?page-size=2'`,
  ]
  return `${[
    'Holdfast demo. Never for production: requests need no token.',
    '',
    `provider  ${address}   ${customers} customers, ${accounts} accounts`,
    `data      ${database}`,
    ...(tries ?? []),
    '',
    'Ctrl-C stops it.',
  ].join('\n')}\n`
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
