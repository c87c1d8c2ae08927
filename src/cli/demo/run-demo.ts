import { Readable } from 'node:stream'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import { makeSigningKey } from '../../auth/signing.ts'
import { demoClientId } from '../../contract/demo-ids.ts'
import { type Customer, monitoredRoles } from '../../contract/index.ts'
import { scopes } from '../../contract/scopes.ts'
import type { HttpApp } from '../../http/app.ts'
import { isLoopback } from '../../http/loopback.ts'
import { isFapiKey } from '../../platform/consent/client-metadata.ts'
import type { Missing } from '../../provider/store.ts'
import { databaseOptions } from '../../server/database-options.ts'
import { openEnding } from '../../server/ending.ts'
import { adaptToRequests } from '../../server/garbage-collection.ts'
import { shutDownGracefully } from '../../server/graceful-shutdown.ts'
import { listen } from '../../server/listen.ts'
import { openIntake } from '../../server/open-intake.ts'
import { openPlatform } from '../../server/open-platform.ts'
import { openProvider } from '../../server/open-provider.ts'
import { recordStart } from '../../server/record-start.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { openMetricsEndpoint, openTelemetry, type Telemetry } from '../../server/telemetry.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { prepareDatabase, useStore } from '../common/database.ts'
import { chooseAddresses, requireFreePorts } from './addresses.ts'
import { openConsentDemo } from './consent-demo.ts'
import { formatWelcome } from './welcome.ts'

const demoCustomers = 25
const demoSeed = 'demo'
const demoCustomerIds = Array.from(
  { length: demoCustomers },
  (_, index) => `c-${String(index + 1).padStart(6, '0')}`,
)

/** Customers of the demo data that the console proposes. */
const demoExampleCustomers = ['c-000001', 'c-000002', 'c-000003', 'c-000004']

/** Customers of the demo data with many kinds of accounts, one of which they share. */
const demoCheckCustomers = ['c-000005', 'c-000006']

const portMax = 65_535
const portAdvice =
  'the demo uses four ports, --port for the provider and the next three for the platform, the intake and Example Budget; choose another with --port'

export async function runDemo(settings: Settings, terminal: Terminal): Promise<void> {
  if (!isLoopback(settings.host)) {
    throw new CommandError(2, '--host must be a loopback address: the demo is not for production')
  }
  if (settings.port > portMax - 3) {
    throw new CommandError(2, `--port must be below ${portMax - 2}: ${portAdvice}`)
  }
  // Generating the data takes longer than everything else.
  await requireFreePorts(settings, portAdvice)
  await prepareDatabase(settings, true, terminal)
  await addDemoData(settings, terminal)
  await registerDemoClient(settings)
  // The console shows metrics even if no port serves them.
  const telemetry = {
    ...(await openTelemetry({ ...settings, metricsPort: settings.metricsPort ?? 0 })),
    sharedBy: monitoredRoles,
  }
  const metricsEndpoint = await openMetricsEndpoint(settings, telemetry.metrics)
  try {
    await serveAll(settings, telemetry, terminal, metricsEndpoint?.address)
  } finally {
    await metricsEndpoint?.close()
    await telemetry.close()
  }
}

/** Issuer, redirect URI and the audience of tokens contain addresses, so ports must be known before the servers are opened. */
async function serveAll(
  settings: Settings,
  telemetry: Telemetry,
  terminal: Terminal,
  metricsAddress: string | undefined,
): Promise<void> {
  const { host } = settings
  const ending = openEnding(telemetry, settings.shutdownTimeout * 1000)
  const addresses = await chooseAddresses(settings)
  const { provider, platform, intake } = addresses
  const { overview, exampleEmails, checkCustomers, ...proposed } = await readExample(settings)
  const closing: (() => Promise<unknown>)[] = []
  const serve = async (app: HttpApp, port: number) => {
    shutDownGracefully(app, ending.shutdownMs, telemetry.log)
    closing.unshift(() => app.close())
    await listen(app, host, port, portAdvice)
  }
  try {
    const consent = await openConsentDemo(settings, addresses, proposed, telemetry, terminal)
    const platformSettings = { ...consent.settings, checkCustomers }
    const platformApp = await openPlatform(platformSettings, telemetry, undefined, {
      ...consent.parts,
      demoClientId,
      exampleEmails,
    })
    consent.watch(platformApp)
    await serve(platformApp, platform.port)
    await serve(await openIntake(settings, telemetry), intake.port)
    closing.unshift(() => consent.close())
    await consent.listen(portAdvice)
    const jwksUrl = `${platform.url}/.well-known/jwks.json`
    const urls = { jwksUrl, providerUrl: provider.url, resourceUrl: provider.url }
    const { app } = await openProvider({ ...settings, ...urls }, telemetry)
    await serve(app, provider.port)
    adaptToRequests()
    ending.endOnUncaughtError()
    const recordings = monitoredRoles.map((role) => recordStart(role, settings, telemetry.log))
    closing.unshift(() => Promise.all(recordings.map((end) => end())))
    terminal.out(await formatWelcome(addresses, overview, settings))
    if (metricsAddress) terminal.out(`metrics on ${metricsAddress}\n`)
    await ending.untilStopped()
  } finally {
    for (const close of closing) await close()
  }
  await ending.exitIfFailed()
}

