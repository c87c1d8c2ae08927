import { Readable } from 'node:stream'
import type { Customer } from '../../contract/index.ts'
import type { HttpApp } from '../../http/app.ts'
import { isLoopback } from '../../http/loopback.ts'
import type { ProviderStore } from '../../provider/store.ts'
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
import type { Settings } from '../../settings/settings.ts'
import { prepareDatabase } from '../common/database.ts'
import { choosePorts, toAddresses } from './addresses.ts'
import { openConsentDemo } from './consent-demo.ts'
import { formatWelcome } from './welcome.ts'

const demoCustomers = 25
const demoSeed = 'demo'
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

/** Issuer, redirect URI and the audience of tokens contain addresses, so ports must be known before the servers are opened. */
async function serveAll(
  settings: Settings,
  telemetry: Telemetry,
  terminal: Terminal,
  metricsAddress: string | undefined,
): Promise<void> {
  const { host } = settings
  const shutdownMs = settings.shutdownTimeout * 1000
  const ports = await choosePorts(settings)
  const addresses = toAddresses(host, ports)
  const { overview, exampleEmail } = await readExample(settings)
  const closing: (() => Promise<unknown>)[] = []
  const serve = async (app: HttpApp, port: number) => {
    shutDownGracefully(app, shutdownMs, telemetry.log)
    closing.unshift(() => app.close())
    await listen(app, host, port, portAdvice)
  }
  try {
    const consent = await openConsentDemo(settings, addresses, exampleEmail, telemetry, terminal)
    const platform = await openPlatform(consent.settings, telemetry, undefined, consent.parts)
    consent.watch(platform)
    await serve(platform, ports.platform)
    await serve(await openIntake(settings, telemetry), ports.intake)
    closing.unshift(() => consent.close())
    await consent.listen(host, ports.budget, portAdvice)
    const jwksUrl = `${addresses.platform}/.well-known/jwks.json`
    const urls = { jwksUrl, providerUrl: addresses.provider, resourceUrl: addresses.provider }
    const { app } = await openProvider({ ...settings, ...urls }, telemetry)
    await serve(app, ports.provider)
    disablePretenuring()
    telemetry.logUncaughtErrors()
    terminal.out(await formatWelcome(addresses, overview, settings))
    if (metricsAddress) terminal.out(`metrics on ${metricsAddress}\n`)
    await untilStopSignal(telemetry.exit)
    exitAfter(shutdownMs, telemetry.exit)
  } finally {
    for (const close of closing) await close()
  }
}

/** What the terminal and the pages propose to try. */
async function readExample(settings: Settings) {
  const { openProviderStore } = await import('../../storage/open.ts')
  const store = await openProviderStore(settings.database, databaseOptions(settings))
  try {
    const overview = await store.overview()
    const { customerId = '' } = overview.example ?? {}
    const text = (await store.readCustomer(customerId)) ?? '{}'
    const { email, phoneNumber } = JSON.parse(text) as Partial<Customer>
    // Without a phone number, there is no passcode.
    const exampleEmail = phoneNumber ? email : undefined
    return { overview, exampleEmail }
  } finally {
    await store.close()
  }
}

/** Adds a signing key that consents can use, and customers, unless the database has them. */
async function addDemoData(settings: Settings, terminal: Terminal): Promise<void> {
  const { database } = settings
  const options = databaseOptions(settings)
  const { openProviderStore, openSigningKeyStore } = await import('../../storage/open.ts')
  const { makeSigningKey } = await import('../../auth/signing.ts')
  const keys = await openSigningKeyStore(database, options)
  const { isFapiKey } = await import('../../consent/client-metadata.ts')
  if (!(await keys.list()).some(isFapiKey))
    await keys.add(await makeSigningKey('ES256', Temporal.Now.instant()))
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
