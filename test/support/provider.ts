import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import type { VerifyToken } from '../../src/auth/verify-token.ts'
import type { HttpApp } from '../../src/http/app.ts'
import { nodeHttp } from '../../src/http/node-http.ts'
import {
  openProviderApp,
  type ProviderAppOptions,
  type Responders,
  respondFromStore,
} from '../../src/http/provider-app.ts'
import type { Context } from '../../src/provider/handler.ts'
import type { ProviderStore } from '../../src/provider/store.ts'
import { openProviderStore } from '../../src/storage/open.ts'
import { createScope, newDatabase, type Scope, shareOnEachEngine } from './engines.ts'
import { type Answer, type Headers, type Sent, send } from './http.ts'
import { type Line, loadInProcess } from './load.ts'
import { type Variant, variant } from './variant.ts'

type AppOptions = Pick<
  ProviderAppOptions,
  'verifyToken' | 'isKnown' | 'limits' | 'log' | 'rates' | 'recording'
>

/** By default, every request is accepted. */
export interface ProviderOptions extends Partial<AppOptions> {
  /** The initial time. */
  readonly now?: string
  /** A clock instead of one that starts at `now`. */
  readonly clock?: () => Temporal.Instant
  readonly timeZone?: string | undefined
  readonly accountVersion?: 3 | 4 | undefined
  /** An existing database instead of a new one. */
  readonly database?: string
  /** An existing store, which is not closed, instead of a new one. */
  readonly store?: ProviderStore
  /** Replaces parts of the store. */
  readonly around?: (store: ProviderStore) => ProviderStore
  /** Changes the app before it listens. */
  readonly prepare?: (app: HttpApp) => void
}

export interface Provider {
  readonly database: string
  readonly address: string
  readonly port: number
  get(path: string, headers?: Headers): Promise<Answer>
  post(path: string, body: unknown, headers?: Headers): Promise<Answer>
  /** Sends a path unchanged; the other two methods normalise it as `fetch` does. */
  send(path: string, sent?: Sent): Promise<Answer>
  /** Loads more lines while the server runs. */
  load(lines: readonly Line[]): Promise<void>
  setClock(now: string): void
  /** Closes the provider before its scope ends. */
  close(): Promise<void>
}

const nowDefault = '2025-07-01T00:00:00Z'

const acceptAll: VerifyToken = async () => ({ recorded: Promise.resolve() })

type Serve = (
  scope: Scope,
  context: Omit<Context, 'now'>,
  clock: () => Temporal.Instant,
) => Promise<Responders>

/** Where the responses of a provider come from: its store, a source, or a service behind a guard. */
const serve: Readonly<Record<Variant, Serve>> = {
  store: async (_scope, context, clock) => respondFromStore(context, clock),

  async source(_scope, context, clock) {
    const { sourceOver } = await import('./source-over.ts')
    const { toProviderReads } = await import('../../src/provider/source/to-provider-reads.ts')
    return respondFromStore(
      { ...context, store: toProviderReads(sourceOver(context.store)) },
      clock,
    )
  },

  async guard(scope, context, clock) {
    const { forwardAll } = await import('./guard-server.ts')
    const upstream = openProviderApp({
      version: '0.0.0',
      responders: respondFromStore(context, clock),
      verifyToken: acceptAll,
    })
    const address = await upstream.listen({ host: '127.0.0.1', port: 0 })
    scope.after(() => upstream.close())
    return forwardAll(scope, address, { mode: 'report', accountVersion: context.accountVersion })
  },
}

/** Loads lines and starts a provider on a socket. It is closed with the scope. */
export async function openProvider(
  scope: Scope,
  lines: readonly Line[],
  options: ProviderOptions = {},
): Promise<Provider> {
  const { now: _now, timeZone = 'UTC', accountVersion = 4, around, prepare, ...own } = options
  const inner = createScope(scope)
  const database = options.database ?? (await newDatabase(inner))
  if (lines.length > 0) await loadInProcess(database, lines)

  let now = Temporal.Instant.from(options.now ?? nowDefault)
  const store = options.store ?? (await openProviderStore(database))
  const context = { store: around?.(store) ?? store, timeZone, accountVersion }
  const app = openProviderApp({
    version: '0.0.0',
    responders: await serve[variant](inner, context, options.clock ?? (() => now)),
    keepBodies: variant === 'guard',
    verifyToken: acceptAll,
    ...own,
  })
  prepare?.(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new nodeHttp.Agent({ keepAlive: true })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= (async () => {
      agent.destroy()
      await app.close()
      if (!options.store) await store.close()
    })()
    return closed
  }
  inner.after(close)

  const sendHere = (path: string, sent: Sent = {}) => send(port, path, { agent, ...sent })
  const normalise = (path: string) => {
    const { pathname, search } = new URL(address + path)
    return pathname + search
  }
  return {
    database,
    address,
    port,
    get: (path, headers = {}) => sendHere(normalise(path), { headers }),
    post: (path, body, headers = {}) =>
      sendHere(normalise(path), { method: 'POST', body, headers }),
    send: sendHere,
    load: (more) => loadInProcess(database, more),
    setClock(time) {
      now = Temporal.Instant.from(time)
    },
    close,
  }
}

/** Shares one provider between all tests of a file. They must not affect each other. */
export function sharedProvider(
  lines: readonly Line[],
  options: ProviderOptions | (() => Promise<ProviderOptions>) = {},
): () => Promise<Provider> {
  return shareOnEachEngine(async (scope) => {
    const chosen = typeof options === 'function' ? await options() : options
    return openProvider(scope, lines, chosen)
  })
}

/** Follows `next` from the first page to the last. */
export async function walk(
  ask: (query: string) => Promise<Answer>,
  query: string,
  between: (page: Answer) => Promise<void> = async () => {},
): Promise<Answer[]> {
  const pages: Answer[] = []
  for (let next: string | undefined = query; next !== undefined; ) {
    const page: Answer = await ask(next)
    assert.equal(page.status, 200, page.text)
    pages.push(page)
    assert.ok(pages.length <= Math.max(1, page.body.meta.totalPages), 'more pages than totalPages')
    await between(page)
    next = page.body.links.next
  }
  return pages
}
