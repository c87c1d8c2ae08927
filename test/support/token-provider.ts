import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { pino } from 'pino'
import { type KeySetOptions, openKeySet } from '../../src/auth/key-set.ts'
import { TokenRejected } from '../../src/auth/token.ts'
import { createTokenVerifier, type VerifyToken } from '../../src/auth/verify-token.ts'
import { providerOperations } from '../../src/contract/index.ts'
import { logReplayEvents } from '../../src/server/replay-log.ts'
import type { ReplayOptions } from '../../src/storage/database.ts'
import { openReplayStore } from '../../src/storage/open.ts'
import { openDatabaseFile } from './database-file.ts'
import { createScope, currentEngine, runSql, type Scope, shareOnEachEngine } from './engines.ts'
import type { Answer } from './http.ts'
import { type KeyServer, openKeyServer } from './key-server.ts'
import { openProvider, type Provider, type ProviderOptions } from './provider.ts'
import { accountsPath, createSmallBank } from './small-bank.ts'
import {
  type Members,
  makeKey,
  mintToken,
  publicUrl,
  resourceUrl,
  subdomain,
  type TestKey,
  validClaims,
} from './tokens.ts'

export interface TokenProviderOptions extends Pick<ProviderOptions, 'limits' | 'rates'> {
  /** The published keys; one ES256 key by default. */
  readonly keys?: readonly TestKey[]
  readonly keySet?: Partial<KeySetOptions>
  /** By default, replay records are purged without a delay. */
  readonly replay?: Pick<ReplayOptions, 'settleMs'>
}

/** A provider of the small bank that checks tokens, with a clock that the test controls. */
export interface TokenProvider extends Pick<Provider, 'database' | 'port' | 'send'> {
  readonly key: TestKey
  readonly keyServer: KeyServer
  /** Every line that was logged. */
  readonly log: readonly string[]
  now(): number
  /** Advances the clock to a time in seconds since 1970. */
  setClock(seconds: number): void
  /** Sets the clock without advancing the monotonic clock. */
  stepClock(seconds: number): void
  /** Signs a token for a path; the overrides can make it invalid. */
  mint(path: string, claims?: Members, header?: Members, key?: TestKey): string
  /** Sends a GET request with a token. */
  ask(token: string, path?: string): Promise<Answer>
  /** Verifies a token without HTTP, which cannot transport every byte. */
  verify(token: string): Promise<'passes' | 'rejected'>
  /** Resolves with the outcome of the next fetch of the keys. */
  nextFetch(): Promise<unknown>
  usedTokenIds(): Promise<string[]>
}

/** A fixed time, so that no test depends on when it runs. */
const startSeconds = Date.UTC(2025, 6, 1) / 1000

export async function openTokenProvider(
  scope: Scope,
  options: TokenProviderOptions = {},
): Promise<TokenProvider> {
  const {
    keys: published = [makeKey('ES256', 'k1')],
    keySet = {},
    replay: replayOptions = { settleMs: 0 },
    ...own
  } = options
  const inner = createScope(scope)
  const database = await createSmallBank(inner)
  const key = published[0] ?? makeKey('ES256', 'k1')
  const keyServer = await openKeyServer(published.map(({ jwk }) => jwk))

  let now = startSeconds
  let passedSeconds = 0
  const clock = () => Temporal.Instant.fromEpochMilliseconds(Math.round(now * 1000))
  const monotonicMs = () => passedSeconds * 1000
  const lines: string[] = []
  const log = pino(
    { level: 'trace', base: null },
    { write: (line: string) => void lines.push(line) },
  )
  const fetches = new EventEmitter()
  const replay = await openReplayStore(database, clock, {
    monotonicMs,
    ...logReplayEvents(log, monotonicMs),
    ...replayOptions,
  })
  const keys = openKeySet({
    url: keyServer.url,
    onFetch: (outcome) => fetches.emit('fetch', outcome),
    ...keySet,
  })
  inner.after(async () => {
    keys.close()
    await replay.close()
    await keyServer.close()
  })
  const bases = { provider: publicUrl, resource: resourceUrl }
  const verifyToken = createTokenVerifier({ subdomain, bases, keys, replay, clock })
  const isKnown = (name: string) => name === subdomain || keys.has(name)
  const { port, send } = await openProvider(inner, [], {
    database,
    clock,
    verifyToken,
    log,
    isKnown,
    ...own,
  })

  return {
    key,
    keyServer,
    log: lines,
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
        { ...validClaims(path, now), ...claims },
        { alg: signer.alg, kid: signer.kid, typ: 'JWT', ...header },
        signer,
      ),
    send,
    ask: (token, path = accountsPath) =>
      send(path, { headers: ['authorization', `Bearer ${token}`] }),
    verify: (token) => verify(verifyToken, token),
    nextFetch: async () => (await once(fetches, 'fetch'))[0],
    usedTokenIds: () => usedTokenIds(database),
  }
}

/** A key set whose clock advances fast enough to fetch for every unknown key id. */
export function fastKeySet(): Partial<KeySetOptions> {
  let ms = 0
  return {
    now() {
      ms += 1000
      return ms
    },
  }
}

/** Shares one provider between all tests of a file. They must not change its clock or keys. */
export function sharedTokenProvider(
  options: () => TokenProviderOptions = () => ({}),
): () => Promise<TokenProvider> {
  return shareOnEachEngine((scope) => openTokenProvider(scope, options()))
}

/** Asserts the response to an invalid token, which does not contain the reason. */
export function assertRejected(answer: Answer, challenge = 'Bearer error="invalid_token"'): void {
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

/** Asserts that the token is rejected and a valid one is accepted, to rule out another reason. */
export async function assertOnlyValidPasses(
  provider: TokenProvider,
  invalid: string,
): Promise<void> {
  assertRejected(await provider.ask(invalid))
  await assertPasses(provider, provider.mint(accountsPath))
}

export async function assertPasses(
  provider: TokenProvider,
  token: string,
  path?: string,
): Promise<void> {
  const answer = await provider.ask(token, path)
  assert.equal(answer.status, 200, answer.text)
}

/** Reads the ids of used tokens from the database. */
export async function usedTokenIds(database: string): Promise<string[]> {
  const rows = await queryReplayRecords(database, 'select token_id from token_use order by 1')
  // PostgreSQL stores them as JSON.
  return rows.map(([id]) => (currentEngine() === 'postgres' ? JSON.parse(String(id)) : String(id)))
}

/** Runs a statement on the database of the replay records. */
export async function queryReplayRecords(database: string, sql: string): Promise<unknown[][]> {
  if (currentEngine() === 'postgres') return runSql(sql, database)
  const file = openDatabaseFile(database, '-replay')
  try {
    return file.prepare(sql).all().map(Object.values)
  } finally {
    file.close()
  }
}

async function verify(verifyToken: VerifyToken, token: string): Promise<'passes' | 'rejected'> {
  try {
    const { recorded } = await verifyToken({
      authorization: [`Bearer ${token}`],
      path: accountsPath,
      operation: providerOperations.listBankingAccounts,
    })
    await recorded
    return 'passes'
  } catch (error) {
    if (error instanceof TokenRejected) return 'rejected'
    throw error
  }
}
