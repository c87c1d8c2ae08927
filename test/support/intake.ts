import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { openAccess } from '../../src/auth/access.ts'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import type { Scope as AccessScope } from '../../src/contract/index.ts'
import { openIntakeApp } from '../../src/http/intake-app.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import { nodeHttp } from '../../src/http/node-http.ts'
import { openBatches } from '../../src/intake/batches.ts'
import type { FeedWriter } from '../../src/intake/feed-writer.ts'
import { openClientStore, openFeedStore, openFeedWriter } from '../../src/storage/open.ts'
import { createScope, newDatabase, type Scope, shareOnEachEngine } from './engines.ts'
import { type Answer, type Headers, type Sent, send } from './http.ts'
import { requestToken } from './platform.ts'

export interface Intake {
  readonly port: number
  readonly database: string
  readonly token: string
  /** Every line that was logged. */
  readonly log: readonly string[]
  /** The number of batches in each commit. */
  readonly commits: readonly number[]
  send(path: string, sent?: Sent): Promise<Answer>
  /** Sends a batch with a token. Lines are joined; bytes are sent unchanged. */
  put(
    feed: string,
    number: number | string,
    body: readonly string[] | string | Uint8Array,
    headers?: Headers,
  ): Promise<Answer>
  /** Requests a path with a token. */
  get(path: string): Promise<Answer>
  issueToken(scopes: readonly AccessScope[]): Promise<string>
  /** Closes the server, as a shutdown does. */
  close(): Promise<void>
}

export interface IntakeOptions {
  readonly database?: string
  readonly limits?: Partial<HttpLimits>
  readonly batchBytesMax?: number
  /** Replaces parts of the writer. */
  readonly around?: (writer: FeedWriter) => FeedWriter
  /** Of the batches. Tokens are valid by the clock of the machine. */
  readonly clock?: () => Temporal.Instant
}

const now = () => Temporal.Now.instant()

/** Starts an intake on a socket. It is closed with the scope. */
export async function openIntake(scope: Scope, options: IntakeOptions = {}): Promise<Intake> {
  const inner = createScope(scope)
  const database = options.database ?? (await newDatabase(inner))
  const log: string[] = []
  const commits: number[] = []
  const { clock = now } = options
  const writer = await openFeedWriter(database, { clock })
  const counted: FeedWriter = {
    ...writer,
    async commit(batches) {
      commits.push(batches.length)
      return writer.commit(batches)
    },
  }
  const feeds = await openFeedStore(database)
  const clients = await openClientStore(database)
  const access = openAccess(clients, now)
  const batches = openBatches(options.around?.(counted) ?? counted)
  const app = openIntakeApp({
    version: '0.0.0',
    access,
    batches,
    feeds,
    clock,
    log: pino({ level: 'trace', base: null }, { write: (line: string) => void log.push(line) }),
    ...(options.limits && { limits: options.limits }),
    batchBytesMax: options.batchBytesMax,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new nodeHttp.Agent({ keepAlive: true })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= (async () => {
      agent.destroy()
      await app.close()
      await batches.close()
      await clients.close()
      await feeds.close()
      await writer.close()
    })()
    return closed
  }
  inner.after(close)
  const { port } = app.server.address() as AddressInfo

  const issueToken: Intake['issueToken'] = async (scopes) => {
    const id = randomUUID()
    const secretHash = hashSecret(makeSecret())
    await clients.add({ id, name: 'core', scopes, created: now() }, secretHash)
    return access.issue({ id, name: 'core', secretHash }, scopes)
  }
  const token = await issueToken(['data.write'])
  const authorization = `Bearer ${token}`
  const sendHere = (path: string, sent: Sent = {}) => send(port, path, { agent, ...sent })
  return {
    port,
    database,
    token,
    log,
    commits,
    send: sendHere,
    put: (feed, number, body, headers = {}) =>
      sendHere(batchPath(feed, number), {
        method: 'PUT',
        body: Array.isArray(body) ? toBody(body) : body,
        headers: { authorization, 'content-type': 'application/x-ndjson', ...headers },
      }),
    get: (path) => sendHere(path, { headers: { authorization } }),
    issueToken,
    close,
  }
}

/** Shares one intake between all tests of a file. Each test uses feeds and records of its own. */
export function sharedIntake(options: IntakeOptions = {}): () => Promise<Intake> {
  return shareOnEachEngine((scope) => openIntake(scope, options))
}

/** Sends batches with a token of the client. */
export async function openSender(
  { port }: { readonly port: number },
  client: { readonly id: string; readonly secret: string },
) {
  const authorization = `Bearer ${await requestToken(port, client)}`
  const headers: Headers = { authorization, 'content-type': 'application/x-ndjson' }
  return (feed: string, number: number, lines: readonly string[]): Promise<Answer> =>
    send(port, batchPath(feed, number), { method: 'PUT', headers, body: toBody(lines) })
}

export function batchPath(feed: string, number: number | string): string {
  return `/v1/feeds/${feed}/batches/${number}`
}

export function toBody(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
