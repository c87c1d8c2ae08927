import { KeyObject } from 'node:crypto'
import { importJWK, type JWK } from 'jose'
import { ContractError } from '../contract/index.ts'
import { findAlgorithm, listAlgorithms } from './algorithms.ts'
import { openTokenBuckets } from './token-bucket.ts'

/** The platform's public keys, from where it publishes them. */
export interface KeySet {
  /** The key that a token names, or the only one that fits where it names none, if it is here already. */
  cached(algorithm: string, keyId: string | undefined): KeyObject | undefined
  /**
   * The same, after fetching the set where it is not here. Undefined if a set that was fetched after the call has no
   * such key, or did so in the cooldown of the key id. Throws `unavailable` while it is unknown whether the key exists.
   */
  find(algorithm: string, keyId: string | undefined): Promise<KeyObject | undefined>
  /** Asks for keys where there are none yet. Keys that are not known later can be asked for at once all the same. */
  preload(): Promise<void>
  /** Whether there are keys, also after asking where there are none. */
  hasKeys(): Promise<boolean>
  /** Whether one of the keys has that id. */
  has(keyId: string): boolean
  /** How long ago the keys were fetched. Undefined where there are none. */
  ageMs(): number | undefined
  close(): void
}

export interface KeySetOptions {
  readonly url: string
  /** How long keys are served before they are asked for again, in the background. */
  readonly refreshMs?: number
  /** For how long a key id that a fetched set did not have counts as unknown without another fetch. */
  readonly cooldownMs?: number
  readonly timeoutMs?: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
  readonly onFetch?: (outcome: { readonly keys: number } | { readonly failure: string }) => void
}

interface HeldKey {
  readonly keyId: string | undefined
  /** What it may verify. */
  readonly algorithms: readonly string[]
  readonly key: KeyObject
}

export const keySetBytesMax = 256 * 1024
const keysMax = 100

/** How many requests may wait for a fetch: fewer than are served at once, so that known keys go on serving. */
const waitingMax = 250

/** However many unknown key ids there are: so many fetches at once, and then one a second. */
const fetchBurst = 10
const fetchEverySeconds = 1

/** For so many key ids it is remembered that they are unknown: the least recently seen are evicted. */
const unknownMax = 1000

/** Names the one budget of all fetches. */
const everyFetch = ''

export function openKeySet(options: KeySetOptions): KeySet {
  const { refreshMs = 5 * 60_000, cooldownMs = 30_000, now = () => performance.now() } = options
  const nowSeconds = () => now() / 1000
  const fetches = openTokenBuckets(fetchBurst, fetchEverySeconds, 1, nowSeconds)
  const unknown = openTokenBuckets(1, cooldownMs / 1000, unknownMax, nowSeconds)
  const cache = openCache(options, now)
  let waiting = 0

  /** Waits for the fetch in progress, or for a new one if the budget allows it. Returns its number. */
  const fetchWithinBudget = async (): Promise<number> => {
    if (waiting >= waitingMax) throw unavailable('too many requests wait for keys')
    if (!cache.isFetching()) {
      const retryAfterSeconds = Math.ceil(fetches.retryAfter(everyFetch))
      if (retryAfterSeconds > 0) {
        throw unavailable('the keys were fetched a moment ago', retryAfterSeconds)
      }
      fetches.take(everyFetch)
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
      const held = pick(cache.keys() ?? [], algorithm, keyId)
      if (held) return held
      const wanted = JSON.stringify([algorithm, keyId])
      if (unknown.retryAfter(wanted) > 0) return undefined
      const startedBefore = cache.started()
      for (;;) {
        const number = await fetchWithinBudget()
        const key = pick(cache.keys() ?? [], algorithm, keyId)
        if (key) return key
        if (cache.succeeded() < number) throw unavailable('the keys could not be fetched')
        if (number > startedBefore) break
        // That fetch began before the call: the key may have been published since.
      }
      unknown.take(wanted)
      return undefined
    },
    async preload() {
      if (!cache.keys()) await cache.fetch()
    },
    async hasKeys() {
      if (!cache.keys()) await fetchWithinBudget().catch(() => {})
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

/** The keys of the last successful fetch. Fetches are numbered by their start, and one runs at a time. */
function openCache({ url, timeoutMs = 5000, onFetch }: KeySetOptions, now: () => number) {
  let keys: readonly HeldKey[] | undefined
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
      // The keys of an earlier fetch go on serving while the URL is unreachable.
      if (!closing.signal.aborted) onFetch?.({ failure: reasonOf(error as Error) })
    } finally {
      fetching = undefined
    }
  }

  return {
    keys: () => keys,
    ageMs: () => (keys ? now() - fetchedAt : undefined),
    isFetching: () => fetching !== undefined,
    /** The number of the last fetch that was started, and of the last that succeeded. */
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
  held: readonly HeldKey[],
  algorithm: string,
  keyId: string | undefined,
): KeyObject | undefined {
  const fitting = held.filter(
    (each) => (keyId === undefined || each.keyId === keyId) && each.algorithms.includes(algorithm),
  )
  return fitting.length === 1 ? fitting[0]?.key : undefined
}

async function fetchKeys(url: string, signal: AbortSignal): Promise<HeldKey[]> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal,
  })
  if (!response.ok) {
    // What nobody reads would hold the connection.
    await response.body?.cancel()
    throw new Error(`status ${response.status}`)
  }
  const { keys } = JSON.parse(await boundedText(response)) as { keys?: unknown }
  if (!Array.isArray(keys)) throw new Error('not a key set')
  const imported = await Promise.all(keys.slice(0, keysMax).map(importKey))
  const usable = imported.flatMap((key) => key ?? [])
  if (usable.length === 0) throw new Error('no usable key')
  return usable
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > keySetBytesMax) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** That it failed is all that fetch says itself. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  return `${message}: ${(cause as NodeJS.ErrnoException).code ?? cause.message}`
}

/** What a key that does not say is imported for; RSA serves both of its algorithms. */
const algorithmByType = new Map<JWK['kty'], string>([
  ['EC', 'ES256'],
  ['OKP', 'EdDSA'],
  ['RSA', 'PS256'],
])

/** A key for verifying, or nothing: one that is broken or meant for something else spoils no other. */
async function importKey(jwk: JWK): Promise<HeldKey | undefined> {
  try {
    const { kty, use, key_ops: operations, alg, kid } = jwk
    if (use !== undefined && use !== 'sig') return undefined
    if (operations !== undefined && !operations.includes('verify')) return undefined
    if ([alg, kid].some((name) => name !== undefined && typeof name !== 'string')) return undefined
    const algorithm = alg ?? algorithmByType.get(kty)
    const { d: _, ...publicPart } = jwk
    const key = await importJWK({ ...publicPart, ext: true }, algorithm)
    if (!(key instanceof CryptoKey) || key.type !== 'public') return undefined
    const object = KeyObject.from(key)
    const algorithms =
      alg === undefined
        ? listAlgorithms(object)
        : [alg].filter((name) => findAlgorithm(name)?.fits(object))
    return algorithms.length > 0 ? { keyId: kid, algorithms, key: object } : undefined
  } catch {
    return undefined
  }
}
