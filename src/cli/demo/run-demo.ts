import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Readable } from 'node:stream'
import type { Overview, ProviderStore } from '../../provider/store.ts'
import { databaseOptions } from '../../server/database-options.ts'
import { disablePretenuring } from '../../server/garbage-collection.ts'
import { shutDownGracefully } from '../../server/graceful-shutdown.ts'
import { listen } from '../../server/listen.ts'
import { openIntake } from '../../server/open-intake.ts'
import { openPlatform } from '../../server/open-platform.ts'
import { openProvider } from '../../server/open-provider.ts'
import { exitAfter, untilStopSignal } from '../../server/signals.ts'
import { openMetricsEndpoint, openTelemetry, type Telemetry } from '../../server/telemetry.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { isLoopback } from '../../settings/loopback.ts'
import { type Settings, settingDefinitions } from '../../settings/settings.ts'
import { prepareDatabase, quoteForShell } from '../common/database.ts'

const demoCustomers = 25
const demoSeed = 'demo'
const portMax = 65_535
const portAdvice =
  'the demo uses three ports, --port for the provider and the next two for the platform and the intake; choose another with --port'

/** `holdfast call` and `holdfast token` need no flags for these values. */
const databaseDefault = settingDefinitions.database.defaults.demo
const subdomainDefault = settingDefinitions.subdomain.defaults.demo
const addressDefault = `http://${settingDefinitions.host.defaults.demo}:${settingDefinitions.port.defaults.demo}`

export async function runDemo(settings: Settings, terminal: Terminal): Promise<void> {
  if (!isLoopback(settings.host)) {
    throw new CommandError(2, '--host must be a loopback address: the demo is not for production')
  }
  if (settings.port > portMax - 2)
    throw new CommandError(2, `--port must be below ${portMax - 1}: ${portAdvice}`)
  await prepareDatabase(settings, true, terminal)
  await addDemoData(settings, terminal)
  const telemetry = await openTelemetry(settings)
  const metricsEndpoint = await openMetricsEndpoint(settings, telemetry.metrics)
  try {
    await serveAll(settings, telemetry, terminal, metricsEndpoint?.address)
  } finally {
    await metricsEndpoint?.close()
    await telemetry.close()
  }
}

async function serveAll(
  settings: Settings,
  telemetry: Telemetry,
  terminal: Terminal,
  metricsAddress: string | undefined,
): Promise<void> {
  const platform = await openPlatform(settings, telemetry)
  shutDownGracefully(platform, settings.shutdownTimeout * 1000, telemetry.log)
  const platformPort = settings.port && settings.port + 1
  const address = await listen(platform, settings.host, platformPort, portAdvice)
  try {
    const intake = await openIntake(settings, telemetry)
    shutDownGracefully(intake, settings.shutdownTimeout * 1000, telemetry.log)
    try {
      const intakePort = settings.port && settings.port + 2
      const jwksUrl = `${address}/.well-known/jwks.json`
      await serveProvider({ ...settings, jwksUrl }, telemetry, terminal, {
        platform: address,
        intake: await listen(intake, settings.host, intakePort, portAdvice),
        metrics: metricsAddress,
      })
    } finally {
      await intake.close()
    }
  } finally {
    await platform.close()
  }
}

/** The addresses of everything but the provider. */
interface OtherAddresses {
  readonly platform: string
  readonly intake: string
  readonly metrics: string | undefined
}

/** The audience of tokens contains the provider's URL, so its port must be known before the provider is opened. */
async function serveProvider(
  settings: Settings,
  telemetry: Telemetry,
  terminal: Terminal,
  others: OtherAddresses,
): Promise<void> {
  const port = settings.port || (await findFreePort(settings.host))
  const address = `http://${settings.host}:${port}`
  const urls = { providerUrl: address, resourceUrl: address }
  const { app } = await openProvider({ ...settings, ...urls }, telemetry)
  const shutdownMs = settings.shutdownTimeout * 1000
  shutDownGracefully(app, shutdownMs, telemetry.log)
  await listen(app, settings.host, port, portAdvice)
  disablePretenuring()
  telemetry.logUncaughtErrors()
  const { openProviderStore } = await import('../../storage/open.ts')
  const store = await openProviderStore(settings.database, databaseOptions(settings))
  const { catalogueOperations, intakeOperations } = await import('../../contract/index.ts')
  const paths = {
    products: catalogueOperations.listProducts.path,
    feeds: intakeOperations.listFeeds.path,
  }
  terminal.out(welcome(address, others, paths, await store.overview(), settings))
  await store.close()
  if (others.metrics) terminal.out(`metrics on ${others.metrics}\n`)
  await untilStopSignal(telemetry.exit)
  exitAfter(shutdownMs, telemetry.exit)
  await app.close()
}

