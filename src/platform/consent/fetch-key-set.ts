import type { Configuration } from 'oidc-provider'
import { decodeUtf8, parseJson } from '../../contract/parse-json.ts'
import { readBytes } from '../../contract/read-bytes.ts'
import { isObject } from '../../contract/schema.ts'

/** A key set of a third party has few keys. */
const keySetBytesMax = 64 * 1024

/**
 * How long a URL without a key set is not fetched again, since anyone can send assertions: a second after the first failure,
 * twice as long after each further one, and no longer than this.
 */
export const retrySecondsMax = 60
const urlsMax = 1000

interface Failures {
  readonly count: number
  readonly retryAt: number
}

/**
 * Fetches keys from the URL that the operator registered, without redirects. The OpenID provider rejects addresses of
 * private networks, except for a URL that names this machine, and uses a key set that it received for a minute, or longer for
 * signatures that it verifies. `now` is in seconds of a monotonic clock.
 */
export function openKeySetFetch(
  now: () => number = () => performance.now() / 1000,
): NonNullable<Configuration['fetch']> {
  /** The URLs that failed last, the latest failure at the end. */
  const failures = new Map<string, Failures>()
  /** Also of a fetch that has begun, until it succeeds. */
  const countFailure = (href: string): void => {
    const count = (failures.get(href)?.count ?? 0) + 1
    failures.delete(href)
    failures.set(href, { count, retryAt: now() + Math.min(2 ** (count - 1), retrySecondsMax) })
    const [oldest] = failures.keys()
    if (failures.size > urlsMax && oldest !== undefined) failures.delete(oldest)
  }
  /** Concurrent requests for a URL share a response. */
  const pending = new Map<string, Promise<FetchedKeys>>()
  return async (url, options) => {
    const { href } = new URL(String(url))
    const current = pending.get(href)
    if (current) return toResponse(await current)
    if ((failures.get(href)?.retryAt ?? 0) > now()) {
      throw new Error('the URL of the key set failed before')
    }
    countFailure(href)
    const fetched = fetchKeys(href, options).finally(() => pending.delete(href))
    pending.set(href, fetched)
    const { text, response } = await fetched
    if (response.ok && isObject(parseJson(text))) failures.delete(href)
    return toResponse({ text, response })
  }
}

interface FetchedKeys {
  readonly text: string
  readonly response: Response
}

/** A response of its own for each caller, which reads the body. */
function toResponse({ text, response }: FetchedKeys): Response {
  return new Response(text, response)
}

async function fetchKeys(href: string, options: RequestInit = {}): Promise<FetchedKeys> {
  const isThisMachine = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(href).hostname)
  const { dispatcher, ...plain } = options as RequestInit & { readonly dispatcher?: unknown }
  const sent = isThisMachine ? plain : { ...plain, dispatcher }
  const response = await fetch(href, { ...(sent as RequestInit), redirect: 'error' })
  const bytes = await readBytes(response.body, keySetBytesMax)
  const text = bytes && decodeUtf8(bytes)
  if (text === undefined) throw new Error('the key set is too large, or not UTF-8')
  return { text, response }
}
