import type { SigningKey } from './sign.ts'

export interface ClientOptions {
  /** The public base URL of the provider, exactly as the provider is configured: every token contains it. */
  readonly providerUrl: string
  /** The base URL of the contact endpoint. Default: `providerUrl`. */
  readonly resourceUrl?: string
  /** The subdomain of the data provider. */
  readonly subdomain: string
  readonly key: SigningKey
  /**
   * The version of the banking account that the provider returns. With 3, accounts are upgraded to
   * version 4; accounts that are already in version 4 are unchanged, so the provider can switch before
   * this option does.
   */
  readonly accountVersion?: 3 | 4
  /** The maximum number of retries after a network error or a status 429, 502, 503 or 504. Default: 2. */
  readonly retriesMax?: number
  /** The timeout of one attempt, in milliseconds, including its body. Default: 30 seconds. */
  readonly timeoutMs?: number
  /** The largest response body, in bytes after decompression. Default: 64 MiB, a page of 1000 transactions of the maximum size. */
  readonly responseBytesMax?: number
  /** The maximum number of pages that `pages` and `items` read. A longer list is an error. Default: 10,000. */
  readonly pagesMax?: number
  /** Sends the requests instead of the global `fetch`, for example to observe them. */
  readonly fetch?: typeof globalThis.fetch
}

export type ResolvedOptions = Required<ClientOptions>

const limits = {
  retriesMax: { initial: 2, min: 0, max: 100 },
  /** Longer timers of JavaScript end at once. */
  timeoutMs: { initial: 30_000, min: 1, max: 2 ** 31 - 1 },
  responseBytesMax: { initial: 64 * 1024 * 1024, min: 1, max: Number.MAX_SAFE_INTEGER },
  pagesMax: { initial: 10_000, min: 1, max: Number.MAX_SAFE_INTEGER },
} as const

/** Adds the defaults. Throws if an option is invalid. */
export function resolveOptions(options: ClientOptions): ResolvedOptions {
  const { providerUrl, resourceUrl = providerUrl, accountVersion = 4 } = options
  if (accountVersion !== 3 && accountVersion !== 4) {
    throw new RangeError('accountVersion must be 3 or 4')
  }
  return {
    ...options,
    accountVersion,
    providerUrl: readBaseUrl('providerUrl', providerUrl),
    resourceUrl: readBaseUrl('resourceUrl', resourceUrl),
    retriesMax: readLimit('retriesMax', options),
    timeoutMs: readLimit('timeoutMs', options),
    responseBytesMax: readLimit('responseBytesMax', options),
    pagesMax: readLimit('pagesMax', options),
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
  }
}

/** Without trailing slashes: the provider removes them from its own base URL as well. */
function readBaseUrl(name: string, url: string): string {
  if (/^https?:\/\/[^\s\\?#@]+$/.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '')
  throw new TypeError(`${name} must be an http or https URL without credentials and query`)
}

function readLimit(name: keyof typeof limits, options: ClientOptions): number {
  const { initial, min, max } = limits[name]
  const value = options[name] ?? initial
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${name} must be a whole number from ${min} to ${max}`)
}