/** Adds a signing key and customers unless the database has them. */
async function addDemoData(settings: Settings, terminal: Terminal): Promise<void> {
  const { database } = settings
  const options = databaseOptions(settings)
  const { openProviderStore, openSigningKeyStore } = await import('../../storage/open.ts')
  const { makeSigningKey } = await import('../../auth/signing.ts')
  const keys = await openSigningKeyStore(database, options)
  const active = (await keys.list()).filter(({ retired }) => retired === undefined)
  if (active.length === 0) await keys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
  await keys.close()
  const store = await openProviderStore(database, options)
  await loadIfEmpty(store, settings, terminal)
  await store.close()
}

async function loadIfEmpty(
  store: ProviderStore,
  settings: Settings,
  terminal: Terminal,
): Promise<void> {
  const { customers } = await store.overview()
  if (customers > 0) return
  terminal.error('The database is empty: generating demo data …\n')

  const { generateLines } = await import('../../generate/index.ts')
  const { createNdjsonSource } = await import('../../load/lines.ts')
  const { load } = await import('../../load/load.ts')
  const { openProviderWriter } = await import('../../storage/open.ts')
  const now = Temporal.Now.instant()
  const lines = generateLines({ customers: demoCustomers, seed: demoSeed, until: now.toString() })
  const options = databaseOptions(settings)
  const writer = await openProviderWriter(settings.database, { loadTime: now }, options)
  try {
    const chunks = function* () {
      for (const line of lines) yield Buffer.from(`${line}\n`)
    }
    const open = () => Readable.from(chunks())
    await load([createNdjsonSource({ name: 'demo data', open })], writer, {
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
  others: OtherAddresses,
  paths: { readonly products: string; readonly feeds: string },
  overview: Overview,
  { database, subdomain }: Pick<Settings, 'database' | 'subdomain'>,
): string {
  const { customers, accounts, example } = overview
  const databaseFlag = database === databaseDefault ? '' : ` --database ${quoteForShell(database)}`
  const flags = [
    databaseFlag,
    ...(subdomain === subdomainDefault ? [] : [` --subdomain ${quoteForShell(subdomain)}`]),
  ].join('')
  const { customerId = '', accountId = '' } = example ?? {}
  const ids = `--customer ${quoteWord(customerId)} --account ${quoteWord(accountId)}`
  const target = address === addressDefault ? '' : ` --provider-url ${address}`
  const url = `${address}/v1/banking/customer/${encodeId(customerId)}/accounts/${encodeId(accountId)}/transactions`
  const instructions = [
    '',
    `customer  ${customerId}`,
    '',
    'Try it:',
    `  npx holdfast call listBankingTransactions ${ids} --page-size 2${target}${flags}`,
    '',
    'The same with curl:',
    `  curl -s -H "Authorization: Bearer $(npx holdfast token '${url}'${flags})" '${url}?page-size=2'`,
  ]
  return `${[
    'Holdfast demo. Not for production: anyone who can reach it can sign tokens.',
    '',
    `provider  ${address}   ${customers} customers, ${accounts} accounts`,
    `platform  ${others.platform}   products at ${paths.products}`,
    `intake    ${others.intake}   feeds at ${paths.feeds}`,
    `data      ${database}`,
    ...(example ? instructions : []),
    '',
    'To send changes to the intake, register an API client:',
    `  npx holdfast client add core --scope data.write${databaseFlag}`,
    '',
    'Press Ctrl-C to stop.',
  ].join('\n')}\n`
}

/** Quoted only where a shell needs it. */
function quoteWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : quoteForShell(text)
}

/** For a URL path in single quotes. */
function encodeId(id: string): string {
  return encodeURIComponent(id).replaceAll("'", '%27')
}

/** For port 0. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
