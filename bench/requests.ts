import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqlitePath } from '../src/storage/open.ts'
import { createPrivateFile } from '../src/storage/sqlite/driver/files.ts'
import { type Bench, servePlatform, serveProvider } from './bench.ts'
import {
  type Case,
  createOperationCases,
  createPageCase,
  createProductsCase,
  createThousandCase,
} from './cases.ts'
import {
  type Candidate,
  calculateRatio,
  compare,
  fewConnections,
  type Measured,
  manyConnections,
  readPostgresPid,
  warmUpServers,
} from './compare.ts'
import { audience, type BenchRequest, subdomain } from './load-driver.ts'
import { type Running, startOtherServer } from './processes.ts'
import { type Group, type Log, type Row, toFigure } from './results.ts'
import { algorithms, type BenchKeys, createTokenSigner } from './token-signer.ts'

export const onLowerBound = 'lower bound'
export const onPracticalBound = 'practical lower bound'
export const onHandWritten = 'hand-written'
export const onSqlite = 'Holdfast, SQLite'
export const onPostgres = 'Holdfast, PostgreSQL'

/** Each is also compared with those before it. */
const baselines: readonly string[] = [onLowerBound, onPracticalBound, onHandWritten]

export interface Stores {
  readonly sqlite: string
  readonly postgres: string
}

/** The name of the row of B3 with 25 records per page. */
export function pageRowName(algorithm: string, connections: number): string {
  return `B3 ${algorithm}, ${connections} connections`
}

/** Measures the most frequent operations, and a large page, on all servers. */
export async function measureRequests(
  bench: Bench,
  stores: Stores,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const page = createPageCase()
  const products = createProductsCase()
  const others = [createThousandCase(), ...createOperationCases(stores.sqlite)]
  const sqlite = {
    provider: await serveProvider(bench, stores.sqlite),
    platform: await servePlatform(bench, stores.sqlite),
  }
  const postgres = {
    provider: await serveProvider(bench, stores.postgres),
    platform: await servePlatform(bench, stores.postgres),
  }
  const handWritten = await startHandWritten(bench, stores.sqlite)
  const practicalBound = await startPracticalBound(bench, stores.sqlite)
  const lowerBound = await startLowerBound(bench, [page, ...others], sqlite)
  const databasePids = [readPostgresPid(bench)]
  const providers = [sqlite.provider, postgres.provider, practicalBound]
  for (const { request, role } of [page, ...others]) {
    const isPage = request === page.request
    const servers = [...providers, ...(isPage ? [handWritten] : [])]
    if (role === 'provider') await requireSameResponse(bench, request, servers)
  }
  log('warming up')
  await warmUpServers(bench, [...providers, handWritten, lowerBound], page.request)
  await warmUpServers(bench, [sqlite.platform, postgres.platform, lowerBound], products.request)

  const measure = async (
    name: string,
    { request, role, requestCount, ...one }: Case,
    connections: number,
  ): Promise<Row[]> => {
    const about = `${one.about}${request.algorithm ? `, ${request.algorithm}` : ''}, ${connections} connections`
    log(`${one.name}: ${about}`)
    const isHandWritten = one.name === page.name && connections === manyConnections
    const measured = await compare<string>(bench, {
      candidates: {
        [onLowerBound]: { server: lowerBound },
        ...(role === 'provider' && { [onPracticalBound]: { server: practicalBound } }),
        ...(isHandWritten && { [onHandWritten]: { server: handWritten } }),
        [onSqlite]: { server: sqlite[role] },
        [onPostgres]: { server: postgres[role], databasePids },
      } satisfies Record<string, Candidate>,
      requests: [request],
      requestCount,
      rounds,
      connections,
    })
    return createRows('requests', name, `${one.name}: ${about}`, measured)
  }
  const rows: Row[] = []
  for (const connections of [fewConnections, manyConnections]) {
    for (const algorithm of algorithms) {
      const request = { ...page.request, algorithm }
      const name = pageRowName(algorithm, connections)
      rows.push(...(await measure(name, { ...page, request }, connections)))
    }
  }
  for (const other of others) rows.push(...(await measure(other.name, other, manyConnections)))
  const all = [...providers, sqlite.platform, postgres.platform, handWritten, lowerBound]
  for (const server of all) await server.stop()
  return rows
}

