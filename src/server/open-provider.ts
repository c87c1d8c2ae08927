import type { TlsOptions } from 'node:tls'
import type { ProviderRecord } from '../disclosures/record.ts'
import type { Recorder } from '../disclosures/recorder.ts'
import type { AnswerRecording } from '../http/answer-record.ts'
import type { HttpApp } from '../http/app.ts'
import type { ProviderAppOptions, Responders } from '../http/provider-app.ts'
import { clock } from './clock.ts'
import { watchDataNodes } from './data-node-watch.ts'
import { probeFiles, rejectWithoutFiles, watchDatabaseFiles } from './database-files.ts'
import { databaseOptions } from './database-options.ts'
import { openLoggedKeys } from './open-keys.ts'
import { logReplayEvents } from './replay-log.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'
import { version } from './version.ts'
import { httpLimitsPerWorker, rateLimitsPerWorker } from './worker-limits.ts'

export interface OpenServer {
  readonly app: HttpApp
  /** Whether requests could succeed: a provider needs keys to verify tokens with. */
  readonly isReady: () => Promise<boolean>
  /** Reads its files again, apart from the certificates. */
  readonly reload?: () => void
}

export type ProviderSettings = Pick<
  Settings,
  | 'database'
  | 'providerUrl'
  | 'resourceUrl'
  | 'subdomain'
  | 'jwksUrl'
  | 'timeZone'
  | 'accountVersion'
> &
  Partial<Settings>

/** Opens a provider that serves a database. Its server does not listen yet. */
export async function openProvider(
  settings: ProviderSettings,
  telemetry: Telemetry,
  tls?: TlsOptions,
): Promise<OpenServer> {
  return openVerifiedProvider(
    settings,
    telemetry,
    tls,
    await openStoreResponders(settings, telemetry),
  )
}

/** What serves the operations once a token is verified. */
export interface OpenResponders {
  readonly responders: Responders
  /** What the responders need of the server. */
  readonly app?: Pick<ProviderAppOptions, 'limits' | 'keepBodies'>
  /** They may have an effect, so that the use of a token is recorded first. */
  readonly isUseFirst?: boolean
  close(): Promise<void>
}

/** Serves the operations from the provider's database. */
export async function openStoreResponders(
  settings: ProviderSettings,
  { metrics, tracing }: Telemetry,
): Promise<OpenResponders> {
  const { openProviderStore } = await import('../storage/open.ts')
  const { respondFromStore } = await import('../http/provider-app.ts')
  const { timeZone, accountVersion } = settings
  const options = { ...databaseOptions(settings), onPool: metrics?.watchPool }
  const store = await openProviderStore(settings.database, options)
  const traced = tracing ? tracing.traceQueries(store) : store
  return {
    responders: respondFromStore({ store: traced, timeZone, accountVersion }, clock),
    close: () => store.close(),
  }
}

/** Opens a server that verifies tokens and records their use in the database. */
export async function openVerifiedProvider(
  settings: ProviderSettings,
  { log, metrics, tracing }: Pick<Telemetry, 'log' | 'metrics' | 'tracing'>,
  tls: TlsOptions | undefined,
  served: OpenResponders,
): Promise<OpenServer> {
  const { openDatabaseProbe, openReplayStore } = await import('../storage/open.ts')
  const { readTrustedProxies } = await import('../http/caller-address.ts')
  const { openProviderApp } = await import('../http/provider-app.ts')
  const { createTokenVerifier } = await import('../auth/verify-token.ts')
  const { probeKeys, openReplayProbe } = await import('../auth/readiness.ts')
  const { database, providerUrl, resourceUrl, subdomain } = settings

  const options = { ...databaseOptions(settings), onPool: metrics?.watchPool }
  const replays = await openReplayStore(database, clock, { ...options, ...logReplayEvents(log) })
  const recorder = await openRecorder(settings, { log, metrics })
  const probe = await openDatabaseProbe(database, 'read', options)
  const files = await watchDatabaseFiles(database, 'provider', log)
  const keys = await openLoggedKeys(settings.jwksUrl, log, metrics)
  const replayProbe = openReplayProbe(replays, clock)
  const verifyToken = createTokenVerifier({
    subdomain,
    bases: { provider: providerUrl, resource: resourceUrl },
    keys,
    replay: tracing
      ? { ...replays, recordUse: tracing.traceCalls('record token use', replays.recordUse) }
      : replays,
    clock,
    onAttempt: replayProbe.noteAttempt,
  })
  const app = openProviderApp({
    version,
    responders: served.responders,
    verifyToken: tracing ? tracing.traceCalls('verify token', verifyToken) : verifyToken,
    log,
    metrics,
    trace: tracing?.traceRequests,
    readiness: [
      { name: 'database files', probe: () => probeFiles(files) },
      { name: 'platform keys', probe: () => probeKeys(keys) },
      { name: 'database', probe: probe.test },
      watchDataNodes(probe, log, metrics),
      { name: 'replay records', probe: replayProbe.probe },
      ...(recorder ? [{ name: 'disclosure records', probe: recorder.test }] : []),
    ],
    isKnown: (name) => name === subdomain || keys.has(name),
    tls,
    rates: rateLimitsPerWorker(settings),
    recording: recorder && {
      recorder: tracing ? traceRecorder(recorder, tracing) : recorder,
      isUseFirst: served.isUseFirst,
    },
    keepBodies: served.app?.keepBodies,
    limits: { ...served.app?.limits, ...httpLimitsPerWorker(settings) },
    trustedProxies: readTrustedProxies(settings.trustedProxies ?? ''),
  })
  rejectWithoutFiles(app, files)
  // Before the server listens, so that the first request does not wait. It also listens if no keys could be fetched.
  app.addHook('onReady', async () => void (await keys.preload()))
  app.addHook('onClose', async () => {
    keys.close()
    await probe.close()
    await recorder?.close()
    await replays.close()
    await served.close()
  })
  return { app, isReady: keys.hasKeys }
}

async function openRecorder(
  settings: ProviderSettings,
  telemetry: Pick<Telemetry, 'log' | 'metrics'>,
): Promise<Recorder<ProviderRecord> | undefined> {
  const { records, recordYears } = settings
  if (!records || recordYears === undefined) return undefined
  const { openProviderRecorder } = await import('./open-recorder.ts')
  return openProviderRecorder({ ...settings, recordYears }, telemetry)
}

function traceRecorder(
  { record, recordWithUse }: Recorder<ProviderRecord>,
  { traceCalls }: NonNullable<Telemetry['tracing']>,
): AnswerRecording['recorder'] {
  return {
    record: traceCalls('record answer', record),
    recordWithUse: traceCalls('record token use', recordWithUse),
  }
}
