import { type Bench, engines, servePlatform, serveProvider } from './bench.ts'
import { type Case, createPageCase } from './cases.ts'
import { compare } from './compare.ts'
import { generateBankLines, writeLines } from './data.ts'
import { openLoadDriver } from './load-driver.ts'
import { type Running, runToEnd } from './processes.ts'
import {
  createRows,
  onLowerBound,
  onPostgres,
  onSqlite,
  type Stores,
  startLowerBound,
} from './requests.ts'
import type { Log, Row } from './results.ts'

export const publicList = 'public product list'
export const publicRates = {
  list: `${publicList}, p95 at 300 requests/s beside B3`,
  page: 'B3, p95 at 450 requests/s beside the public product list',
} as const

const products = 1000
const rates = { list: 300, page: 450 } as const
const rateSeconds = 10
const rateConnections = 50

const list: Case = {
  name: publicList,
  about: `${products} products, 25 per page, version 5`,
  request: { method: 'GET', path: '/cds-au/v1/banking/products', headers: { 'x-v': '5' } },
  role: 'platform',
  isHandWritten: false,
  requestCount: 1000,
}

/** Measures the public list of products alone, and beside requests for transactions. */
export async function measurePublicProducts(
  bench: Bench,
  stores: Stores,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const { file } = await writeLines(
    bench.folder,
    'products',
    generateBankLines({ customers: 0, products }),
  )
  const rows: Row[] = []
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    const database = await bench.database(engine, 'products')
    await runToEnd(bench.program, ['load', file, '--database', database])
    const platform = await servePlatform(bench, database)
    const roles = { provider: platform, platform }
    const headers = await readHeaders(platform)
    const lowerBound = await startLowerBound(bench, [list], roles, { headers })
    log(`${publicList}, ${engine}`)
    const measured = await compare(bench, {
      candidates: { [onLowerBound]: { server: lowerBound }, [on]: { server: platform } },
      requests: [list.request],
      requestCount: list.requestCount,
      rounds,
      warmUp: 20 * list.requestCount,
    })
    rows.push(...createRows('products', list.name, list.about, measured))
    log(`${publicList} beside B3, ${engine}`)
    const provider = await serveProvider(bench, stores[engine])
    rows.push(...(await measureRates(bench, on, { platform, provider })))
    for (const server of [provider, lowerBound, platform]) await server.stop()
  }
  return rows
}

/** The header fields that the list has and other responses do not: the lower bound sends the same bytes. */
async function readHeaders({ port }: Running): Promise<Record<string, string>> {
  const { path, headers } = list.request
  const response = await fetch(`http://127.0.0.1:${port}${path}`, headers && { headers })
  await response.arrayBuffer()
  const common = ['connection', 'content-length', 'content-type', 'date', 'keep-alive']
  return Object.fromEntries([...response.headers].filter(([name]) => !common.includes(name)))
}

/** Both at a constant rate at the same time, each from a process of its own. */
async function measureRates(
  { driver, keys }: Bench,
  on: string,
  { platform, provider }: Readonly<Record<Case['role'], Running>>,
): Promise<Row[]> {
  const other = openLoadDriver(keys)
  const loads = {
    list: { driver, request: list.request, port: platform.port },
    page: { driver: other, request: createPageCase().request, port: provider.port },
  } as const
  const name = 'rates'
  const measured = await Promise.all(
    (['list', 'page'] as const).map(async (key) => {
      const { driver: sender, request, port } = loads[key]
      const perSecond = rates[key]
      const warmUp = perSecond * rateSeconds
      const count = 2 * warmUp
      await sender.prepare(name, [request], count)
      const options = { name, from: 0, count, port, perSecond, connections: rateConnections }
      const { answered, rejected } = await sender.sendAtConstantRate({ ...options, warmUp })
      if (rejected.count > 0) throw new Error(`${rejected.count} requests were rejected`)
      await sender.forget(name)
      return [publicRates[key], answered.p95] as const
    }),
  )
  other.close()
  return measured.map(([row, amount]) => ({
    group: 'products',
    name: row,
    on,
    value: { amount, unit: 'ms' },
  }))
}
