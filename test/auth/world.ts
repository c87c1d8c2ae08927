import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { text as textOf } from 'node:stream/consumers'
import { pino } from 'pino'
import { type Guard, openGuard } from '../../src/auth/guard.ts'
import { type KeySetOptions, openKeySet } from '../../src/auth/key-set.ts'
import { TokenRejected } from '../../src/auth/token.ts'
import { providerOperations } from '../../src/contract/index.ts'
import type { HttpLimits } from '../../src/http/limits.ts'
import { openProviderApp } from '../../src/http/provider-app.ts'
import type { RateLimits } from '../../src/http/rate-limit.ts'
import { logReplayEvents } from '../../src/server/replay-log.ts'
import type { ReplayOptions } from '../../src/storage/database.ts'
import { openProviderStore, openReplayStore } from '../../src/storage/open.ts'
import {
  asOwner,
  closingTogether,
  engineHere,
  type Scope,
  sharedOnEachEngine,
} from '../support/engines.ts'
import { smallBank } from './bank.ts'
import { type KeyServer, openKeyServer } from './key-server.ts'
import { type Members, makeKey, mintToken, type TestKey } from './tokens.ts'

export const publicUrl = 'https://bank.example'
export const resourceUrl = 'https://contact.bank.example/base'
export const subdomain = 'bank'

/** What most tests ask for: a list of accounts, and one that takes a body. */
export const accountsPath = '/v1/banking/customer/c1/accounts'
export const balancesPath = '/v1/banking/customer/c1/accounts/balances'

