import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Bench, servePlatform, serveProvider } from './bank.ts'
import { type Case, operationCases, pageCase } from './cases.ts'
import { type Contestant, compare, type Measured, postgresPid, ratioOf, warm } from './compare.ts'
import { type Ask, audience, subdomain } from './load.ts'
import { algorithms, type BenchKeys, openMint } from './mint.ts'
import { type Running, startServer } from './processes.ts'
import { figureOf, type Row, type Tell } from './results.ts'

export const onLimit = 'lower bound'
export const onHandMade = 'hand-written'
export const onSqlite = 'Holdfast, SQLite'
export const onPostgres = 'Holdfast, PostgreSQL'

export interface Stores {
  readonly sqlite: string
  readonly postgres: string
}

export function startHandMade({ jwksUrl }: Bench, database: string): Promise<Running> {
  const file = fileURLToPath(new URL('servers/hand-made.ts', import.meta.url))
  return startServer(file, [database.replace(/^sqlite:/, ''), jwksUrl, audience, subdomain])
}

/** B3 with 25 a page with both algorithms, on everything there is. */
export async function measurePage(
  bench: Bench,
  stores: Stores,
  rounds: number,
  tell: Tell,
): Promise<Row[]> {
  const page = pageCase()
  const rows: Row[] = []
  const servers: Running[] = []
  const start = async (server: Promise<Running>) => {
    servers.push(await server)
    return server
  }
  const sqlite = await start(serveProvider(bench, stores.sqlite))
  const postgres = await start(serveProvider(bench, stores.postgres))
  const handMade = await start(startHandMade(bench, stores.sqlite))
  const limit = await start(startLimit(bench, [page], { provider: sqlite, platform: sqlite }))
  await requireSame(bench, page.ask, [sqlite, postgres, handMade])
  tell(`${page.name}, ${page.about}: warming up`)
  await warm(bench, servers, page.ask)
  for (const algorithm of algorithms) {
    tell(`${page.name}, ${page.about}, ${algorithm}: everything`)
    const measured = await compare(bench, {
      contestants: {
        [onLimit]: { server: limit },
        [onHandMade]: { server: handMade },
        [onSqlite]: { server: sqlite },
        [onPostgres]: { server: postgres, databasePid: postgresPid(bench) },
      },
      asks: [{ ...page.ask, algorithm }],
      requests: page.requests,
      rounds,
      warmUp: page.requests,
    })
    rows.push(...rowsOf(`${page.name} ${algorithm}`, `${page.about}, ${algorithm}`, measured))
  }
  for (const server of servers) await server.stop()
  return rows
}

/** The other operations, with ES256. */
export async function measureOperations(
  bench: Bench,
  stores: Stores,
  rounds: number,
  tell: Tell,
): Promise<Row[]> {
  const cases = operationCases(stores.sqlite)
  const sqlite = {
    provider: await serveProvider(bench, stores.sqlite),
    platform: await servePlatform(bench, stores.sqlite),
  }
  const postgres = {
    provider: await serveProvider(bench, stores.postgres),
    platform: await servePlatform(bench, stores.postgres),
  }
  const handMade = await startHandMade(bench, stores.sqlite)
  const limit = await startLimit(bench, cases, sqlite)
  const databasePid = postgresPid(bench)
  const rows: Row[] = []
  tell('warming up')
  await warm(bench, [sqlite.provider, postgres.provider, handMade], pageCase().ask)
  for (const { name, about, ask, role, isHandMade, requests } of cases) {
    tell(`${name}, ${about}`)
    const measured = await compare<string>(bench, {
      contestants: {
        [onLimit]: { server: limit },
        ...(isHandMade && { [onHandMade]: { server: handMade } }),
        [onSqlite]: { server: sqlite[role] },
        [onPostgres]: { server: postgres[role], databasePid },
      } satisfies Record<string, Contestant>,
      asks: [ask],
      requests,
      rounds,
      warmUp: 2 * requests,
    })
    rows.push(...rowsOf(name, about, measured))
  }
  const all = [sqlite.provider, sqlite.platform, postgres.provider, postgres.platform]
  for (const server of [...all, handMade, limit]) await server.stop()
  return rows
}

function rowsOf(name: string, about: string, measured: Readonly<Record<string, Measured>>): Row[] {
  const { [onLimit]: limit, [onHandMade]: handMade } = measured
  return Object.entries(measured).map(([on, figure]) => ({
    group: 'requests',
    name,
    about,
    on,
    figure: figureOf(figure),
    ratios: {
      ...(limit && limit !== figure && { [onLimit]: ratioOf(figure, limit) }),
      ...(handMade &&
        handMade !== figure &&
        on !== onLimit && { [onHandMade]: ratioOf(figure, handMade) }),
    },
  }))
}

/** Servers that do not answer with the same records are not to be compared. */
async function requireSame({ keys }: Bench, ask: Ask, servers: readonly Running[]): Promise<void> {
  const answers = await Promise.all(servers.map(({ port }) => answerOf(port, ask, keys)))
  const [first, ...others] = answers.map((text) => {
    const { data, meta } = JSON.parse(text) as { data: unknown; meta: unknown }
    return JSON.stringify({ data, meta })
  })
  if (others.some((other) => other !== first)) throw new Error(`${ask.path}: answers differ`)
}

/** The limit answers what Holdfast has just answered. */
async function startLimit(
  { folder, keySet, keys }: Bench,
  cases: readonly Case[],
  servers: Readonly<Record<Case['role'], Running>>,
): Promise<Running> {
  const answers: Record<string, string> = {}
  for (const { ask, role } of cases) {
    answers[textOf(ask)] = await answerOf(servers[role].port, ask, keys)
  }
  const open = cases.filter(({ ask }) => !ask.algorithm).map(({ ask }) => textOf(ask))
  const given = join(folder, 'limit.json')
  writeFileSync(given, JSON.stringify({ keys: keySet.keys, answers, open }))
  const file = fileURLToPath(new URL('servers/limit.ts', import.meta.url))
  return startServer(file, [given])
}

function textOf({ method, path, query }: Ask): string {
  return `${method} ${path}${query ? `?${query}` : ''}`
}

/** Asks once, and wants a good answer. */
export async function answerOf(
  port: number,
  { method, path, query, body, algorithm }: Ask,
  keys: BenchKeys,
): Promise<string> {
  const token = algorithm && (await openMint(keys, subdomain)(algorithm, audience + path))
  const response = await fetch(`http://127.0.0.1:${port}${path}${query ? `?${query}` : ''}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  if (response.status !== 200)
    throw new Error(`${path} was answered with ${response.status}: ${text}`)
  return text
}
