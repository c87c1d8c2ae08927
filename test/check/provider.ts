import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Guard, openGuard } from '../../src/auth/guard.ts'
import { openKeySet } from '../../src/auth/key-set.ts'
import type { ReplayStore } from '../../src/auth/replay-store.ts'
import {
  type CheckOptions,
  checkProvider,
  publishKeys,
  type Report,
  type TestKeys,
} from '../../src/check/index.ts'
import type { HttpApp } from '../../src/http/app.ts'
import type { ProviderStore } from '../../src/provider/store.ts'
import { openProviderStore, openReplayStore } from '../../src/storage/open.ts'
import { closingTogether, newDatabase, type Scope } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import { openProvider } from '../support/provider.ts'
import { ana, ben, dataLines } from './data.ts'

/** Where a fault is put into our own server: between the store, the guard or the socket and the rest. */
export interface Seam {
  readonly store?: (store: ProviderStore) => ProviderStore
  readonly claims?: (claims: ReplayStore) => ReplayStore
  readonly guard?: (guard: Guard, base: () => string) => Guard
  /** The body of an answer on its way out, and what it answers; a text is sent as it is. */
  readonly answer?: (body: Body, sent: Outgoing) => unknown
  readonly app?: (app: HttpApp) => void
  readonly timeZone?: string
  readonly accountVersion?: 3 | 4
}

// biome-ignore lint/suspicious/noExplicitAny: a fault reaches into whatever answer it spoils
export type Body = any

export interface Outgoing {
  readonly ref: string
  readonly status: number
  readonly query: URLSearchParams
  readonly path: string
  readonly reply: FastifyReply
}

/** What all providers of a file share: the data, the spent tokens, the keys. */
export interface Bank {
  readonly testKeys: TestKeys
  /** A provider with this fault, or none, is checked in full. */
  check(seam: Seam, options?: Partial<CheckOptions>): Promise<Report>
  /** The same, still listening. It ends with the scope. */
  serve(seam: Seam): Promise<{ readonly url: string; close(): Promise<void> }>
}

export const subdomain = 'bank'

/** Long enough for a provider to forget what it remembers for half of it. */
export const replayAfterMs = 100

export const withoutTokens: Partial<CheckOptions> = { skip: ['tokens'] }
export const errorsAlone: Partial<CheckOptions> = { only: ['errors'] }
export const nextLinksAlone: Partial<CheckOptions> = { only: ['paging.links.next'] }

/** Checks that judge what happened during the run: alone they would see nothing. */
const ofTheWholeRun = ['tokens.jti.kept', 'errors.body']

/**
 * A fault is tried on the checks that must catch it, to save time. How records are written is judged by the answers to
 * other checks.
 */
export function optionsFor(catches: readonly string[]): Partial<CheckOptions> {
  const groups = new Set(catches.map((id) => id.split('.')[0] ?? ''))
  const isWriting = groups.has('schemas') || groups.has('wire')
  return {
    only: [
      ...(catches.some((id) => ofTheWholeRun.includes(id)) ? groups : catches),
      ...(isWriting ? ['schemas', 'wire', 'consent', 'isolation'] : []),
    ],
  }
}

/** Spent tokens in memory: for a great many providers that each live a second. */
export function claimsInMemory(): ReplayStore {
  const spent = new Set<string>()
  return {
    async recordUse(tokenId) {
      if (spent.has(tokenId)) return 'used before'
      spent.add(tokenId)
      return 'first use'
    },
    close: async () => {},
  }
}

export async function openBank(scope: Scope, ownClaims?: ReplayStore): Promise<Bank> {
  const inner = closingTogether(scope)
  const database = await newDatabase(inner)
  const clock = () => Temporal.Now.instant()
  await loadInProcess(database, dataLines())
  const store = await openProviderStore(database)
  const claims = ownClaims ?? (await openReplayStore(database, clock))
  const testKeys = await publishKeys({ port: 0 })
  const keys = openKeySet({ url: testKeys.url ?? '' })
  inner.after(async () => {
    keys.close()
    await testKeys.close()
    await claims.close()
    await store.close()
  })

  async function serve(seam: Seam) {
    const bases = { provider: '', resource: '', platform: '' }
    const spent = seam.claims?.(claims) ?? claims
    const guard = openGuard({ subdomain, bases, keys, replay: spent, clock })
    const { address: url, close } = await openProvider(inner, [], {
      database,
      store: seam.store?.(store) ?? store,
      timeZone: seam.timeZone,
      accountVersion: seam.accountVersion,
      clock,
      guard: seam.guard?.(guard, () => bases.provider) ?? guard,
      prepare(app) {
        const { answer } = seam
        if (answer)
          app.addHook('onSend', async (request, reply, payload) =>
            rewritten(answer, request, reply, payload),
          )
        seam.app?.(app)
      },
    })
    Object.assign(bases, { provider: url, resource: url })
    return { url, close }
  }

  return {
    testKeys,
    serve,
    async check(seam, options = {}) {
      const { url, close } = await serve(seam)
      try {
        return await checkProvider({
          url,
          subdomain,
          testKeys,
          customers: [ana, ben],
          rate: 0,
          replayAfterMs,
          ...options,
        })
      } finally {
        await close()
      }
    },
  }
}

function rewritten(
  answer: NonNullable<Seam['answer']>,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): unknown {
  const [path = '', query = ''] = request.url.split('?')
  const { operation } = request.routeOptions.config
  const sent = {
    ref: operation?.ref ?? '',
    status: reply.statusCode,
    query: new URLSearchParams(query),
    path,
    reply,
  }
  const given = payload instanceof Uint8Array ? Buffer.from(payload).toString() : payload
  const body = typeof given === 'string' && given !== '' ? JSON.parse(given) : undefined
  const changed = answer(body, sent)
  const text =
    typeof changed === 'string' || changed === undefined ? (changed ?? '') : JSON.stringify(changed)
  reply.header('content-length', Buffer.byteLength(text))
  return text
}
