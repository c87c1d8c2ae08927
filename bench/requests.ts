import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqlitePath } from '../src/storage/open.ts'
import { type Bench, servePlatform, serveProvider } from './bench.ts'
import { type Case, createOperationCases, createPageCase, createProductCase } from './cases.ts'
import {
  type Candidate,
  calculateRatio,
  compare,
  connectionsDefault,
  type Measured,
  readPostgresPid,
  warmUpServers,
} from './compare.ts'
import { audience, type BenchRequest, subdomain } from './load-driver.ts'
import { holdfastProgram, type Running, startOtherServer } from './processes.ts'
import { type Group, type Log, type Row, toFigure } from './results.ts'
import { algorithms, type BenchKeys, createTokenSigner } from './token-signer.ts'

export const onLowerBound = 'lower bound'
export const onHandWritten = 'hand-written'
export const onSqlite = 'Holdfast, SQLite'
export const onPostgres = 'Holdfast, PostgreSQL'
export const onClone = 'Holdfast, SQLite, from a clone'

/** Fewer connections than the default: fewer requests share a commit. */
export const fewConnections = 16

export interface Stores {
  readonly sqlite: string
  readonly postgres: string
  /** The same data for another server on SQLite, since every server must see the tokens for the first time. */
  readonly clone: string
}

export function startHandWritten({ jwksUrl }: Bench, database: string): Promise<Running> {
  return startOtherServer('hand-written.ts', [sqlitePath(database), jwksUrl, audience, subdomain])
}

/** The name of the row of B3 with 25 records per page. */
export function pageRowName(algorithm: string, connections = connectionsDefault): string {
  const suffix = connections === connectionsDefault ? '' : `, ${connections} connections`
  return `B3 ${algorithm}${suffix}`
}

/** Measures B3 with 25 records per page with both algorithms on all servers. */
export async function measurePage(
  bench: Bench,
  stores: Stores,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const page = createPageCase()
  const rows: Row[] = []
  const servers: Running[] = []
  const start = async (server: Promise<Running>) => {
    servers.push(await server)
    return server
  }
  const sqlite = await start(serveProvider(bench, stores.sqlite))
  const clone = await start(serveProvider(bench, stores.clone, { program: holdfastProgram }))
  const postgres = await start(serveProvider(bench, stores.postgres))
  const handWritten = await start(startHandWritten(bench, stores.sqlite))
  const lowerBound = await start(
    startLowerBound(bench, [page], { provider: sqlite, platform: sqlite }),
  )
  await requireSameResponse(bench, page.request, [sqlite, clone, postgres, handWritten])
  log(`${page.name}, ${page.about}: warming up`)
  await warmUpServers(bench, servers, page.request)
  for (const connections of [connectionsDefault, fewConnections]) {
    for (const algorithm of algorithms) {
      log(`${page.name}, ${page.about}, ${algorithm}, ${connections} connections: all servers`)
      const measured = await compare<string>(bench, {
        candidates: {
          [onLowerBound]: { server: lowerBound },
          ...(connections === connectionsDefault && { [onHandWritten]: { server: handWritten } }),
          [onSqlite]: { server: sqlite },
          [onClone]: { server: clone },
          [onPostgres]: { server: postgres, databasePids: [readPostgresPid(bench)] },
        } satisfies Record<string, Candidate>,
        requests: [{ ...page.request, algorithm }],
        requestCount: page.requestCount,
        rounds,
        warmUp: page.requestCount,
        connections,
      })
      const about = `${page.about}, ${algorithm}, ${connections} connections`
      rows.push(...createRows('requests', pageRowName(algorithm, connections), about, measured))
    }
  }
  for (const server of servers) await server.stop()
  return rows
}

/** The code of an operation itself, after that of every request. */
const operationWarmUp = 2000

