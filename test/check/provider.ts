import type { FastifyReply, FastifyRequest } from 'fastify'
import { openKeySet } from '../../src/auth/key-set.ts'
import type { ReplayStore } from '../../src/auth/replay-store.ts'
import { createTokenVerifier, type VerifyToken } from '../../src/auth/verify-token.ts'
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
import { changeAnswers } from '../support/change-answers.ts'
import { createScope, newDatabase, type Scope } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import { openProvider } from '../support/provider.ts'
import { ana, ben, dataLines, restricted } from './data.ts'

/** Where a fault is inserted into our own server: around the store, token verification or the response. */
export interface Seam {
  readonly store?: (store: ProviderStore) => ProviderStore
  readonly replay?: (replay: ReplayStore) => ReplayStore
  readonly verifyToken?: (verifyToken: VerifyToken, base: () => string) => VerifyToken
  /** Changes the body of a response. A string is sent unchanged. */
  readonly answer?: (body: Body, sent: Outgoing) => unknown
  /** The references of the operations that are affected, if they are not all or unknown. */
  readonly refs?: readonly string[]
  readonly app?: (app: HttpApp) => void
  readonly timeZone?: string
  readonly accountVersion?: 3 | 4
}

// biome-ignore lint/suspicious/noExplicitAny: faults change responses of any schema
export type Body = any

export interface Outgoing {
  readonly ref: string
  readonly status: number
  readonly query: URLSearchParams
  readonly path: string
  readonly reply: FastifyReply
}

/** The data, the used tokens and the keys, which all providers of a test file share. */
export interface Bank {
  readonly testKeys: TestKeys
  /** Starts a provider with this fault, runs the checks and stops it. */
  check(seam: Seam, options?: Partial<CheckOptions>): Promise<Report>
  /** Starts a provider with this fault. */
  serve(seam: Seam): Promise<{ readonly url: string; close(): Promise<void> }>
}

export const subdomain = 'bank'

/** Twice as long as the faulty replay stores keep a token. */
export const replayAfterMs = 1000

export const withoutTokens: Partial<CheckOptions> = { skip: ['tokens'] }

/** Runs only these checks and groups. */
export function onlyChecks(...names: readonly string[]): Partial<CheckOptions> {
  return { only: names }
}

/** Stores used tokens in memory: faster for many short-lived providers. */
export function openMemoryReplayStore(): ReplayStore {
  const used = new Set<string>()
  return {
    async recordUse(tokenId) {
      if (used.has(tokenId)) return 'used before'
      used.add(tokenId)
      return 'first use'
    },
    close: async () => {},
  }
}

export async function openBank(scope: Scope, ownReplay?: ReplayStore): Promise<Bank> {
  const inner = createScope(scope)
  const database = await newDatabase(inner)
  const clock = () => Temporal.Now.instant()
  await loadInProcess(database, dataLines())
  const store = await openProviderStore(database)
  const replay = ownReplay ?? (await openReplayStore(database, clock))
  const testKeys = await publishKeys({ port: 0 })
  const keys = openKeySet({ url: testKeys.url ?? '' })
  inner.after(async () => {
    keys.close()
    await testKeys.close()
    await replay.close()
    await store.close()
  })

  async function serve(seam: Seam) {
    const bases = { provider: '', resource: '' }
    const replayStore = seam.replay?.(replay) ?? replay
    const verifyToken = createTokenVerifier({ subdomain, bases, keys, replay: replayStore, clock })
    const { address: url, close } = await openProvider(inner, [], {
      database,
      store: seam.store?.(store) ?? store,
      timeZone: seam.timeZone,
      accountVersion: seam.accountVersion,
      clock,
      verifyToken: seam.verifyToken?.(verifyToken, () => bases.provider) ?? verifyToken,
      prepare(app) {
        const { answer } = seam
        if (answer) changeAnswers(app, (...sent) => rewrite(answer, ...sent))
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
          ...restricted,
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

function rewrite(
  answer: NonNullable<Seam['answer']>,
  request: FastifyRequest,
  reply: FastifyReply,
  given: string,
): string {
  const [path = '', query = ''] = request.url.split('?')
  const { operation } = request.routeOptions.config
  const sent = {
    ref: operation?.ref ?? '',
    status: reply.statusCode,
    query: new URLSearchParams(query),
    path,
    reply,
  }
  const body = given === '' ? undefined : JSON.parse(given)
  const changed = answer(body, sent)
  return typeof changed === 'string' ? changed : (JSON.stringify(changed) ?? '')
}
