import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findAlgorithm } from '../../src/auth/algorithms.ts'
import type { TokenUse } from '../../src/auth/replay-store.ts'
import { parseToken } from '../../src/auth/token.ts'
import { clockToleranceSeconds, verifyClaims } from '../../src/auth/verify-token.ts'
import { buildPageBody, type JsonBody } from '../../src/contract/page-body.ts'
import { countBytes } from '../../src/http/json.ts'
import { orNotFound } from '../../src/provider/handler.ts'
import { resolveDateWindow, resolveInstantWindow } from '../../src/provider/time-window.ts'
import { clock } from '../../src/server/clock.ts'
import { createAccountStatements } from '../../src/storage/account-statements.ts'
import { kindCodes } from '../../src/storage/enum-codes.ts'
import { toMissing, toPage } from '../../src/storage/provider-store.ts'
import { filterValues, pageValues, requestedAccounts } from '../../src/storage/request-values.ts'
import { openDatabase } from '../../src/storage/sqlite/driver/open.ts'
import { dialect, openStatements } from '../../src/storage/sqlite/driver/sql.ts'
import { openMergedPage } from '../../src/storage/sqlite/reads/merged-page.ts'
import { openWindowPage } from '../../src/storage/sqlite/reads/window-page.ts'
import { openTokenUses } from '../../src/storage/sqlite/replay/token-uses.ts'
import { describe, type Parameter, type Statement } from '../../src/storage/statement.ts'

/**
 * The practical lower bound: a bare `node:http` server with the work of Holdfast that no provider can leave out, which is
 * to check the token, to record its use durably, and to read the page. It has no limits, timeouts, log, metrics, error
 * messages and promises. The requests of one event-loop iteration share a commit and a snapshot.
 */
const [databasePath = '', replayPath = '', keysPath = '', audience = '', subdomain = ''] =
  process.argv.slice(2)

const keys = new Map<string, KeyObject>()
for (const jwk of JSON.parse(readFileSync(keysPath, 'utf8'))) {
  keys.set(`${jwk.alg} ${jwk.kid}`, createPublicKey({ key: jwk, format: 'jwk' }))
}
const uses = openTokenUses(replayPath)
const database = openDatabase(databasePath, 'serve')
const { readRows } = openStatements(database)
const begin = database.prepare('begin')
const commit = database.prepare('commit')
const readWindowPage = openWindowPage(database)
const readMergedPage = openMergedPage(database)
const { listAccounts, listBalances } = createAccountStatements(dialect)

interface Query {
  readonly customerId: string
  readonly accountId: string
  readonly accountIds: readonly string[]
  readonly page: number
  readonly pageSize: number
  readonly oldest: string | undefined
}

const timeZone = 'UTC'
const filters = { openStatus: 'ALL', productCategory: undefined, isOwned: undefined } as const

const readPage = (statement: Statement, values: readonly Parameter[]) => {
  const [[missing, ...page] = []] = readRows(describe(statement).text, values)
  return orNotFound(toMissing(missing) ?? toPage(page))
}

/** By the last segment of the path. */
const operations: ReadonlyMap<string, (query: Query) => JsonBody> = new Map([
  [
    'accounts',
    (query) => {
      const { customerId } = query
      const values = [kindCodes.banking, ...filterValues(filters), ...pageValues(query), ',']
      const page = readPage(listAccounts, [customerId, ...values])
      return buildPageBody('accounts', page.items, page, query, {})
    },
  ],
  [
    'balances',
    (query) => {
      const values = [...requestedAccounts({ ...query, filters }), ...pageValues(query)]
      const page = readPage(listBalances, values)
      return buildPageBody('balances', page.items, page, query, {})
    },
  ],
  [
    'transactions',
    (query) => {
      const bounds = { oldest: query.oldest }
      const { oldest, newest, window } = resolveInstantWindow(bounds, clock(), timeZone)
      const found = readWindowPage({ ...query, list: 'transaction', window })
      const page = orNotFound(found ?? { missing: 'account' })
      const links = { 'oldest-time': oldest, 'newest-time': newest }
      return buildPageBody('transactions', page.items, page, query, links)
    },
  ],
  [
    'invoices',
    (query) => {
      const { oldest, newest, window } = resolveDateWindow({}, clock(), timeZone)
      const found = readMergedPage({ ...query, filters, list: 'invoice', window })
      const page = orNotFound(found ?? { missing: 'account' })
      const links = { 'oldest-date': oldest, 'newest-date': newest }
      return buildPageBody('invoices', page.items, page, query, links)
    },
  ],
])

interface Pending {
  readonly use: TokenUse
  readonly query: Query
  readonly read: (query: Query) => JsonBody
  readonly response: ServerResponse
}

let pending: Pending[] = []

function flush(): void {
  const group = pending
  pending = []
  const { outcomes } = uses.record(group.map(({ use }) => use))
  begin.run()
  for (const [index, { query, read, response }] of group.entries()) {
    if (outcomes[index] === 'first use') send(response, read(query))
    else response.writeHead(401).end()
  }
  commit.run()
}

function send(response: ServerResponse, body: JsonBody): void {
  const type = 'application/json; charset=utf-8'
  const length = typeof body === 'string' ? Buffer.byteLength(body) : countBytes(body)
  response.writeHead(200, { 'content-type': type, 'content-length': length })
  if (typeof body === 'string') {
    // Node joins ASCII text with the headers.
    response.end(body, length === body.length ? 'latin1' : 'utf8')
    return
  }
  response.cork()
  for (const chunk of body) response.write(chunk)
  response.end()
}

function answer({ url = '', headers }: IncomingMessage, response: ServerResponse, body: string) {
  const [path = '', search] = url.split('?')
  const segments = path.split('/')
  const [, , , , customerId = '', , accountId = ''] = segments
  const read = operations.get(segments.at(-1) ?? '')
  if (!read) return response.writeHead(404).end()
  let use: TokenUse
  try {
    use = checkToken(headers.authorization, path)
  } catch {
    return response.writeHead(401).end()
  }
  const given = new URLSearchParams(search)
  const query = {
    customerId,
    accountId,
    accountIds: body === '' ? [] : JSON.parse(body).data.accountIds,
    page: Number(given.get('page') ?? 1),
    pageSize: Number(given.get('page-size') ?? 25),
    oldest: given.get('oldest-time') ?? undefined,
  }
  if (pending.push({ use, query, read, response }) === 1) setImmediate(flush)
  return response
}

function checkToken(authorization = '', path: string): TokenUse {
  const token = parseToken(authorization.slice('Bearer '.length))
  const expected = { subdomain, base: audience, path }
  const { tokenId, expiresAt } = verifyClaims(token, expected, Date.now() / 1000)
  const key = keys.get(`${token.algorithm} ${token.keyId}`)
  if (!key || !findAlgorithm(token.algorithm)?.verify(token.signedText, key, token.signature)) {
    throw new Error('signature')
  }
  return { tokenId, keptUntil: Math.ceil(expiresAt + clockToleranceSeconds) }
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return answer(request, response, '')
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk) => {
    body += chunk
  })
  return request.once('end', () => answer(request, response, body))
})
server.listen(0, '127.0.0.1', () => {
  console.log(
    `practical lower bound ready on http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  )
})
process.once('SIGTERM', () => process.exit())