/** What the terminal and the pages propose to try. */
async function readExample(settings: Settings) {
  return useStore('openProviderStore', settings, async (store) => {
    const readCustomer = async (id: string) => parseCustomer(await store.readCustomer(id))
    const overview = await store.overview()
    const { customerId = '' } = overview.example ?? {}
    const customers = await Promise.all([customerId, ...demoExampleCustomers].map(readCustomer))
    const generated = await Promise.all(demoCustomerIds.map(readCustomer))
    const checked = await Promise.all(demoCheckCustomers.map(readCustomer))
    return {
      overview,
      // Without a phone number, there is no passcode.
      exampleEmail: customers[0]?.phoneNumber ? customers[0].email : undefined,
      exampleEmails: listEmails(customers),
      addresses: listEmails([customers[0], ...generated].filter((each) => each?.phoneNumber)),
      // A database with other data has at least the example customer, if it has any.
      checkCustomers: checked.includes(undefined)
        ? customerId || undefined
        : demoCheckCustomers.join(),
    }
  })
}

/** Some customers share an address, in another case. */
function listEmails(customers: readonly (Partial<Customer> | undefined)[]): readonly string[] {
  const emails = customers.flatMap((customer) => customer?.email ?? [])
  return [...new Map(emails.map((email) => [email.toLowerCase(), email])).values()]
}

function parseCustomer(found: string | Missing): Partial<Customer> | undefined {
  return typeof found === 'string' ? JSON.parse(found) : undefined
}

/** Adds a signing key that consents can use, and customers, unless the database has them. */
async function addDemoData(settings: Settings, terminal: Terminal): Promise<void> {
  await useStore('openSigningKeyStore', settings, async (keys) => {
    if ((await keys.list()).some(isFapiKey)) return
    await keys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
  })
  const { customers } = await useStore('openProviderStore', settings, (store) => store.overview())
  if (customers === 0) await loadDemoData(settings, terminal)
}

/** Registers the client of console sessions without credentials. Its secret is not stored anywhere. */
async function registerDemoClient(settings: Settings): Promise<void> {
  await useStore('openClientStore', settings, async (store) => {
    const registered = await store.find(demoClientId)
    if (registered?.scopes.length === scopes.length) return
    if (registered) await store.remove(demoClientId)
    const client = { id: demoClientId, name: 'Demo', scopes, created: Temporal.Now.instant() }
    await store.add(client, hashSecret(makeSecret()))
  })
}

async function loadDemoData(settings: Settings, terminal: Terminal): Promise<void> {
  terminal.error('The database is empty: generating demo data …\n')

  const { generateLines } = await import('../../generate/index.ts')
  const { createNdjsonSource } = await import('../../intake/lines.ts')
  const { load } = await import('../../intake/load.ts')
  const { openProviderWriter } = await import('../../storage/open.ts')
  const now = Temporal.Now.instant()
  const lines = generateLines({ customers: demoCustomers, seed: demoSeed, until: now.toString() })
  const options = databaseOptions(settings)
  const writer = await openProviderWriter(settings.database, { loadTime: now }, options)
  try {
    const open = () => Readable.from(lines).map((line) => Buffer.from(`${line}\n`))
    await load([createNdjsonSource({ name: 'demo data', open })], writer, {
      onError: ({ line, path, reason }) => {
        throw new Error(`line ${line} of the demo data: ${path} ${reason}`)
      },
    })
  } finally {
    await writer.close()
  }
}