function createRows(
  group: Group,
  name: string,
  about: string,
  measured: Readonly<Record<string, Measured>>,
): Row[] {
  return Object.entries(measured).map(([on, figure]) => {
    const place = baselines.indexOf(on)
    const ratios = baselines.slice(0, place < 0 ? undefined : place).flatMap((baseline) => {
      const of = measured[baseline]
      return of ? [[baseline, calculateRatio(figure, of)] as const] : []
    })
    return { group, name, about, on, figure: toFigure(figure), ratios: Object.fromEntries(ratios) }
  })
}

/** Verifies that the servers return the same records, so that the comparison is fair. */
async function requireSameResponse(
  { keys }: Bench,
  request: BenchRequest,
  servers: readonly Running[],
): Promise<void> {
  const responses = await Promise.all(servers.map(({ port }) => fetchResponse(port, request, keys)))
  const [first, ...others] = responses.map(({ text }) => {
    const { data, meta } = JSON.parse(text) as { data: unknown; meta: unknown }
    return JSON.stringify({ data, meta })
  })
  if (others.some((other) => other !== first)) throw new Error(`${request.path}: responses differ`)
}

function startHandWritten({ jwksUrl }: Bench, database: string): Promise<Running> {
  return startOtherServer('hand-written.ts', [sqlitePath(database), jwksUrl, audience, subdomain])
}

/** It has used tokens of its own, since every server must see the tokens for the first time. */
export function startPracticalBound(
  { folder, keySet }: Bench,
  database: string,
  nodeFlags: readonly string[] = [],
): Promise<Running> {
  const keysPath = join(folder, 'practical-lower-bound.json')
  const usesPath = join(folder, 'practical-lower-bound.db')
  writeFileSync(keysPath, JSON.stringify(keySet.keys))
  createPrivateFile(usesPath)
  const args = [sqlitePath(database), usesPath, keysPath, audience, subdomain]
  return startOtherServer('practical-lower-bound.ts', args, nodeFlags)
}

/** Starts the lower bound with responses recorded from Holdfast. */
export async function startLowerBound(
  { folder, keySet, keys }: Bench,
  cases: readonly Case[],
  servers: Readonly<Record<Case['role'], Running>>,
  { needsToken = true } = {},
): Promise<Running> {
  const responses: Record<string, RecordedResponse> = {}
  for (const { request, role } of cases) {
    const { text, headers } = await fetchResponse(servers[role].port, request, keys)
    const isPublic = !(needsToken && request.algorithm)
    responses[formatRequestLine(request)] = {
      text,
      isPublic,
      headers: request.algorithm ? {} : headers,
    }
  }
  const input = join(folder, 'lower-bound.json')
  writeFileSync(input, JSON.stringify({ keys: keySet.keys, responses }))
  return startOtherServer('lower-bound.ts', [input])
}

/** What the lower bound sends. */
export interface RecordedResponse {
  readonly text: string
  /** Sent without a token. */
  readonly isPublic: boolean
  /** Besides the type and length of the content. */
  readonly headers: Readonly<Record<string, string>>
}

function formatRequestLine({ method, path, query }: BenchRequest): string {
  return `${method} ${path}${query ? `?${query}` : ''}`
}

/** Node sends them itself, or the lower bound sends its own. */
const commonHeaders = ['connection', 'content-length', 'content-type', 'date', 'keep-alive']

/** Sends one request and requires status 200. */
export async function fetchResponse(
  port: number,
  { method, path, query, body, algorithm, headers }: BenchRequest,
  keys: BenchKeys,
): Promise<Pick<RecordedResponse, 'text' | 'headers'>> {
  const token = algorithm && (await createTokenSigner(keys, subdomain)(algorithm, audience + path))
  const response = await fetch(`http://127.0.0.1:${port}${path}${query ? `?${query}` : ''}`, {
    method,
    headers: {
      ...headers,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path} returned ${response.status}: ${text}`)
  const others = [...response.headers].filter(([name]) => !commonHeaders.includes(name))
  return { text, headers: Object.fromEntries(others) }
}
