import type { TLSSocket, TlsOptions } from 'node:tls'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import { ContractError } from '../contract/index.ts'
import type { HttpApp } from '../http/app.ts'
import { hasClientCertificate } from '../http/client-certificate.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import type { Explorer } from '../platform/explorer/explorer.ts'
import { createClientAppOptions } from './client-app-options.ts'
import { clock } from './clock.ts'
import { readConsoleFiles } from './console-files.ts'
import { rejectWithoutFiles, watchDatabaseFiles } from './database-files.ts'
import { databaseOptions } from './database-options.ts'
import { openPlatformChecks } from './open-check-runs.ts'
import type { ConsentParts, ConsentRoleParts, ConsentSettings } from './open-consent.ts'
import { createHistory } from './open-history.ts'
import { createMonitoring } from './open-monitoring.ts'
import { createReports } from './open-reports.ts'
import { digestRules, openPlatformSignIn } from './open-sign-in.ts'
import type { Outages } from './outages.ts'
import { openStatusReader } from './read-status.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'

/** What a command adds to a platform. */
interface PlatformParts extends ConsentParts {
  readonly listOutages?: Outages['list']
  /** The client of a console session without credentials. */
  readonly demoClientId?: string
  /** E-mail addresses of synthetic customers that the console proposes. */
  readonly exampleEmails?: readonly string[]
}

/** Opens the stores of the platform and its server, which does not listen yet. */
export async function openPlatform(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  telemetry: Telemetry,
  tls?: TlsOptions,
  { demoClientId, exampleEmails, listOutages, ...parts }: PlatformParts = {},
): Promise<HttpApp> {
  const {
    openCatalogueStore,
    openClientStore,
    openConsentStore,
    openDatabaseProbe,
    openSigningKeyStore,
  } = await import('../storage/open.ts')
  const { openPlatformApp } = await import('../http/platform-app.ts')
  const { openAccess } = await import('../auth/access.ts')
  const { openBrowserSessions } = await import('../auth/browser-sessions.ts')
  const { withoutDemoClient } = await import('../auth/demo-client.ts')
  const { openUsage } = await import('./open-usage.ts')
  const { openAdminMount } = await import('./open-admin.ts')
  const { openSharedClock } = await import('../platform/consent/shared-clock.ts')
  const { log, metrics, tracing } = telemetry
  const { database } = settings
  const options = { ...databaseOptions(settings), onPool: metrics?.watchPool }
  const catalogue = await openCatalogueStore(database, options)
  const stored = await openClientStore(database, options)
  const clients = demoClientId === undefined ? withoutDemoClient(stored) : stored
  const signingKeys = await openSigningKeyStore(database, options)
  const probe = await openDatabaseProbe(database, 'write', options)
  const files = await watchDatabaseFiles(database, 'platform', log)
  const access = openAccess(clients, clock, { workers: settings.workers })
  const consents = await openConsentStore(database, databaseOptions(settings))
  const sharedClock = await openSharedClock(consents, clock)
  const sessions = openBrowserSessions(clients.sessions, {
    clock: sharedClock,
    rules: digestRules(settings),
    onError: (error) => log.warn({ err: error }, 'the use of a session was not stored'),
  })
  const signIn = await openPlatformSignIn(settings, sessions, consents, sharedClock)
  const usage = await openUsage(settings, telemetry, sharedClock, { listOutages })
  const recorder = await openRecorder(settings, telemetry, consents, signingKeys, sharedClock)
  const role =
    recorder &&
    (await openRole(settings, telemetry, consents, signingKeys, {
      clock: sharedClock,
      recordDisclosure: recorder.record,
      ...parts,
    }))
  const admin = await openAdminMount(settings, telemetry, consents, usage, sharedClock)
  const deliveries =
    role && (await openOutbox(settings, telemetry, consents, signingKeys, sharedClock))
  const checks = openPlatformChecks(settings, telemetry, signingKeys, sharedClock)
  const explorer = createExplorer(settings, signingKeys)
  const monitoring = createMonitoring(settings, telemetry)
  const history = createHistory(settings, usage, {
    ...{ consents, signingKeys, clock: sharedClock },
    ...(listOutages && { listOutages }),
  })
  const reports = createReports(settings, usage, consents, sharedClock)
  const appOptions = await createClientAppOptions(settings, telemetry, {
    access,
    probe,
    files,
    recorder,
    // `requireCertificates` requires one for the operations of API clients.
    tls: tls && role ? { ...tls, requestCert: true, rejectUnauthorized: false } : tls,
  })
  const status = openStatusReader(settings, appOptions.readiness ?? [], sharedClock)
  const app = openPlatformApp({
    ...appOptions,
    usage: usage.callCounts,
    readStatus: status.read,
    readProvider: status.readProvider,
    listOutages,
    catalogue: tracing ? tracing.traceQueries(catalogue) : catalogue,
    signingKeys: tracing ? tracing.traceQueries(signingKeys) : signingKeys,
    clock: sharedClock,
    consents,
    checks,
    publicUrl: settings.publicUrl,
    admin,
    consent: role,
    readConsoleFiles,
    features: [
      ...(demoClientId === undefined ? [] : ['demo' as const]),
      ...(role ? ['consent' as const] : []),
      ...(explorer ? ['explorer' as const] : []),
    ],
    sessions,
    signIn,
    demoClientId,
    exampleEmails,
    // Without the consent, no customer sees the name.
    providerName: role && settings.brandName,
    timeZone: settings.timeZone,
    explorer,
    monitoring: monitoring.open,
    readUsage: history.read,
    readReport: reports.read,
  })
  rejectWithoutFiles(app, files)
  if (role && settings.tlsClientCa !== undefined) requireCertificates(app)
  app.addHook('onListen', async () => monitoring.start())
  // Before the requests in flight are completed: a run need not wait for them.
  app.addHook('preClose', checks.interrupt)
  app.addHook('preClose', async () => deliveries?.stop())
  app.addHook('onClose', async () => {
    admin?.close()
    await history.close()
    await reports.close()
    await usage.close()
    await monitoring.close()
    await probe.close()
    await checks.close()
    await status.close()
    await deliveries?.close()
    await recorder?.close()
    await consents.close()
    await signingKeys.close()
    await sessions.close()
    await clients.close()
    await catalogue.close()
  })
  return app
}

