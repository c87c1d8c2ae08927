import type { HttpApp } from '../http/app.ts'
import type { Rates } from '../http/rates.ts'
import { databaseOptions } from './database.ts'
import type { Settings } from './settings.ts'
import { CommandError } from './terminal.ts'

type Logged = Pick<Settings, 'logLevel'>

/** Logs go to standard error, one JSON object a line: standard output is for people. */
export async function openLog({ logLevel }: Logged) {
  const { pino } = await import('pino')
  return pino({ level: logLevel, base: null }, pino.destination({ dest: 2, sync: true }))
}

/** Sections A and C behind the guard, ready to listen. */
export async function openProvider(
  settings: Pick<
    Settings,
    | 'database'
    | 'providerUrl'
    | 'resourceUrl'
    | 'subdomain'
    | 'jwksUrl'
    | 'timeZone'
    | 'accountVersion'
  > &
    Partial<Settings> &
    Logged,
): Promise<HttpApp> {
  const { openClaimStore, openProviderStore } = await import('../storage/open.ts')
  const { providerApp } = await import('../http/provider-app.ts')
  const { openGuard } = await import('../auth/guard.ts')
  const { openKeySet } = await import('../auth/key-set.ts')
  const { database, providerUrl, resourceUrl, subdomain, jwksUrl, timeZone, accountVersion } =
    settings
  const clock = () => Temporal.Now.instant()
  const log = await openLog(settings)

  const options = databaseOptions(settings)
  const store = await openProviderStore(database, options)
  const claims = await openClaimStore(database, clock, options)
  const keys = openKeySet({
    url: jwksUrl,
    onFetch: (outcome) =>
      'failure' in outcome
        ? log.warn({ url: jwksUrl, reason: outcome.failure }, 'no keys fetched')
        : log.debug({ url: jwksUrl, keys: outcome.keys }, 'keys fetched'),
  })
  const app = providerApp({
    context: { store, timeZone, accountVersion },
    clock,
    guard: openGuard({
      subdomain,
      bases: { provider: providerUrl, resource: resourceUrl, platform: providerUrl },
      keys,
      claims,
      clock,
    }),
    log,
    rates: ratesOf(settings),
  })
  app.addHook('onClose', async () => {
    keys.close()
    await claims.close()
    await store.close()
  })
  return app
}

/** Workers know nothing of each other's requests, so each has its part of the whole. */
function ratesOf({
  workers = 1,
  customerRequestsPerMinute,
  providerRequestsPerSecond,
}: Partial<Settings>): Rates {
  const part = (count: number | undefined) => (count === undefined ? undefined : count / workers)
  return {
    customerPerMinute: part(customerRequestsPerMinute),
    providerPerSecond: part(providerRequestsPerSecond),
  }
}

/** The platform's side, ready to listen. */
export async function openPlatform(
  settings: Pick<Settings, 'database'> & Partial<Settings> & Logged,
): Promise<HttpApp> {
  const { openCatalogueStore, openClientStore, openSigningKeyStore } = await import(
    '../storage/open.ts'
  )
  const { platformApp } = await import('../http/platform-app.ts')
  const { openAccess } = await import('../auth/clients.ts')
  const clock = () => Temporal.Now.instant()
  const { database } = settings
  const options = databaseOptions(settings)
  const catalogue = await openCatalogueStore(database, options)
  const clients = await openClientStore(database, options)
  const signingKeys = await openSigningKeyStore(database, options)
  const app = platformApp({
    catalogue,
    access: openAccess(clients, clock),
    signingKeys,
    clock,
    log: await openLog(settings),
  })
  app.addHook('onClose', async () => {
    await signingKeys.close()
    await clients.close()
    await catalogue.close()
  })
  return app
}

export async function listen(app: HttpApp, host: string, port: number): Promise<string> {
  // What goes beyond a limit on the size of files fails, as on a full disk; unheard, it would end the process.
  process.on('SIGXFSZ', () => {})
  return app.listen({ host, port }).catch(async (error: NodeJS.ErrnoException) => {
    await app.close()
    if (error.code !== 'EADDRINUSE') throw error
    throw new CommandError(1, `port ${port} is taken: choose another with --port`)
  })
}
