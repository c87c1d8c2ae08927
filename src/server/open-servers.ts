import { lookup } from 'node:dns/promises'
import type { TlsOptions } from 'node:tls'
import type { Logger } from 'pino'
import type { HttpApp } from '../http/app.ts'
import { type HttpLimits, httpLimits } from '../http/limits.ts'
import type { RateLimits } from '../http/rate-limit.ts'
import type { Settings } from '../settings/settings.ts'
import { databaseOptions } from './database-options.ts'
import { openGracefulShutdown } from './graceful-shutdown.ts'
import { checkFiles, refuseWithoutFiles, watchDatabaseFiles } from './lost-files.ts'
import { logReplayEvents } from './replay-log.ts'
import type { Telemetry } from './telemetry.ts'
import { CommandError } from './terminal.ts'

/**
 * To the millisecond: what is written in an answer is then short, and what was asked. All who ask in the same one
 * get the same instant.
 */
const clock = (): Temporal.Instant => {
  const milliseconds = Date.now()
  if (milliseconds !== lastInstant.milliseconds) {
    lastInstant = { milliseconds, instant: Temporal.Instant.fromEpochMilliseconds(milliseconds) }
  }
  return lastInstant.instant
}
let lastInstant = { milliseconds: 0, instant: Temporal.Instant.fromEpochMilliseconds(0) }

export interface OpenServer {
  readonly app: HttpApp
  /** Whether it could answer: whether it has keys to judge tokens with. */
  readonly isReady: () => Promise<boolean>
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
    Partial<Settings>,
  { log, metrics, tracing }: Telemetry,
  tls?: TlsOptions,
): Promise<OpenServer> {
  const { openReplayStore, openDatabaseProbe, openProviderStore } = await import(
    '../storage/open.ts'
  )
  const { readTrustedProxies } = await import('../http/caller-address.ts')
  const { openProviderApp } = await import('../http/provider-app.ts')
  const { openGuard } = await import('../auth/guard.ts')
  const { openKeySet } = await import('../auth/key-set.ts')
  const { checkKeys, openReplayCheck } = await import('../auth/readiness.ts')
  const { database, providerUrl, resourceUrl, subdomain, jwksUrl, timeZone, accountVersion } =
    settings

  const options = { ...databaseOptions(settings), onPool: metrics?.watchPool }
  const store = await openProviderStore(database, options)
  const claims = await openReplayStore(database, clock, { ...options, ...logReplayEvents(log) })
  const probe = await openDatabaseProbe(database, 'read', options)
  const files = await watchDatabaseFiles(database, 'provider', log)
  const keys = openKeySet({
    url: jwksUrl,
    onFetch(outcome) {
      metrics?.keysAsked('failure' in outcome ? 'failed' : 'fetched')
      if ('failure' in outcome) {
        log.warn({ url: withoutSecrets(jwksUrl), reason: outcome.failure }, 'no keys fetched')
      } else {
        log.debug({ url: withoutSecrets(jwksUrl), keys: outcome.keys }, 'keys fetched')
      }
    },
  })
  metrics?.watchKeys(keys.ageMs)
  const replay = openReplayCheck(claims, clock)
  const guard = openGuard({
    subdomain,
    bases: { provider: providerUrl, resource: resourceUrl, platform: providerUrl },
    keys,
    replay: tracing ? tracing.tracedMethods('claim', claims) : claims,
    clock,
    onAttempt: replay.noteAttempt,
  })
  const app = openProviderApp({
    context: {
      store: tracing ? tracing.tracedMethods('query', store) : store,
      timeZone,
      accountVersion,
    },
    clock,
    guard: tracing ? tracing.traced('verify', guard) : guard,
    log,
    metrics,
    trace: tracing?.traceRequests,
    readiness: [
      { name: 'database files', check: () => checkFiles(files) },
      { name: 'platform keys', check: () => checkKeys(keys) },
      { name: 'database', check: probe.check },
      { name: 'replay records', check: replay.check },
    ],
    isKnown: (name) => name === subdomain || keys.has(name),
    tls,
    rates: ratesOf(settings),
    limits: limitsOf(settings),
    trustedProxies: readTrustedProxies(settings.trustedProxies ?? ''),
  })
  refuseWithoutFiles(app, files)
  // Before it listens, so that the first request does not wait. Where there are none, it listens all the same.
  app.addHook('onReady', async () => void (await keys.preload()))
  app.addHook('onClose', async () => {
    keys.close()
    await probe.close()
    await claims.close()
    await store.close()
  })
  return { app, isReady: keys.hasKeys }
}

/** A user and a query may hold what is not for the log. */
function withoutSecrets(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}

/** Workers know nothing of each other's requests, so each has its part of the whole. */
function ratesOf({
  workers = 1,
  customerRequestsPerMinute,
  providerRequestsPerSecond,
}: Partial<Settings>): RateLimits {
  const part = (count: number | undefined) => (count === undefined ? undefined : count / workers)
  return {
    customerPerMinute: part(customerRequestsPerMinute),
    providerPerSecond: part(providerRequestsPerSecond),
  }
}

/** Rounded up: each worker must take at least one connection from an address. */
function limitsOf({ workers = 1, connectionsPerAddress }: Partial<Settings>): Partial<HttpLimits> {
  if (connectionsPerAddress === undefined) return {}
  return { addressConnectionsMax: Math.ceil(connectionsPerAddress / workers) }
}

/** The platform's side, ready to listen. */
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
    catalogue: tracing ? tracing.tracedMethods('query', catalogue) : catalogue,
    access: tracing ? { ...access, verify: tracing.traced('verify', access.verify) } : access,
    signingKeys: tracing ? tracing.tracedMethods('query', signingKeys) : signingKeys,
    clock,
    log,
    metrics,
    limits: limitsOf(settings),
    trustedProxies: readTrustedProxies(settings.trustedProxies ?? ''),
    trace: tracing?.traceRequests,
    readiness: [
      { name: 'database files', check: () => checkFiles(files) },
      { name: 'database', check: probe.check },
    ],
    tls,
  })
  refuseWithoutFiles(app, files)
  app.addHook('onClose', async () => {
    await probe.close()
    await signingKeys.close()
    await clients.close()
    await catalogue.close()
  })
  return app
}

/** Lets a server answer the requests in flight before it closes, for so long at most. */
export function shutDownGracefully(app: HttpApp, timeoutMs: number, log: Logger): void {
  const drain = openGracefulShutdown(app.server)
  app.addHook('preClose', async () => {
    const cut = await drain(timeoutMs)
    if (cut > 0) log.warn({ requests: cut }, 'stopped before these were answered')
  })
}

export async function listen(
  app: HttpApp,
  host: string,
  port: number,
  portAdvice = 'choose another with --port',
): Promise<string> {
  // One address: for a name with two, Fastify would open a second server that nothing else knows of.
  const { address } = await lookup(host).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(1, `there is no address ${host} to listen on (${error.code})`)
  })
  // Callers who come together while the process works wait at the door: those for whom there is no room there, for a
  // second or more.
  const backlog = httpLimits.connectionsMax
  return app
    .listen({ host: address, port, backlog })
    .catch(async (error: NodeJS.ErrnoException) => {
      await app.close()
      if (error.code !== 'EADDRINUSE') throw error
      throw new CommandError(1, `port ${port} is already in use: ${portAdvice}`)
    })
}
