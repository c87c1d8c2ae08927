import type { TlsOptions } from 'node:tls'
import { type Operation, providerOperations } from '../contract/index.ts'
import type { HttpLimits } from '../http/limits.ts'
import type { Responders } from '../http/provider-app.ts'
import { openBufferRelease } from './garbage-collection.ts'
import {
  type OpenResponders,
  type OpenServer,
  openStoreResponders,
  openVerifiedProvider,
  type ProviderSettings,
} from './open-provider.ts'
import { flagName, type Settings } from './settings/settings.ts'
import type { upstreamDefinitions } from './settings/upstream-settings.ts'
import type { Telemetry } from './telemetry.ts'
import { CommandError } from './terminal.ts'
import { readUpstreamTls } from './tls.ts'
import { readUpstreamHeader } from './upstream-header.ts'

type GuardSettings = ProviderSettings & Pick<Settings, keyof typeof upstreamDefinitions>

type OperationId = keyof typeof providerOperations

/** A response up to this size is sent in one piece, with its length. */
const collectBytesMax = 256 * 1024

/** How much later than the upstream's total timeout the server's own timeouts end a request. */
const marginMs = 5000

/** Opens a guard in front of a service. Its server does not listen yet. */
export async function openGuardServer(
  settings: GuardSettings,
  telemetry: Telemetry,
  tls?: TlsOptions,
): Promise<OpenServer> {
  const forwardedIds = readForwarded(settings.upstreamOperations)
  const isComplete = forwardedIds.length === Object.keys(providerOperations).length
  const forwarded = await openForwarding(settings, forwardedIds, telemetry)
  const stored = isComplete ? undefined : await openStoreResponders(settings, telemetry)
  return openVerifiedProvider(settings, telemetry, tls, {
    responders: { ...stored?.responders, ...forwarded.responders },
    app: { keepBodies: true, limits: await timeoutsFor(settings.upstreamTimeoutMs) },
    // A replayed token must not reach the upstream.
    isUseFirst: true,
    async close() {
      await forwarded.close()
      await stored?.close()
    },
  })
}

/** The operations that a list of references names; all without a list. */
export function readForwarded(list: string | undefined): readonly OperationId[] {
  const entries = Object.entries<Operation>(providerOperations) as [OperationId, Operation][]
  const references = new Set(list?.split(',') ?? entries.map(([, { ref }]) => ref))
  const forwarded = entries.filter(([, { ref }]) => references.delete(ref)).map(([id]) => id)
  const [unknown] = references
  if (unknown === undefined) return forwarded
  const known = entries.map(([, { ref }]) => ref).join(', ')
  throw new CommandError(
    2,
    `${flagName('upstreamOperations')}: ${unknown} is not an operation of a provider; these are ${known}`,
  )
}

async function openForwarding(
  settings: GuardSettings,
  ids: readonly OperationId[],
  { log, metrics, tracing }: Telemetry,
): Promise<OpenResponders> {
  const { openUpstream } = await import('../provider/upstream/upstream.ts')
  const { createRequestHeaders } = await import('../provider/upstream/request-headers.ts')
  const { openResponseValidation } = await import('../provider/upstream/response-validation.ts')
  const { forwardTo } = await import('../http/forward.ts')
  const {
    upstreamHeaderFile,
    upstreamResponseBytesMax: responseBytesMax,
    validate: mode,
  } = settings
  const upstream = openUpstream({
    url: settings.upstream,
    connections: settings.upstreamConnections,
    connectTimeoutMs: settings.upstreamConnectTimeoutMs,
    firstByteTimeoutMs: settings.upstreamFirstByteTimeoutMs,
    totalTimeoutMs: settings.upstreamTimeoutMs,
    responseBytesMax,
    collectBytesMax: mode === 'enforce' ? responseBytesMax : collectBytesMax,
    onLargeChunk: openBufferRelease(),
    tls: readUpstreamTls(settings),
  })
  const options = {
    upstream,
    requestHeaders: createRequestHeaders(
      upstreamHeaderFile === undefined ? undefined : readUpstreamHeader(upstreamHeaderFile),
    ),
    mode,
    check: openResponseValidation({
      sample: settings.validateSample,
      accountVersion: settings.accountVersion,
      log,
      onOutcome: ({ ref }, outcome) => metrics?.countUpstreamCheck(ref, outcome),
    }),
    metrics,
    tracing,
  }
  const responders: Responders = Object.fromEntries(
    ids.map((id) => [id, forwardTo(options, providerOperations[id])]),
  )
  return { responders, close: upstream.close }
}

/** The upstream's timeout must end a request before those of the server do. */
async function timeoutsFor(totalTimeoutMs: number): Promise<Partial<HttpLimits>> {
  const { httpLimits } = await import('../http/limits.ts')
  const atLeast = (ms: number) => Math.max(ms, totalTimeoutMs + marginMs)
  return {
    handlerTimeoutMs: atLeast(httpLimits.handlerTimeoutMs),
    writeTimeoutMs: atLeast(httpLimits.writeTimeoutMs),
  }
}
