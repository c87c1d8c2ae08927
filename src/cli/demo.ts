import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { Command } from 'commander'
import type { Overview, ProviderStore } from '../provider/store.ts'
import { databaseOptions } from '../server/database-options.ts'
import { listen, openPlatform, openProvider, shutDownGracefully } from '../server/open-servers.ts'
import { exitAfter, untilStopSignal } from '../server/signals.ts'
import { openScraping, openTelemetry, type Telemetry } from '../server/telemetry.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { isLoopback } from '../settings/loopback.ts'
import { definitions, type Settings } from '../settings/settings.ts'
import { databaseSettings, prepareDatabase, quoted } from './database.ts'
import { addSettingFlags, requiredSettingsOf } from './settings-command.ts'

const demoCustomers = 25
const demoSeed = 'demo'
const portMax = 65_535
const portAdvice =
  'the demo uses two ports, --port for the provider and the next higher one for the platform; choose another with --port'

/** What `holdfast token` goes by when it is told nothing else. */
const databaseDefault = definitions.database.defaults.demo
const subdomainDefault = definitions.subdomain.defaults.demo

export function demoCommand(terminal: Terminal): Command {
  const command = new Command('demo')
    .summary('start a provider and a platform with invented data')
    .description(
      'Starts both sides on this machine, on two ports: --port for the provider and the next higher one for the platform. The first start makes a signing key and invented customers; a database that has data is served unchanged. Never for production: anyone who can reach it can sign tokens.',
    )
    .addHelpText('after', '\nExample: holdfast demo --database sqlite:my-bank.db')
  return addSettingFlags(command, flagNames).action(async (flags: object) => {
    const settings = requiredSettingsOf('demo', flags, terminal)
    if (!isLoopback(settings.host)) {
      throw new CommandError(2, '--host must be this machine’s own address: this is a demo')
    }
    if (settings.port >= portMax)
      throw new CommandError(2, `--port must be below ${portMax}: ${portAdvice}`)
    await prepareDatabase(settings, true, terminal)
    await prepare(settings, terminal)
    const observation = await openTelemetry(settings)
    const scraping = await openScraping(settings, observation.metrics)
    try {
      await serveBoth(settings, observation, terminal, scraping?.address)
    } finally {
      await scraping?.close()
      await observation.close()
    }
  })
}

const flagNames = [
  ...databaseSettings,
  'host',
  'port',
  'subdomain',
  'accountVersion',
  'timeZone',
  'logLevel',
  'metricsPort',
  'metricsHost',
] as const

async function serveBoth(
  settings: Settings,
  observation: Telemetry,
  terminal: Terminal,
  metricsAddress: string | undefined,
): Promise<void> {
  const platform = await openPlatform(settings, observation)
  shutDownGracefully(platform, settings.shutdownTimeout * 1000, observation.log)
  const platformPort = settings.port && settings.port + 1
  const address = await listen(platform, settings.host, platformPort, portAdvice)
  try {
    const jwksUrl = `${address}/.well-known/jwks.json`
    await serveProvider({ ...settings, jwksUrl }, observation, terminal, {
      platform: address,
      metrics: metricsAddress,
    })
  } finally {
    await platform.close()
  }
}

/** The provider's own address is known when it listens, and is what tokens must be for. */
async function serveProvider(
  settings: Settings,
  observation: Telemetry,
  terminal: Terminal,
  others: { readonly platform: string; readonly metrics: string | undefined },
): Promise<void> {
  const port = settings.port || (await freePort(settings.host))
  const address = `http://${settings.host}:${port}`
  const urls = { providerUrl: address, resourceUrl: address }
  const { app } = await openProvider({ ...settings, ...urls }, observation)
  const shutdownMs = settings.shutdownTimeout * 1000
  shutDownGracefully(app, shutdownMs, observation.log)
  await listen(app, settings.host, port, portAdvice)
  observation.logUncaughtErrors()
  const { openProviderStore } = await import('../storage/open.ts')
  const { catalogueOperations } = await import('../contract/index.ts')
  const products = catalogueOperations.listProducts.path
  const store = await openProviderStore(settings.database, databaseOptions(settings))
  terminal.out(welcome(address, others.platform, products, await store.overview(), settings))
  await store.close()
  if (others.metrics) terminal.out(`metrics on ${others.metrics}\n`)
  await untilStopSignal(observation.exit)
  exitAfter(shutdownMs, observation.exit)
  await app.close()
}

/** A key to sign with and customers to look at, where there are none. */
async function prepare(settings: Settings, terminal: Terminal): Promise<void> {
  const { database } = settings
  const options = databaseOptions(settings)
  const { openProviderStore, openSigningKeyStore } = await import('../storage/open.ts')
  const { makeSigningKey } = await import('../auth/signing.ts')
  const keys = await openSigningKeyStore(database, options)
  const inUse = (await keys.list()).filter(({ retired }) => retired === undefined)
  if (inUse.length === 0) await keys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
  await keys.close()
  const store = await openProviderStore(database, options)
  await fillIfEmpty(store, settings, terminal)
  await store.close()
}

async function fillIfEmpty(
  store: ProviderStore,
  settings: Settings,
  terminal: Terminal,
): Promise<void> {
  const { customers } = await store.overview()
  if (customers > 0) return
  terminal.error('An empty database: making demo data …\n')

  const { generateLines } = await import('../generate/index.ts')
  const { load } = await import('../load/load.ts')
  const { openProviderWriter } = await import('../storage/open.ts')
  const now = Temporal.Now.instant()
  const lines = generateLines({ customers: demoCustomers, seed: demoSeed, until: now.toString() })
  const options = databaseOptions(settings)
  const writer = await openProviderWriter(settings.database, { loadTime: now }, options)
  try {
    const bytes = function* () {
      for (const line of lines) yield Buffer.from(`${line}\n`)
    }
    const file = { name: 'demo data', open: () => Readable.from(bytes()) }
    await load([file], writer, {
      onError: ({ line, path, reason }) => {
        throw new Error(`line ${line} of the demo data: ${path} ${reason}`)
      },
    })
  } finally {
    await writer.close()
  }
}

function welcome(
  address: string,
  platformAddress: string,
  products: string,
  overview: Overview,
  { database, subdomain }: Pick<Settings, 'database' | 'subdomain'>,
): string {
  const { customers, accounts, example } = overview
  const flags = [
    ...(database === databaseDefault ? [] : [` --database ${quoted(database)}`]),
    ...(subdomain === subdomainDefault ? [] : [` --subdomain ${quoted(subdomain)}`]),
  ].join('')
  const customer = escaped(example?.customerId ?? '')
  const account = escaped(example?.accountId ?? '')
  const url = `${address}/v1/banking/customer/${customer}/accounts/${account}/transactions`
  const tries = [
    '',
    `customer  ${example?.customerId}`,
    '',
    'Try it:',
    `  curl -s -H "Authorization: Bearer $(npx holdfast token '${url}'${flags})" '${url}?page-size=2'`,
  ]
  return `${[
    'Holdfast demo. Never for production: anyone who can reach it can sign tokens.',
    '',
    `provider  ${address}   ${customers} customers, ${accounts} accounts`,
    `platform  ${platformAddress}   products at ${products}`,
    `data      ${database}`,
    ...(example ? tries : []),
    '',
    'Ctrl-C stops it.',
  ].join('\n')}\n`
}

/** Fit for a path that stands in single quotes. */
function escaped(id: string): string {
  return encodeURIComponent(id).replaceAll("'", '%27')
}

/** For port 0: any that is free. */
async function freePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