export interface WorldOptions {
  /** The keys that are published; one ES256 key unless the test says otherwise. */
  readonly keys?: readonly TestKey[]
  readonly keySet?: Partial<KeySetOptions>
  /** Records are purged by the clock at once, unless the test says otherwise. */
  readonly replay?: Pick<ReplayOptions, 'settleMs'>
  readonly limits?: Partial<HttpLimits>
  readonly rates?: RateLimits
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

export interface Sent {
  readonly method?: string
  /** Names and values in turn, so that a name can be given twice. */
  readonly headers?: readonly string[]
  readonly body?: string
}

export interface World {
  readonly key: TestKey
  readonly keyServer: KeyServer
  /** Every line that was logged. */
  readonly log: readonly string[]
  readonly database: string
  readonly port: number
  now(): number
  /** Lets time pass until then, in seconds since 1970. */
  setClock(seconds: number): void
  /** Sets the clock without letting time pass. */
  stepClock(seconds: number): void
  /** A token for a path, good unless the test spoils it. */
  mint(path: string, claims?: Members, header?: Members, key?: TestKey): string
  send(path: string, sent?: Sent): Promise<Answer>
  /** Asks with a token, by GET. */
  ask(token: string, path?: string): Promise<Answer>
  /** Puts a token to the guard without HTTP, which cannot carry every byte. */
  judge(token: string): Promise<'passes' | 'refused'>
  /** Resolves with what the next fetch of the keys comes to. */
  nextFetch(): Promise<unknown>
  claimedIds(): Promise<string[]>
}

/** A fixed time, so that no test depends on when it runs. */
const startSeconds = Date.UTC(2025, 6, 1) / 1000

export async function openWorld(scope: Scope, options: WorldOptions = {}): Promise<World> {
  const inner = closingTogether(scope)
  const database = await smallBank(inner)
  const {
    keys: published = [makeKey('ES256', 'k1')],
    keySet = {},
    replay = { settleMs: 0 },
    limits = {},
    rates = {},
  } = options
  const key = published[0] ?? makeKey('ES256', 'k1')
  const keyServer = await openKeyServer(published.map(({ jwk }) => jwk))

  let now = startSeconds
  let passedSeconds = 0
  const clock = () => Temporal.Instant.fromEpochMilliseconds(Math.round(now * 1000))
  const monotonicMs = () => passedSeconds * 1000
  const log: string[] = []
  const logger = pino(
    { level: 'trace', base: null },
    { write: (line: string) => void log.push(line) },
  )
  const fetches = new EventEmitter()
  const store = await openProviderStore(database)
  const claims = await openReplayStore(database, clock, {
    monotonicMs,
    ...logReplayEvents(logger, monotonicMs),
    ...replay,
  })
  const keys = openKeySet({
    url: keyServer.url,
    onFetch: (outcome) => fetches.emit('fetch', outcome),
    ...keySet,
  })
  const bases = { provider: publicUrl, resource: resourceUrl, platform: publicUrl }
  const guard = openGuard({ subdomain, bases, keys, replay: claims, clock })
  const app = openProviderApp({
    context: { store, timeZone: 'UTC', accountVersion: 4 },
    clock,
    guard,
    log: logger,
    isKnown: (name) => name === subdomain || keys.has(name),
    limits,
    rates,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  inner.after(async () => {
    agent.destroy()
    await app.close()
    keys.close()
    await claims.close()
    await store.close()
    await keyServer.close()
  })

  const send = (path: string, sent: Sent = {}) => sendTo(port, path, sent, agent)
  return {
    key,
    keyServer,
    log,
    database,
    port,
    now: () => now,
    setClock(seconds) {
      passedSeconds += Math.max(0, seconds - now)
      now = seconds
    },
    stepClock(seconds) {
      now = seconds
    },
    mint: (path, claims = {}, header = {}, signer = key) =>
      mintToken(
        { ...goodClaims(path, now), ...claims },
        { alg: signer.alg, kid: signer.kid, typ: 'JWT', ...header },
        signer,
      ),
    send,
    ask: (token, path = accountsPath) =>
      send(path, { headers: ['authorization', `Bearer ${token}`] }),
    judge: (token) => judge(guard, token),
    nextFetch: async () => (await once(fetches, 'fetch'))[0],
    claimedIds: () => claimedIds(database),
  }
}

/** For tests with many unknown key ids: enough time passes that each of them has a fetch of its own. */
export function hurriedKeySet(): Partial<KeySetOptions> {
  let ms = 0
  return {
    now() {
      ms += 1000
      return ms
    },
  }
}

/** One world for all tests of a file. They leave its clock and its keys alone. */
export function sharedWorld(options: () => WorldOptions = () => ({})): () => Promise<World> {
  return sharedOnEachEngine((scope) => openWorld(scope, options()))
}

export function goodClaims(path: string, now: number): Members {
  return {
    iss: subdomain,
    sub: subdomain,
    aud: publicUrl + path,
    iat: Math.floor(now),
    exp: Math.floor(now) + 300,
    jti: randomUUID(),
  }
}

/** The one answer to every bad token: it does not say what was wrong. */
export function assertRefused(answer: Answer, challenge = 'Bearer error="invalid_token"'): void {
  assert.deepEqual(
    {
      status: answer.status,
      text: answer.text,
      challenge: answer.headers['www-authenticate'],
      type: answer.headers['content-type'],
    },
    {
      status: 401,
      text: '{"error":"Unauthorized"}',
      challenge,
      type: 'application/json; charset=utf-8',
    },
  )
}

/** The token is refused, and a good one beside it is not: the refusal is not for another reason. */
export async function assertOnlyGoodPasses(world: World, bad: string): Promise<void> {
  assertRefused(await world.ask(bad))
  await assertPasses(world, world.mint(accountsPath))
}

export async function assertPasses(world: World, token: string, path?: string): Promise<void> {
  const answer = await world.ask(token, path)
  assert.equal(answer.status, 200, answer.text)
}

/** The record of spent tokens, as it is on the disk. */
export async function claimedIds(database: string): Promise<string[]> {
  const indexed = 'select token_id from token_use'
  const appended = "select value from batch, json_each(uses) where json_each.type = 'text'"
  const all = engineHere() === 'sqlite' ? `${indexed} union all ${appended}` : indexed
  const rows = await onClaims(database, `${all} order by 1`)
  return rows.map(([id]) => String(id))
}

/** Runs a statement where the claims of a database are. */
export async function onClaims(database: string, sql: string): Promise<unknown[][]> {
  if (engineHere() === 'postgres') return asOwner(sql, database)
  const file = new DatabaseSync(`${database.slice('sqlite:'.length)}-replay`, { timeout: 5000 })
  try {
    return file.prepare(sql).all().map(Object.values)
  } finally {
    file.close()
  }
}

export async function sendTo(
  port: number,
  path: string,
  { method = 'GET', headers = [], body }: Sent = {},
  agent: Agent | false = false,
): Promise<Answer> {
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent,
    // A list of headers is sent as it stands, so nothing is added to it either.
    headers: ['host', `127.0.0.1:${port}`, ...length, ...headers],
  })
  // The listener stays: a server that refuses early breaks what is still being written.
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject).end(body)
  })
  const text = await textOf(incoming)
  if (agent === false) outgoing.destroy()
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers as Answer['headers'],
    text,
  }
}

async function judge(guard: Guard, token: string): Promise<'passes' | 'refused'> {
  try {
    const { recorded } = await guard({
      authorization: [`Bearer ${token}`],
      path: accountsPath,
      operation: providerOperations.listBankingAccounts,
    })
    await recorded
    return 'passes'
  } catch (error) {
    if (error instanceof TokenRejected) return 'refused'
    throw error
  }
}
