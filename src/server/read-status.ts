import { download } from '../auth/download.ts'
import type { PlatformStatus, ServerStatus } from '../contract/index.ts'
import { findFailedProbes, healthEndpoints, type ReadinessProbe } from '../http/health.ts'
import { toFeedState } from '../intake/feed-state.ts'
import { databaseOptions } from './database-options.ts'
import { reuseResult } from './observe/reuse-result.ts'
import { type Settings, variableName } from './settings/settings.ts'
import { openStatusCounts } from './status-counts.ts'
import { version } from './version.ts'

/** How long a status is reused. */
const reuseMs = 5000

const serverTimeoutMs = 2000
/** The document with the version is large. */
const versionMs = 5 * 60_000
const documentBytesMax = 4 * 1024 * 1024
const healthBytesMax = 4096

/** The state of the platform, its other servers and its database. Nothing is opened before the first call. */
export function openStatusReader(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  readiness: readonly ReadinessProbe[],
  clock: () => Temporal.Instant,
  countWaitMs?: number,
) {
  const started = clock().toString()
  let opened: ReturnType<typeof openStore> | undefined

  const readProvider = openServerReader('provider', settings.providerUrl)
  const readIntake = openServerReader('intake', settings.intakeUrl)
  const addSince = openStateTimes(clock)
  const openStore = async () => {
    const { openStatusStore } = await import('../storage/open.ts')
    // One connection counts, while the other reads.
    const options = { ...databaseOptions(settings), connections: 2 }
    const store = await openStatusStore(settings.database, options)
    return { store, readCounts: openStatusCounts(store, clock, countWaitMs) }
  }
  const read = async (): Promise<PlatformStatus> => {
    const { isPostgres } = await import('../storage/open.ts')
    opened ??= openStore().catch((error: unknown) => {
      // The next call tries again.
      opened = undefined
      throw error
    })
    const { store, readCounts } = await opened
    const [platform, provider, intake, { feeds, lastLoad }, counts] = await Promise.all([
      readPlatform(readiness, started),
      readProvider(),
      readIntake(),
      store.read(),
      readCounts(),
    ])
    // The feeds of followers have a position, and no intake.
    const hasIntake = feeds.some(({ position }) => position === undefined)
    const unknownIntake = hasIntake ? [undeterminedIntake] : []
    const servers = [
      platform,
      ...(provider ? [provider] : []),
      ...(intake ? [intake] : unknownIntake),
    ]
    const now = clock()
    return {
      time: now.toString(),
      servers: servers.map(addSince),
      database: isPostgres(settings.database) ? 'postgres' : 'sqlite',
      counts,
      feeds: feeds.map((feed) => toFeedState(feed, now.epochMilliseconds)),
      ...(lastLoad && {
        lastLoad: { ...lastLoad, committed: new Date(lastLoad.committed).toISOString() },
      }),
    }
  }
  return {
    read: reuseResult(read, reuseMs),
    /** Undefined if the URL of the provider is not known. */
    readProvider,
    async close(): Promise<void> {
      await (await opened?.catch(() => undefined))?.store.close()
    },
  }
}

async function readPlatform(
  readiness: readonly ReadinessProbe[],
  started: string,
): Promise<ServerStatus> {
  const reasons = (await findFailedProbes(readiness)).map((name) => `${name}: not available`)
  const isDegraded = readiness.some((probe) => probe.isDegraded?.())
  const status = reasons.length > 0 ? 'unavailable' : isDegraded ? 'degraded' : 'ok'
  return { role: 'platform', status, reasons, version, started }
}

/** Adds when a server that is not ok was first found so. */
function openStateTimes(clock: () => Temporal.Instant) {
  const found = new Map<ServerStatus['role'], { readonly status: string; readonly since: string }>()
  return (server: ServerStatus): ServerStatus => {
    const { role, status } = server
    if (status === 'ok') {
      found.delete(role)
      return server
    }
    const known = found.get(role)
    const since = known?.status === status ? known.since : clock().toString()
    found.set(role, { status, since })
    return { ...server, since }
  }
}

/** Of a database with feeds that clients send. */
const undeterminedIntake: ServerStatus = {
  role: 'intake',
  status: 'undetermined',
  reasons: [`${variableName('intakeUrl')} is not set`],
}

/** Reads a server at most once in `reuseMs`. Undefined if its URL is not known. */
function openServerReader(role: ServerStatus['role'], url: string | undefined) {
  const readItsVersion = reuseResult(() => readVersion(url ?? ''), versionMs)
  return reuseResult(
    async () => (url === undefined ? undefined : readServer(role, url, readItsVersion)),
    reuseMs,
  )
}

/** The server may run elsewhere, and behind a proxy that does not forward its health. */
async function readServer(
  role: ServerStatus['role'],
  url: string,
  readItsVersion: () => Promise<string | undefined>,
): Promise<ServerStatus> {
  const server = { role, url } as const
  const path = healthEndpoints.ready.path
  const options = { accept: 'application/json', bytesMax: healthBytesMax }
  const signal = AbortSignal.timeout(serverTimeoutMs)
  const text = await download(url + path, signal, options).catch((error: Error) => error)
  if (text instanceof Error) return { ...server, ...describeFailure(text) }
  const [, status] = /"status":"(ok|degraded)"/.exec(text) ?? []
  if (status === 'ok') {
    const known = await readItsVersion()
    return { ...server, status, reasons: [], ...(known !== undefined && { version: known }) }
  }
  if (status === 'degraded') return { ...server, status, reasons: [`${path} reports ${status}`] }
  return { ...server, status: 'undetermined', reasons: [`${path} is not served at this URL`] }
}

/** The version in the OpenAPI document of the server. */
async function readVersion(url: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(serverTimeoutMs)
  const options = { accept: 'application/json', bytesMax: documentBytesMax }
  const document = await download(`${url}/openapi.json`, signal, options).catch(() => '')
  return /"info":\{[^}]*"version":"([\w.+-]{1,64})"/.exec(document)?.[1]
}

function describeFailure({ name, message }: Error): Pick<ServerStatus, 'status' | 'reasons'> {
  const { path } = healthEndpoints.ready
  const [, code] = /^status (\d+)$/.exec(message) ?? []
  if (code === '503') return { status: 'unavailable', reasons: [`${path} reports unavailable`] }
  if (code !== undefined) {
    return {
      status: 'undetermined',
      reasons: [`${path} is not served at this URL (status ${code})`],
    }
  }
  const reason =
    name === 'TimeoutError'
      ? `no response within ${serverTimeoutMs / 1000} s`
      : message.replace(/^fetch failed: (.*)$/, 'cannot be reached ($1)')
  return { status: 'unavailable', reasons: [reason] }
}