/** Measures the other operations with ES256. */
export async function measureOperations(
  bench: Bench,
  stores: Stores,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const cases = createOperationCases(stores.sqlite)
  const sqlite = {
    provider: await serveProvider(bench, stores.sqlite),
    platform: await servePlatform(bench, stores.sqlite),
  }
  const postgres = {
    provider: await serveProvider(bench, stores.postgres),
    platform: await servePlatform(bench, stores.postgres),
  }
  const handWritten = await startHandWritten(bench, stores.sqlite)
  const lowerBound = await startLowerBound(bench, cases, sqlite)
  const databasePids = [readPostgresPid(bench)]
  const rows: Row[] = []
  log('warming up')
  await warmUpServers(
    bench,
    [sqlite.provider, postgres.provider, handWritten],
    createPageCase().request,
  )
  await warmUpServers(
    bench,
    [sqlite.platform, postgres.platform, lowerBound],
    createProductCase(stores.sqlite).request,
  )
  for (const { name, about, request, role, isHandWritten, requestCount } of cases) {
    log(`${name}, ${about}`)
    const measured = await compare<string>(bench, {
      candidates: {
        [onLowerBound]: { server: lowerBound },
        ...(isHandWritten && { [onHandWritten]: { server: handWritten } }),
        [onSqlite]: { server: sqlite[role] },
        [onPostgres]: { server: postgres[role], databasePids },
      } satisfies Record<string, Candidate>,
      requests: [request],
      requestCount,
      rounds,
      warmUp: Math.max(operationWarmUp, 2 * requestCount),
    })
    rows.push(...createRows('requests', name, about, measured))
  }
  const all = [sqlite.provider, sqlite.platform, postgres.provider, postgres.platform]
  for (const server of [...all, handWritten, lowerBound]) await server.stop()
  return rows
}

export function createRows(
  group: Group,
  name: string,
  about: string,
  measured: Readonly<Record<string, Measured>>,
): Row[] {
  const { [onLowerBound]: lowerBound, [onHandWritten]: handWritten } = measured
  return Object.entries(measured).map(([on, figure]) => ({
    group,
    name,
    about,
    on,
    figure: toFigure(figure),
    ratios: {
      ...(lowerBound &&
        lowerBound !== figure && { [onLowerBound]: calculateRatio(figure, lowerBound) }),
      ...(handWritten &&
        handWritten !== figure &&
        on !== onLowerBound && { [onHandWritten]: calculateRatio(figure, handWritten) }),
    },
  }))
}

/** Verifies that the servers return the same records, so that the comparison is fair. */
async function requireSameResponse(
  { keys }: Bench,
  request: BenchRequest,
  servers: readonly Running[],
): Promise<void> {
  const responses = await Promise.all(servers.map(({ port }) => fetchResponse(port, request, keys)))
  const [first, ...others] = responses.map((text) => {
    const { data, meta } = JSON.parse(text) as { data: unknown; meta: unknown }
    return JSON.stringify({ data, meta })
  })
  if (others.some((other) => other !== first)) throw new Error(`${request.path}: responses differ`)
}

interface LowerBoundOptions {
  readonly needsToken?: boolean
  /** Further header fields of every response. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Starts the lower bound with responses recorded from Holdfast. */
export async function startLowerBound(
  { folder, keySet, keys }: Bench,
  cases: readonly Case[],
  servers: Readonly<Record<Case['role'], Running>>,
  { needsToken = true, headers = {} }: LowerBoundOptions = {},
): Promise<Running> {
  const responses: Record<string, string> = {}
  for (const { request, role } of cases) {
    responses[formatRequestLine(request)] = await fetchResponse(servers[role].port, request, keys)
  }
  const publicRequests = cases
    .filter(({ request }) => !(needsToken && request.algorithm))
    .map(({ request }) => formatRequestLine(request))
  const input = join(folder, 'lower-bound.json')
  writeFileSync(input, JSON.stringify({ keys: keySet.keys, responses, publicRequests, headers }))
  return startOtherServer('lower-bound.ts', [input])
}

function formatRequestLine({ method, path, query }: BenchRequest): string {
  return `${method} ${path}${query ? `?${query}` : ''}`
}

/** Sends one request and requires status 200. */
export async function fetchResponse(
  port: number,
  { method, path, query, body, algorithm, headers }: BenchRequest,
  keys: BenchKeys,
): Promise<string> {
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
  return text
}
