import type { TlsOptions } from 'node:tls'
import type { HttpApp } from '../http/app.ts'
import type { Settings } from '../settings/settings.ts'
import { createClientAppOptions } from './client-app-options.ts'
import { clock } from './clock.ts'
import { rejectWithoutFiles, watchDatabaseFiles } from './database-files.ts'
import { databaseOptions } from './database-options.ts'
import type { Telemetry } from './telemetry.ts'

/** Opens the stores of the platform and its server, which does not listen yet. */
export async function openPlatform(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  telemetry: Telemetry,
  tls?: TlsOptions,
): Promise<HttpApp> {
  const { openCatalogueStore, openClientStore, openDatabaseProbe, openSigningKeyStore } =
    await import('../storage/open.ts')
  const { openPlatformApp } = await import('../http/platform-app.ts')
  const { openAccess } = await import('../auth/access.ts')
  const { log, metrics, tracing } = telemetry
  const { database } = settings
  const options = { ...databaseOptions(settings), onPool: metrics?.watchPool }
  const catalogue = await openCatalogueStore(database, options)
  const clients = await openClientStore(database, options)
  const signingKeys = await openSigningKeyStore(database, options)
  const probe = await openDatabaseProbe(database, 'write', options)
  const files = await watchDatabaseFiles(database, 'platform', log)
  const access = openAccess(clients, clock, { workers: settings.workers })
  const app = openPlatformApp({
    ...(await createClientAppOptions(settings, telemetry, { access, probe, files, tls })),
    catalogue: tracing ? tracing.traceQueries(catalogue) : catalogue,
    signingKeys: tracing ? tracing.traceQueries(signingKeys) : signingKeys,
    clock,
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
