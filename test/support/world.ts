import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import type { AuthRequest } from '../../src/auth/guard.ts'
import { ContractError } from '../../src/contract/index.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import { openProviderApp } from '../../src/http/provider-app.ts'
import { load } from '../../src/load/load.ts'
import type { ProviderStore } from '../../src/provider/store.ts'
import { createDatabase, openProviderStore, openProviderWriter } from '../../src/storage/open.ts'
import { closingTogether, newDatabase, type Scope, sharedOnEachEngine } from './engines.ts'

/** A line as an object, or as its exact text. */
export type Line = object | string

export interface WorldOptions {
  /** What the clock shows until a test sets it. */
  readonly now?: string
  readonly timeZone?: string
  readonly accountVersion?: 3 | 4
  readonly limits?: Partial<HttpLimits>
  /** The data of another world, instead of data of its own. */
  readonly database?: string
  /** Whether a request has a valid token; all have, where it is not given. */
  readonly guard?: (request: AuthRequest) => boolean
  /** Stands between the database and the provider. */
  readonly around?: (store: ProviderStore) => ProviderStore
  /** Settles when the token of a request is recorded. */
  readonly claimed?: Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The text as JSON; undefined where there is none. */
  readonly body: ReturnType<JSON['parse']>
}

export interface Request {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Announces a body of so many bytes, of which none comes. */
  readonly announced?: number
}

export interface World {
  readonly database: string
  readonly port: number
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** The body is sent as JSON; a text or bytes are sent as they are. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Sends a path as it stands: `fetch` would tidy it first. */
  send(path: string, options?: Request): Promise<Answer>
  /** Beside the running server. */
  load(lines: readonly Line[]): Promise<void>
  setClock(now: string): void
}

const nowDefault = '2025-07-01T00:00:00Z'

/** A provider on a socket with the lines loaded. It closes with the test. */
export async function openWorld(
  scope: Scope,
  lines: readonly Line[],
  options: WorldOptions = {},
): Promise<World> {
  const { timeZone = 'UTC', accountVersion = 4, limits = {}, around = (it) => it } = options
  const inner = closingTogether(scope)
  const database = options.database ?? (await newDatabase(inner))
  const loadHere = (more: readonly Line[]) =>
    loadInProcess(database, more, Temporal.Now.instant().toString())
  if (lines.length > 0) await loadHere(lines)

  let now = Temporal.Instant.from(options.now ?? nowDefault)
  const store = await openProviderStore(database)
  const app = openProviderApp({
    context: { store: around(store), timeZone, accountVersion },
    clock: () => now,
    guard: async (request) => {
      if (options.guard?.(request) ?? true)
        return { recorded: options.claimed ?? Promise.resolve() }
      throw new ContractError('unauthorized')
    },
    limits,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  inner.after(async () => {
    await app.close()
    await store.close()
  })

  const { port } = app.server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  return {
    database,
    port,
    get: (path, headers = {}) => answerOf(fetch(address + path, { headers })),
    post: (path, body, headers = {}) =>
      answerOf(
        fetch(address + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body),
        }),
      ),
    send: (path, sent = {}) => sendRaw(port, path, sent),
    load: loadHere,
    setClock(time) {
      now = Temporal.Instant.from(time)
    },
  }
}

function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array
}

/** One world for all tests of a suite, opened by the first that asks. No test may disturb another. */
export function sharedWorld(
  lines: readonly Line[],
  options: WorldOptions | (() => Promise<WorldOptions>) = {},
): () => Promise<World> {
  return sharedOnEachEngine(async (scope) => {
    const chosen = typeof options === 'function' ? await options() : options
    return openWorld(scope, lines, chosen)
  })
}

/** What `holdfast load` does, without a process of its own, at a time of the test's choice. */
export async function loadInProcess(
  database: string,
  lines: readonly Line[],
  loadTime: string,
): Promise<void> {
  await createDatabase(database)
  const writer = await openProviderWriter(database, { loadTime: Temporal.Instant.from(loadTime) })
  try {
    const open = () => Readable.from([Buffer.from(ndjson(lines))])
    await load([{ name: 'lines', open }], writer, {
      onError: ({ line, path, reason }) => assert.fail(`line ${line}: ${path} ${reason}`),
    })
  } finally {
    await writer.close()
  }
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
    assert.ok(pages.length <= Math.max(1, page.body.meta.totalPages), 'the walk does not end')
    await between(page)
    next = page.body.links.next
  }
  return pages
}

function ndjson(lines: readonly Line[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
}

async function answerOf(response: Promise<Response>): Promise<Answer> {
  const { status, headers, ...rest } = await response.then(async (answer) => ({
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text: await answer.text(),
  }))
  return { status, headers, ...rest, body: parsed(rest.text, headers) }
}

async function sendRaw(port: number, path: string, sent: Request): Promise<Answer> {
  const { method = 'GET', headers = {}, body, announced } = sent
  const outgoing = request({ host: '127.0.0.1', port, path, method, headers })
  // An answer may come before the request has ended, and the connection go with it.
  outgoing.on('error', () => {})
  if (announced === undefined) outgoing.end(body)
  else outgoing.setHeader('content-length', announced).flushHeaders()
  const [incoming] = await once(outgoing, 'response')
  const text = await textOf(incoming)
  if (announced !== undefined) outgoing.destroy()
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    text,
    body: parsed(text, incoming.headers),
  }
}

function parsed(text: string, headers: Readonly<Record<string, string>>): Answer['body'] {
  const isJson = headers['content-type']?.startsWith('application/json')
  return text !== '' && isJson ? JSON.parse(text) : undefined
}
