import { findNewestKey, type SigningKeyStore, toPrivateJwk } from '../../auth/signing-key-store.ts'
import { ClientError, TimeoutError } from '../../client/errors.ts'
import { type ResolvedOptions, resolveOptions } from '../../client/options.ts'
import { prepareCall } from '../../client/request.ts'
import { openSender } from '../../client/send.ts'
import { ContractError, type ExplorerHeader, type ExplorerResult } from '../../contract/index.ts'
import { tools } from '../../contract/tools.ts'
import { type ExplorerCall, readCall } from './read-call.ts'

/** Sends one call to the provider, with a token that is signed for it. */
export type Explorer = (call: ExplorerCall) => Promise<ExplorerResult>

export interface ExplorerOptions {
  readonly providerUrl: string
  readonly resourceUrl: string
  readonly subdomain: string
  readonly signingKeys: Pick<SigningKeyStore, 'list'>
  /** The time for a response. Default: 10 seconds. */
  readonly timeoutMs?: number
  /** The largest response, in bytes after decompression. Its body as a JSON string may have twice as many. Default: 4 MiB. */
  readonly responseBytesMax?: number
  /** How many calls may wait for the provider at once. Default: 16. */
  readonly callsMax?: number
}

const noSigningKey = 'no signing key: create one with holdfast keys add'

export function openExplorer(options: ExplorerOptions): Explorer {
  const { providerUrl, resourceUrl, subdomain, signingKeys, callsMax = 16 } = options
  const { timeoutMs = 10_000, responseBytesMax = 4 * 1024 * 1024 } = options
  const provider = { providerUrl, resourceUrl, subdomain }
  let calls = 0
  return async (given) => {
    const call = readCall(given)
    if (calls >= callsMax) throw new ContractError('unavailable')
    calls += 1
    try {
      const key = await findNewestKey(signingKeys)
      if (!key) throw new ContractError('provider_failed', noSigningKey)
      const resolved = resolveOptions({
        ...provider,
        key: toPrivateJwk(key),
        timeoutMs,
        responseBytesMax,
        // A retry would hide the response that the caller wants to see.
        retriesMax: 0,
      })
      return { ...(await send(call, resolved)), provider }
    } finally {
      calls -= 1
    }
  }
}

async function send(
  { id, operation, input }: ReturnType<typeof readCall>,
  options: ResolvedOptions,
): Promise<Omit<ExplorerResult, 'provider'>> {
  const call = prepareCall(id, operation, input, options)
  let request: ExplorerResult['request'] | undefined
  let headers: ExplorerHeader[] = []
  let token: string | undefined
  /** A provider may repeat the headers of a request in its response. */
  const hideToken = (text: string) => (token ? text.replaceAll(token, '…') : text)
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const sent = new Headers(init?.headers)
    sent.set('user-agent', tools.console)
    token = sent.get('authorization')?.replace('Bearer ', '')
    request = {
      method: operation.method,
      url: String(url),
      headers: [...sent].map(([name, value]) => ({
        name,
        value: name === 'authorization' ? 'Bearer …' : value,
      })),
      ...(call.body !== undefined && { body: call.body }),
    }
    const response = await globalThis.fetch(url, { ...init, headers: sent })
    headers = [...response.headers].map(([name, value]) => ({ name, value: hideToken(value) }))
    return response
  }
  const start = performance.now()
  try {
    const { status, bytes } = await openSender({ ...options, fetch })(call, call.query)
    const durationMs = Math.round((performance.now() - start) * 1000) / 1000
    if (!request) throw new TypeError('the request was not recorded')
    const body = hideToken(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes))
    requireLength(body, 2 * options.responseBytesMax)
    return { request, response: { status, headers, body }, durationMs }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const code = error instanceof TimeoutError ? 'provider_timeout' : 'provider_failed'
    throw new ContractError(code, error.message, { cause: error })
  }
}

/** A control character has six bytes in a JSON string: the answer could be several times as large as the response. */
function requireLength(body: string, bytesMax: number): void {
  if (Buffer.byteLength(JSON.stringify(body)) <= bytesMax) return
  const sentence = `invalid response: larger than ${bytesMax} bytes as a JSON string`
  throw new ContractError('provider_failed', sentence)
}
