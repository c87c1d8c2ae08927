import type { TlsOptions } from 'node:tls'
import type { HttpApp } from '../http/app.ts'
import type { Settings } from '../settings/settings.ts'
import { clock } from './clock.ts'
import { checkFiles, rejectWithoutFiles, watchDatabaseFiles } from './database-files.ts'
import { databaseOptions } from './database-options.ts'
import type { Telemetry } from './telemetry.ts'
import { version } from './version.ts'
import { httpLimitsPerWorker } from './worker-limits.ts'

/** Opens the stores of the platform and its server, which does not listen yet. */
export async function openPlatform(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  { log, metrics, tracing }: Telemetry,
  tls?: TlsOptions,
): Promise<HttpApp> {
  const { openCatalogueStore, openClientStore, openDatabaseProbe, openSigningKeyStore } =
    await import('../storage/open.ts')
  const { openPlatformApp } = await import('../http/platform-app.ts')
  const { openAccess } = await import('../auth/access.ts')
  const { readTrustedProxies } = await import('../http/caller-address.ts')
  const { database } = settings
  const options = { ...databaseOptions(settings), onPool: metrics?.watchPool }
  const catalogue = await openCatalogueStore(database, options)
  const clients = await openClientStore(database, options)
  const signingKeys = await openSigningKeyStore(database, options)
  const probe = await openDatabaseProbe(database, 'write', options)
  const files = await watchDatabaseFiles(database, 'platform', log)
  const access = openAccess(clients, clock, { workers: settings.workers })
  const app = openPlatformApp({
    version,
    catalogue: tracing ? tracing.traceQueries(catalogue) : catalogue,
    access: tracing
      ? { ...access, verify: tracing.traceCalls('verify token', access.verify) }
      : access,
    signingKeys: tracing ? tracing.traceQueries(signingKeys) : signingKeys,
    clock,
    log,
    metrics,
    limits: httpLimitsPerWorker(settings),
    trustedProxies: readTrustedProxies(settings.trustedProxies ?? ''),
    trace: tracing?.traceRequests,
    readiness: [
      { name: 'database files', check: () => checkFiles(files) },
      { name: 'database', check: probe.check },
    ],
    tls,
  })
  rejectWithoutFiles(app, files)
  app.addHook('onClose', async () => {
    await probe.close()
    await signingKeys.close()
    await clients.close()
    await catalogue.close()
  })
  return app
}
