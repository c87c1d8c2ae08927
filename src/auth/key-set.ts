import { KeyObject } from 'node:crypto'
import { importJWK, type JWK } from 'jose'
import { ContractError } from '../contract/index.ts'
import { algorithmOf, algorithmsFor } from './algorithms.ts'

/** The platform's public keys, from where it publishes them. */
export interface KeySet {
  /** The key that a token names, or the only one that fits where it names none, if it is here already. */
  held(algorithm: string, keyId: string | undefined): KeyObject | undefined
  /**
   * The same, after asking for it where it is not here. Undefined where there is none then either. Throws
   * `unavailable` where no keys could be had at all yet.
   */
  find(algorithm: string, keyId: string | undefined): Promise<KeyObject | undefined>
  /** Asks for keys where there are none yet. Keys that are not known later can be asked for at once all the same. */
  fetchFirst(): Promise<void>
  /** Whether there are keys, also after asking where there are none. */
  isHeld(): Promise<boolean>
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
  /** However many unknown keys are named: not more than one question in this time. */
  readonly cooldownMs?: number
  readonly timeoutMs?: number
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

/** How many tokens may wait for the answer to one question. */
const waitingMax = 1000

/** How long to wait before the first keys are asked for again. */
const firstRetryMs = 1000

export function openKeySet(options: KeySetOptions): KeySet {
  const { url, refreshMs = 5 * 60_000, cooldownMs = 30_000, timeoutMs = 5000, onFetch } = options
  let held: readonly HeldKey[] | undefined
  let heldSince = 0
  let askedForUnknownAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined
  let waiting = 0
  const closing = new AbortController()

  const ask = (): Promise<void> => {
    asking ??= fetchKeys(url, AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]))
      .then((keys) => {
        held = keys
        heldSince = performance.now()
        onFetch?.({ keys: keys.length })
      })
      // Keys that are held go on serving while the URL is away.
      .catch((error: Error) => {
        if (!closing.signal.aborted) onFetch?.({ failure: reasonOf(error) })
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  /** While there is nothing to serve, more often than for a key that may not exist. */
  const isTimeToAsk = (): boolean => {
    const now = performance.now()
    const wait = held ? cooldownMs : Math.min(cooldownMs, firstRetryMs)
    if (now - askedForUnknownAt < wait) return false
    askedForUnknownAt = now
    return true
  }
  const timer = setInterval(ask, refreshMs)
  timer.unref()

  return {
    held: (algorithm, keyId) => pick(held ?? [], algorithm, keyId),

    async find(algorithm, keyId) {
      let key = pick(held ?? [], algorithm, keyId)
      // Twice: a question that is under way may have left before the key was published.
      for (let turn = 0; !key && turn < 2; turn += 1) {
        if (!asking && isTimeToAsk()) ask()
        if (waiting >= waitingMax) throw new ContractError('unavailable', 'too many wait for keys')
        waiting += 1
        await asking
        waiting -= 1
        if (!held) throw new ContractError('unavailable', 'no keys yet')
        key = pick(held, algorithm, keyId)
      }
      return key
    },
    async fetchFirst() {
      if (!held) await ask()
    },
    async isHeld() {
      if (!held && !asking && isTimeToAsk()) ask()
      if (!held) await asking
      return held !== undefined
    },
    has: (keyId) => held?.some((key) => key.keyId === keyId) ?? false,
    ageMs: () => (held ? performance.now() - heldSince : undefined),
    close() {
      clearInterval(timer)
      closing.abort()
    },
  }
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
        ? algorithmsFor(object)
        : [alg].filter((name) => algorithmOf(name)?.fits(object))
    return algorithms.length > 0 ? { keyId: kid, algorithms, key: object } : undefined
  } catch {
    return undefined
  }
}
