import type { IncomingMessage } from 'node:http'
import { type Duplex, pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Configuration } from 'oidc-provider'
import { backOff } from '../../contract/back-off.ts'
import { decodeUtf8, parseJson } from '../../contract/parse-json.ts'
import { readBytes } from '../../contract/read-bytes.ts'
import { isObject } from '../../contract/schema.ts'
import { sendToThirdParty } from './third-party-request.ts'

/** A key set of a third party has few keys. */
const keySetBytesMax = 64 * 1024

/** How long the fetch of a key set may take. */
const fetchMs = 2500

/** How long a URL without a key set is not fetched again, after the first failure and at most: anyone can send assertions. */
const retrySecondsMin = 1
export const retrySecondsMax = 60
const urlsMax = 1000

interface Failures {
  readonly count: number
  readonly retryAt: number
}

export type FetchKeySet = NonNullable<Configuration['fetch']>

/**
 * Fetches keys from the URL that the operator registered, for the OpenID provider and for `openClientKeys`. `now` is in
 * seconds of a monotonic clock.
 */
export function openKeySetFetch(now: () => number = () => performance.now() / 1000): FetchKeySet {
  /** The URLs that failed last, the latest failure at the end. */
  const failures = new Map<string, Failures>()
  /** Also of a fetch that has begun, until it succeeds. */
  const countFailure = (href: string): void => {
    const count = (failures.get(href)?.count ?? 0) + 1
    failures.delete(href)
    failures.set(href, { count, retryAt: now() + backOff(count, retrySecondsMin, retrySecondsMax) })
    const [oldest] = failures.keys()
    if (failures.size > urlsMax && oldest !== undefined) failures.delete(oldest)
  }
  /** Concurrent requests for a URL share a response. */
  const pending = new Map<string, Promise<FetchedKeys>>()
  return async (url) => {
    const { href } = new URL(String(url))
    const current = pending.get(href)
    if (current) return toResponse(await current)
    if ((failures.get(href)?.retryAt ?? 0) > now()) {
      throw new Error('the URL of the key set failed before')
    }
    countFailure(href)
    const fetching = fetchKeys(href).finally(() => pending.delete(href))
    pending.set(href, fetching)
    const fetched = await fetching
    const response = toResponse(fetched)
    if (response.ok && isObject(parseJson(fetched.text))) failures.delete(href)
    return response
  }
}

interface FetchedKeys {
  readonly text: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** A response of its own for each caller, which reads the body. */
function toResponse({ text, ...head }: FetchedKeys): Response {
  return new Response(text, head)
}

/** The response headers that say how long a key set may be used. */
const freshnessHeaders = ['cache-control', 'expires'] as const

async function fetchKeys(href: string): Promise<FetchedKeys> {
  const request = {
    method: 'GET',
    headers: { accept: 'application/json', 'accept-encoding': 'identity' },
  } as const
  const response = await sendToThirdParty(href, request, AbortSignal.timeout(fetchMs))
  const { statusCode: status = 0, headers } = response
  if (status < 200 || (status >= 300 && status < 400)) {
    response.on('error', () => {}).destroy()
    throw new Error(`the URL of the key set responds with ${status}`)
  }
  const bytes = await readBytes(decode(response), keySetBytesMax)
  const text = bytes && decodeUtf8(bytes)
  if (text === undefined) throw new Error('the key set is too large, or not UTF-8')
  const sent = freshnessHeaders.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value]]
  })
  return { text, status, headers: Object.fromEntries(sent) }
}

const decoders: ReadonlyMap<string, () => Duplex> = new Map([
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
  ['gzip', createGunzip],
])

/** A store of files may send a file as it was stored, whatever the request accepts. */
function decode(response: IncomingMessage): IncomingMessage | Duplex {
  const decoder = decoders.get(response.headers['content-encoding'] ?? '')?.()
  return decoder ? pipeline(response, decoder, () => {}) : response
}
