import { createPublicKey, type KeyObject, type webcrypto } from 'node:crypto'
import { ContractError } from '../contract/index.ts'
import { parseJson } from '../contract/parse-json.ts'
import { findAlgorithm, listAlgorithms } from './algorithms.ts'
import { download } from './download.ts'
import { openTokenBuckets } from './token-bucket.ts'

/** The platform's public keys, fetched from its JWKS URL. */
export interface KeySet {
  /** The key with this id, or the only matching key for a token without a key id. Undefined if it is not cached. */
  cached(algorithm: string, keyId: string | undefined): KeyObject | undefined
  /**
   * Fetches the set if the key is not cached. Resolves to undefined if a set fetched after the call does not contain the
   * key, or one fetched within the cooldown did not. Rejects with `unavailable` while it is unknown whether the key exists.
   */
  find(algorithm: string, keyId: string | undefined): Promise<KeyObject | undefined>
  /** Fetches the set if no keys are cached. Does not count against the fetch limit. */
  preload(): Promise<void>
  /** Whether keys are cached, after an attempt to fetch them if none are. */
  hasKeys(): Promise<boolean>
  has(keyId: string): boolean
  /** The time since the keys were fetched; undefined without keys. */
  ageMs(): number | undefined
  close(): void
}

export interface KeySetOptions {
  readonly url: string
  /** How often the set is fetched again in the background. */
  readonly refreshMs?: number
  /** How long a key id that was not in a fetched set is rejected without another fetch. */
  readonly cooldownMs?: number
  readonly timeoutMs?: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  readonly onFetch?: (outcome: { readonly keys: number } | { readonly failure: string }) => void
}

interface CachedKey {
  readonly keyId: string | undefined
  /** The algorithms that it may verify. */
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

const keysMax = 100

/** How many requests may wait for a fetch: below the in-flight limit, so that tokens with cached keys are still served. */
const waitingMax = 250

/** The token bucket of fetches for unknown key ids. */
const fetchBurst = 10
const fetchRefillSeconds = 1

/** How many unknown key ids are remembered; the least recently used are evicted. */
const unknownMax = 1000

/** The key of the one bucket for all fetches. */
const allFetches = ''

export function openKeySet(options: KeySetOptions): KeySet {
  const { refreshMs = 5 * 60_000, cooldownMs = 30_000, now = () => performance.now() } = options
  const nowSeconds = () => now() / 1000
  const fetches = openTokenBuckets(fetchBurst, fetchRefillSeconds, 1, nowSeconds)
  const unknown = openTokenBuckets(1, cooldownMs / 1000, unknownMax, nowSeconds)
  const cache = openCache(options, now)
  let waiting = 0

  /** Joins the fetch in progress, or starts one if the fetch limit permits. Returns its number. */
  const fetchWithinLimit = async (): Promise<number> => {
    if (waiting >= waitingMax) throw unavailable('too many requests are waiting for keys')
    if (!cache.isFetching()) {
      const retryAfterSeconds = Math.ceil(fetches.retryAfter(allFetches))
      if (retryAfterSeconds > 0) {
        throw unavailable('the fetch limit of the key set is reached', retryAfterSeconds)
      }
      fetches.take(allFetches)
    }
    waiting += 1
    const fetched = cache.fetch()
    const number = cache.started()
    await fetched
    waiting -= 1
    return number
  }
  const timer = setInterval(cache.fetch, refreshMs)
  timer.unref()

  return {
    cached: (algorithm, keyId) => pick(cache.keys() ?? [], algorithm, keyId),

    async find(algorithm, keyId) {
      const cached = pick(cache.keys() ?? [], algorithm, keyId)
      if (cached) return cached
      const keyName = JSON.stringify([algorithm, keyId])
      if (unknown.retryAfter(keyName) > 0) return undefined
      const startedBefore = cache.started()
      for (;;) {
        const number = await fetchWithinLimit()
        const key = pick(cache.keys() ?? [], algorithm, keyId)
        if (key) return key
        if (cache.succeeded() < number) throw unavailable('the keys could not be fetched')
        if (number > startedBefore) break
        // That fetch started before this call, and the key may have been published since.
      }
      unknown.take(keyName)
      return undefined
    },
    async preload() {
      if (!cache.keys()) await cache.fetch()
    },
    async hasKeys() {
      if (!cache.keys()) await fetchWithinLimit().catch(() => {})
      return cache.keys() !== undefined
    },
    has: (keyId) => cache.keys()?.some((key) => key.keyId === keyId) ?? false,
    ageMs: cache.ageMs,
    close() {
      clearInterval(timer)
      cache.close()
    },
  }
}

/** The keys of the last successful fetch. Fetches are numbered, and only one runs at a time. */
function openCache({ url, timeoutMs = 5000, onFetch }: KeySetOptions, now: () => number) {
  let keys: readonly CachedKey[] | undefined
  let fetchedAt = 0
  let started = 0
  let succeeded = 0
  let fetching: Promise<void> | undefined
  const closing = new AbortController()

  const fetchOnce = async (number: number): Promise<void> => {
    try {
      keys = await fetchKeys(url, AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]))
      fetchedAt = now()
      succeeded = number
      onFetch?.({ keys: keys.length })
    } catch (error) {
      // The cached keys remain in use while the URL is unreachable.
      if (!closing.signal.aborted) onFetch?.({ failure: (error as Error).message })
    } finally {
      fetching = undefined
    }
  }

  return {
    keys: () => keys,
    ageMs: () => (keys ? now() - fetchedAt : undefined),
    isFetching: () => fetching !== undefined,
    /** The numbers of the last fetch that started and of the last that succeeded. */
    started: () => started,
    succeeded: () => succeeded,
    /** Joins the fetch in progress. Never rejects. */
    fetch(): Promise<void> {
      if (!fetching) {
        started += 1
        fetching = fetchOnce(started)
      }
      return fetching
    },
    close: () => closing.abort(),
  }
}

