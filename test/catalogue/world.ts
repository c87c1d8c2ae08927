import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { pino } from 'pino'
import { openAccess } from '../../src/auth/access.ts'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import type { CatalogueStore } from '../../src/catalogue/store.ts'
import { readTrustedProxies } from '../../src/http/caller-address.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import { openPlatformApp } from '../../src/http/platform-app.ts'
import { openCatalogueStore, openClientStore, openSigningKeyStore } from '../../src/storage/open.ts'
import { holdfastHere } from '../auth/command.ts'
import { closingTogether, newDatabase, sharedOnEachEngine } from '../support/engines.ts'
import type { Product } from './products.ts'

export const productsPath = '/v1/data-provider/cdr/products'
export const pathOf = (id: string) => `${productsPath}/${encodeURIComponent(id)}`

export type Headers = Readonly<Record<string, string>>

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The text as JSON; undefined where there is none. */
  readonly body: ReturnType<JSON['parse']>
}

export interface Sent {
  readonly method?: string
  readonly headers?: Headers
  /** Sent as JSON; a text or bytes are sent as they are. */
  readonly body?: unknown
}

export interface Registered {
  readonly id: string
  readonly secret: string
  readonly name: string
  readonly scopes: readonly Scope[]
}

type Scope = 'products.read' | 'products.write'

/** Sends requests to a platform, in this process or another, with a token for all of it. */
export interface Caller {
  readonly port: number
  readonly token: string
  /** Sends a path as it stands, without a token. */
  send(path: string, sent?: Sent): Promise<Answer>
  get(path: string, headers?: Headers): Promise<Answer>
  /** These three with the token. */
  create(body: unknown, headers?: Headers): Promise<Answer>
  replace(id: string, body: unknown, headers?: Headers): Promise<Answer>
  remove(id: string, headers?: Headers): Promise<Answer>
  history(id: string, query?: string): Promise<Answer>
  /** Creates one that must be taken, and gives its id. */
  made(body: unknown): Promise<string>
  /** Reads one that must be there. */
  read(id: string, version?: number): Promise<Product>
}

export interface World extends Caller {
  readonly database: string
  /** The database itself, without what stands around it. */
  readonly catalogue: CatalogueStore
  readonly folder: string
  readonly client: Registered
  /** Every line that was logged. */
  readonly log: readonly string[]
  setClock(now: string): void
  /** Lets so many seconds pass for the limits on failures, which otherwise stand still. */
  pass(seconds: number): void
  register(scopes: readonly Scope[], name?: string): Promise<Registered>
  /** Without the cost of asking for it. */
  tokenFor(client: Registered): Promise<string>
  /** What `holdfast client remove` does. */
  unregister(client: Registered): Promise<boolean>
  /** What `holdfast load` does, beside the running server. */
  load(lines: readonly object[]): Promise<void>
  dump(): Promise<string>
}

interface Lifetime {
  after(work: () => Promise<void>): void
}

export interface WorldOptions {
  readonly now?: string
  readonly limits?: Partial<HttpLimits>
  readonly trustedProxies?: string
  /** Stands between the database and the platform. */
  readonly around?: (store: CatalogueStore) => CatalogueStore
}

/** A fixed time, so that no test depends on when it runs. */
const nowDefault = '2026-07-01T00:00:00Z'