/** The code of the client is loaded with the first call. */
function createExplorer(
  { explorer: isEnabled, providerUrl, resourceUrl = providerUrl, subdomain }: Partial<Settings>,
  signingKeys: SigningKeyStore,
): Explorer | undefined {
  // The settings require both with the explorer.
  if (!isEnabled || !providerUrl || !resourceUrl || !subdomain) return undefined
  let opened: Promise<Explorer> | undefined
  return async (call) => {
    opened ??= import('../platform/explorer/explorer.ts').then(({ openExplorer }) =>
      openExplorer({ providerUrl, resourceUrl, subdomain, signingKeys }),
    )
    return (await opened)(call)
  }
}

/** Records disclosures if an issuer is set. Without one, the platform has no consent role, and nothing of it is loaded. */
async function openRecorder(
  settings: Partial<Settings>,
  ...rest: [Telemetry, ConsentStore, SigningKeyStore, () => Temporal.Instant]
) {
  if (settings.issuer === undefined) return undefined
  const { openPlatformRecorder } = await import('./open-recorder.ts')
  return openPlatformRecorder(settings as ConsentSettings, ...rest)
}

async function openRole(
  settings: Partial<Settings>,
  telemetry: Telemetry,
  store: ConsentStore,
  signingKeys: SigningKeyStore,
  parts: ConsentRoleParts,
) {
  const { openConsentRole } = await import('./open-consent.ts')
  return openConsentRole(settings as ConsentSettings, store, signingKeys, telemetry, parts).catch(
    async (error: unknown) => {
      await store.close()
      throw error
    },
  )
}

/** Opens the deliveries of a platform with the consent role. */
async function openOutbox(
  settings: Partial<Settings>,
  ...rest: [Telemetry, ConsentStore, SigningKeyStore, () => Temporal.Instant]
) {
  const { openPlatformDeliveries } = await import('./open-deliveries.ts')
  return openPlatformDeliveries(settings as ConsentSettings, ...rest)
}

/** With the consent role, browsers and readers of public data, such as the keys, connect without a certificate. */
function requireCertificates(app: HttpApp): void {
  app.addHook('onRequest', async ({ raw, routeOptions }) => {
    const { operation } = routeOptions.config
    if (!operation || (operation.method === 'GET' && operation.protection === 'none')) return
    if (hasClientCertificate(raw.socket as TLSSocket)) return
    throw new ContractError('unauthorized', 'no valid client certificate')
  })
}