function unavailable(detail: string, retryAfterSeconds = 1): ContractError {
  return new ContractError('unavailable', detail, { retryAfterSeconds })
}

function pick(
  keys: readonly CachedKey[],
  algorithm: string,
  keyId: string | undefined,
): KeyObject | undefined {
  const matching = keys.filter(
    (each) => (keyId === undefined || each.keyId === keyId) && each.algorithms.includes(algorithm),
  )
  return matching.length === 1 ? matching[0]?.key : undefined
}

async function fetchKeys(url: string, signal: AbortSignal): Promise<CachedKey[]> {
  const { keys } = (parseJson(await download(url, signal)) ?? {}) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('not a key set')
  const usable = keys.slice(0, keysMax).flatMap((key) => importKey(key) ?? [])
  if (usable.length === 0) throw new Error('no usable key')
  return usable
}

type PublishedKey = webcrypto.JsonWebKey & { readonly kid?: string }

/**
 * Undefined for a key that is invalid or has another purpose, so that it does not invalidate the whole set. A key without
 * `alg` may verify every algorithm of its type.
 */
function importKey(jwk: PublishedKey): CachedKey | undefined {
  try {
    const { use, key_ops: operations, alg, kid } = jwk
    if (use !== undefined && use !== 'sig') return undefined
    if (operations !== undefined && !isForVerifying(operations)) return undefined
    if ([alg, kid].some((name) => name !== undefined && typeof name !== 'string')) return undefined
    const { d: _, ...publicPart } = jwk
    const key = createPublicKey({ key: publicPart, format: 'jwk' })
    const algorithms =
      alg === undefined
        ? listAlgorithms(key)
        : [alg].filter((name) => findAlgorithm(name)?.accepts(key))
    return algorithms.length > 0 ? { keyId: kid, algorithms, key } : undefined
  } catch {
    return undefined
  }
}

function isForVerifying(operations: unknown): boolean {
  return Array.isArray(operations) && operations.includes('verify')
}
