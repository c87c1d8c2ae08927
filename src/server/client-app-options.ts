import type { TlsOptions } from 'node:tls'
import type { Access } from '../auth/access.ts'
import type { Recorder } from '../disclosures/recorder.ts'
import type { AppOptions } from '../http/app.ts'
import type { DatabaseProbe, FileWatch } from '../storage/database.ts'
import { probeFiles } from './database-files.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'
import { version } from './version.ts'
import { httpLimitsPerWorker } from './worker-limits.ts'

interface Opened {
  readonly access: Access
  readonly probe: DatabaseProbe
  readonly files: FileWatch
  readonly recorder?: Pick<Recorder, 'test'> | undefined
  readonly tls: TlsOptions | undefined
}

/** The options that the servers for API clients share: the platform and the intake. */
export async function createClientAppOptions(
  settings: Partial<Settings>,
  { log, metrics, tracing }: Telemetry,
  { access, probe, files, recorder, tls }: Opened,
): Promise<AppOptions & { readonly access: Access; readonly version: string }> {
  const { readTrustedProxies } = await import('../http/caller-address.ts')
  return {
    version,
    access: tracing
      ? { ...access, verify: tracing.traceCalls('verify token', access.verify) }
      : access,
    log,
    metrics,
    limits: httpLimitsPerWorker(settings),
    trustedProxies: readTrustedProxies(settings.trustedProxies ?? ''),
    trace: tracing?.traceRequests,
    readiness: [
      { name: 'database files', probe: () => probeFiles(files) },
      { name: 'database', probe: probe.test },
      ...(recorder ? [{ name: 'disclosure records', probe: recorder.test }] : []),
    ],
    tls,
  }
}
