import type { Configuration } from 'oidc-provider'
import { openTokenBuckets } from '../../auth/token-bucket.ts'
import { decodeUtf8, parseJson } from '../../contract/parse-json.ts'
import { readBytes } from '../../contract/read-bytes.ts'
import { isObject } from '../../contract/schema.ts'

/** A key set of a third party has few keys. */
const keySetBytesMax = 64 * 1024

/** A URL without a key set is fetched this many times at once, then once every so many seconds: anyone can send assertions. */
export const failuresMax = 3
export const retrySeconds = 30
const urlsMax = 1000

/**
 * Fetches keys from the URL that the operator registered, without redirects. The OpenID provider rejects addresses of
 * private networks, except for a URL that names this machine, and uses a key set that it received for a minute. `now` is
 * in seconds of a monotonic clock.
 */
export function openKeySetFetch(now?: () => number): NonNullable<Configuration['fetch']> {
  const failures = openTokenBuckets(failuresMax, retrySeconds, urlsMax, now)
  return async (url, options) => {
    const { href, hostname } = new URL(String(url))
    if (failures.retryAfter(href) > 0) throw new Error('the URL of the key set failed before')
    failures.take(href)
    const isThisMachine = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    const { dispatcher, ...plain } = options as RequestInit & { readonly dispatcher?: unknown }
    const sent = isThisMachine ? plain : { ...plain, dispatcher }
    const response = await fetch(href, { ...(sent as RequestInit), redirect: 'error' })
    const bytes = await readBytes(response.body, keySetBytesMax)
    const text = bytes && decodeUtf8(bytes)
    if (text === undefined) throw new Error('the key set is too large, or not UTF-8')
    if (response.ok && isObject(parseJson(text))) failures.refund(href)
    return new Response(text, response)
  }
}
