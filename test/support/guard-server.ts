import { providerOperations } from '../../src/contract/index.ts'
import { forwardTo } from '../../src/http/forward.ts'
import type { Responders } from '../../src/http/provider-app.ts'
import type { ProviderOperationId } from '../../src/provider/handler.ts'
import { createRequestHeaders } from '../../src/provider/upstream/request-headers.ts'
import { openResponseValidation } from '../../src/provider/upstream/response-validation.ts'
import { openUpstream, type UpstreamOptions } from '../../src/provider/upstream/upstream.ts'
import type { ValidationMode } from '../../src/provider/upstream/validation-modes.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import type { Scope } from './engines.ts'
import type { Answer, Sent } from './http.ts'
import { send } from './http.ts'
import type { LocalServer } from './local-server.ts'
import type { Flags } from './process.ts'

/** A guard in this process, in front of an upstream, and what is needed to call it. */
export interface GuardServer extends LocalServer, Pick<Deployment, 'database' | 'key' | 'mint'> {
  send(path: string, sent?: Sent): Promise<Answer>
  /** Sends a request with a new valid token, exactly with this path. */
  ask(path: string, sent?: Sent): Promise<Answer>
}

/** Opens the server of `holdfast serve guard`. The flags are those of the command. It is closed with the scope. */
export async function openGuardServer(
  scope: Scope,
  upstreamAddress: string,
  flags: Flags = {},
): Promise<GuardServer> {
  const deployment = await openDeployment(scope)
  const server = await deployment.openGuard({ upstream: upstreamAddress, ...flags })
  const { database, key, mint } = deployment
  return {
    ...server,
    database,
    key,
    mint,
    send: (path, sent) => send(server.port, path, sent),
    ask(path, { headers = [], ...sent } = {}) {
      const [resource = ''] = path.split('?', 1)
      const given = Array.isArray(headers) ? headers : Object.entries(headers).flat()
      const type = sent.body === undefined ? [] : ['content-type', 'application/json']
      return send(server.port, path, {
        ...sent,
        headers: ['authorization', `Bearer ${mint(resource)}`, ...type, ...given],
      })
    },
  }
}

interface ForwardingOptions extends Partial<UpstreamOptions> {
  readonly mode?: ValidationMode
  readonly accountVersion?: 3 | 4
}

/** Responders that forward every operation to an upstream, for an app with a guard and limits of its own. */
export function forwardAll(
  scope: Scope,
  upstreamAddress: string,
  { mode = 'off', accountVersion = 4, ...options }: ForwardingOptions = {},
): Responders {
  const upstream = openUpstream({
    url: upstreamAddress,
    connections: 100,
    connectTimeoutMs: 10_000,
    firstByteTimeoutMs: 20_000,
    totalTimeoutMs: 20_000,
    responseBytesMax: 32 * 1024 * 1024,
    collectBytesMax: 256 * 1024,
    tls: {},
    ...options,
  })
  scope.after(upstream.close)
  const check = openResponseValidation({ sample: 1, accountVersion, log: { warn() {} } })
  const requestHeaders = createRequestHeaders(undefined)
  const ids = Object.keys(providerOperations) as ProviderOperationId[]
  return Object.fromEntries(
    ids.map((id) => [
      id,
      forwardTo({ upstream, requestHeaders, mode, check }, providerOperations[id]),
    ]),
  )
}