/** A platform on a socket, with an API client that may write. It closes with the test. */
export async function openWorld(scope: Lifetime, options: WorldOptions = {}): Promise<World> {
  const inner = closingTogether(scope)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-catalogue-'))
  const database = await newDatabase(inner)
  let now = Temporal.Instant.from(options.now ?? nowDefault)
  const clock = () => now
  const log: string[] = []
  const catalogue = await openCatalogueStore(database)
  const clients = await openClientStore(database)
  const signingKeys = await openSigningKeyStore(database)
  let seconds = 0
  const access = openAccess(clients, clock, { seconds: () => seconds })
  const app = openPlatformApp({
    catalogue: options.around?.(catalogue) ?? catalogue,
    access,
    signingKeys,
    clock,
    log: pino({ level: 'trace', base: null }, { write: (line: string) => void log.push(line) }),
    trustedProxies: readTrustedProxies(options.trustedProxies ?? ''),
    ...(options.limits && { limits: options.limits }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  inner.after(async () => {
    await app.close()
    await signingKeys.close()
    await clients.close()
    await catalogue.close()
    await rm(folder, { recursive: true })
  })
  const { port } = app.server.address() as AddressInfo

  const register: World['register'] = async (scopes, name = 'pricing team') => {
    const id = randomUUID()
    const secret = makeSecret()
    await clients.add({ id, name, scopes, created: clock() }, hashSecret(secret))
    return { id, secret, name, scopes }
  }
  const client = await register(['products.write'])
  const tokenFor: World['tokenFor'] = (asking) =>
    access.issue({ ...asking, secretHash: hashSecret(asking.secret) }, asking.scopes)
  return {
    ...callerOf(port, await tokenFor(client)),
    database,
    catalogue,
    folder,
    client,
    log,
    setClock(time) {
      now = Temporal.Instant.from(time)
    },
    pass(time) {
      seconds += time
    },
    register,
    tokenFor,
    unregister: ({ id }) => clients.remove(id),
    load: (lines) => loadInto(database, folder, lines),
    dump: () => dumpOf(database),
  }
}

/** One world for all tests of a file, opened by the first that asks. No test may disturb another. */
export function sharedWorld(options: WorldOptions = {}): () => Promise<World> {
  return sharedOnEachEngine((scope) => openWorld(scope, options))
}

/** Asks for a token as a client does. */
export async function askForToken(
  port: number,
  { id, secret }: Pick<Registered, 'id' | 'secret'>,
): Promise<string> {
  const body = { client_id: id, client_secret: secret }
  const answer = await sendTo(port, '/v1/token', { method: 'POST', body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.token
}

export function callerOf(port: number, token: string): Caller {
  const send = (path: string, sent: Sent = {}) => sendTo(port, path, sent)
  const authorized = (headers: Headers) => ({ authorization: `Bearer ${token}`, ...headers })
  const create = (body: unknown, headers: Headers = {}) =>
    send(productsPath, { method: 'POST', body, headers: authorized(headers) })
  return {
    port,
    token,
    send,
    get: (path, headers = {}) => send(path, { headers }),
    create,
    replace: (id, body, headers = {}) =>
      send(pathOf(id), { method: 'PUT', body, headers: authorized(headers) }),
    remove: (id, headers = {}) =>
      send(pathOf(id), { method: 'DELETE', headers: authorized(headers) }),
    history: (id, query = '') => send(`${pathOf(id)}/history${query}`, { headers: authorized({}) }),
    async made(body) {
      const answer = await create(body)
      assert.equal(answer.status, 201, answer.text)
      return answer.body.product_id
    },
    async read(id, version) {
      const answer = await send(
        `${pathOf(id)}${version === undefined ? '' : `?version=${version}`}`,
      )
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },
  }
}

export async function sendTo(port: number, path: string, sent: Sent = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = sent
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  })
  const answered = once(outgoing, 'response')
  // An answer may come before the request has ended, and the connection go with it.
  outgoing.on('error', () => {})
  outgoing.end(body === undefined || isRaw ? body : JSON.stringify(body))
  const [incoming] = await answered
  const text = await textOf(incoming)
  const isJson = incoming.headers['content-type']?.startsWith('application/json')
  return {
    status: incoming.statusCode,
    headers: incoming.headers,
    text,
    body: text !== '' && isJson ? JSON.parse(text) : undefined,
  }
}

export async function loadInto(
  database: string,
  folder: string,
  lines: readonly (object | string)[],
): Promise<void> {
  const file = join(folder, `${randomUUID()}.ndjson`)
  const text = (line: object | string) => (typeof line === 'string' ? line : JSON.stringify(line))
  await writeFile(file, lines.map((line) => `${text(line)}\n`).join(''))
  const { status, stderr } = await holdfastHere(['load', file, '--database', database])
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
}

export async function dumpOf(database: string): Promise<string> {
  const { status, stdout, stderr } = await holdfastHere(['dump', '--database', database])
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout
}

/** The refusals of a 400, one by one. */
export function refusalsOf(answer: Answer): string[] {
  assert.equal(answer.status, 400, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['error'])
  return answer.body.error.split('; ')
}
