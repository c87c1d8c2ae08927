import { download } from '../auth/download.ts'
import type { PlatformStatus, ServerStatus } from '../contract/index.ts'
import { findFailedProbes, healthEndpoints, type ReadinessProbe } from '../http/health.ts'
import { databaseOptions } from './database-options.ts'
import { reuseResult } from './observe/reuse-result.ts'
import type { Settings } from './settings/settings.ts'
import { openStatusCounts } from './status-counts.ts'
import { version } from './version.ts'

/** How long a status is reused. */
const reuseMs = 5000

const providerTimeoutMs = 2000
/** The document with the version is large. */
const versionMs = 5 * 60_000
const documentBytesMax = 4 * 1024 * 1024
const healthBytesMax = 4096

/** The state of the platform, its provider and its database. Nothing is opened before the first call. */
export function openStatusReader(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  readiness: readonly ReadinessProbe[],
  clock: () => Temporal.Instant,
  countWaitMs?: number,
) {
  const { providerUrl } = settings
  const started = clock().toString()
  let opened: ReturnType<typeof openStore> | undefined

  const readProviderVersion = reuseResult(() => readVersion(providerUrl ?? ''), versionMs)
  const readProviderOnce = reuseResult(
    async () =>
      providerUrl === undefined ? undefined : readProvider(providerUrl, readProviderVersion),
    reuseMs,
  )
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
    const [platform, provider, { feeds, lastLoad }, counts] = await Promise.all([
      readPlatform(readiness, started),
      readProviderOnce(),
      store.read(),
      readCounts(),
    ])
    return {
      time: clock().toString(),
      servers: [platform, ...(provider ? [provider] : [])],
      database: isPostgres(settings.database) ? 'postgres' : 'sqlite',
      counts,
      feeds: feeds.map(({ name, batch, time, lines }) => ({
        feed: name,
        batch,
        time: new Date(time).toISOString(),
        lines,
      })),
      ...(lastLoad && {
        lastLoad: { ...lastLoad, committed: new Date(lastLoad.committed).toISOString() },
      }),
    }
  }
  return {
    read: reuseResult(read, reuseMs),
    /** Undefined if the URL of the provider is not known. */
    readProvider: readProviderOnce,
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

/** The provider may run elsewhere, and behind a proxy that does not forward its health. */
async function readProvider(
  url: string,
  readProviderVersion: () => Promise<string | undefined>,
): Promise<ServerStatus> {
  const server = { role: 'provider', url } as const
  const path = healthEndpoints.ready.path
  const options = { accept: 'application/json', bytesMax: healthBytesMax }
  const signal = AbortSignal.timeout(providerTimeoutMs)
  const text = await download(url + path, signal, options).catch((error: Error) => error)
  if (text instanceof Error) return { ...server, ...describeFailure(text) }
  const [, status] = /"status":"(ok|degraded)"/.exec(text) ?? []
  if (status === 'ok') {
    const known = await readProviderVersion()
    return { ...server, status, reasons: [], ...(known !== undefined && { version: known }) }
  }
  if (status === 'degraded') return { ...server, status, reasons: [`${path} reports ${status}`] }
  return { ...server, status: 'undetermined', reasons: [`${path} is not served at this URL`] }
}

/** The version in the OpenAPI document of the provider. */
async function readVersion(url: string): Promise<string | undefined> {
  const signal = AbortSignal.timeout(providerTimeoutMs)
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
      ? `no response within ${providerTimeoutMs / 1000} s`
      : message.replace(/^fetch failed: (.*)$/, 'cannot be reached ($1)')
  return { status: 'unavailable', reasons: [reason] }
}
