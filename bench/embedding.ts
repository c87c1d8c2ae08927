import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measureAdded, measureP99 } from './added-latency.ts'
import { type Bench, serveGuard, serveProvider } from './bench.ts'
import { type Case, createPageCase, createThousandCase } from './cases.ts'
import { compare, warmUpServers } from './compare.ts'
import { audience, subdomain } from './load-driver.ts'
import { measurePeakMemory } from './memory.ts'
import { type Running, startOtherServer } from './processes.ts'
import {
  createRows,
  fetchResponse,
  onLowerBound,
  pageRowName,
  type Stores,
  startLowerBound,
} from './requests.ts'
import type { Log, Row } from './results.ts'
import { algorithms } from './token-signer.ts'

export const onGuard = 'Holdfast, guard'
export const onSource = 'Holdfast, source'
const onProxy = 'copying proxy'

export const embeddingRows = {
  added99: 'p99 added at half load',
  memory: 'anonymous memory under load, 1000 per page, peak',
  resident: 'resident memory under load, 1000 per page, peak',
} as const

const capacityRequests = 6000
const capacityConnections = 32
const rateSeconds = 3
const rateConnections = 200
const memoryRequests = 3000

/**
 * Measures the guard in front of the lower bound's server, which needs no token there, and a source that returns a page
 * from memory. The CPU time is that of the guard alone.
 */
export async function measureEmbedding(
  bench: Bench,
  stores: Stores,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const page = createPageCase()
  const thousand = createThousandCase()
  const provider = await serveProvider(bench, stores.sqlite)
  const roles = { provider, platform: provider }
  const lowerBound = await startLowerBound(bench, [page], roles)
  const upstream = await startLowerBound(bench, [page, thousand], roles, { needsToken: false })
  const guard = await serveGuard(bench, await bench.database('sqlite', 'guard'), upstream.port)
  const source = await startSource(bench, page, provider)
  const rows: Row[] = []
  log('guard and source: warming up')
  await warmUpServers(bench, [guard, source], page.request)
  for (const algorithm of algorithms) {
    log(`${page.name}, ${page.about}, ${algorithm}: guard and source`)
    const measured = await compare(bench, {
      candidates: {
        [onLowerBound]: { server: lowerBound },
        [onGuard]: { server: guard },
        [onSource]: { server: source },
      },
      requests: [{ ...page.request, algorithm }],
      requestCount: page.requestCount,
      rounds,
      warmUp: page.requestCount,
    })
    const about = `${page.about}, ${algorithm}`
    rows.push(...createRows('embedding', pageRowName(algorithm), about, measured))
  }
  log('guard: latency at half load')
  rows.push(...(await measureAddedLatency(bench, page, guard, lowerBound)))
  log('guard: memory')
  rows.push(...(await measureMemory(bench, page, thousand, upstream)))
  for (const server of [guard, source, upstream, lowerBound, provider]) await server.stop()
  return rows
}

async function startSource(
  { folder, jwksUrl, keys, database }: Bench,
  { request }: Case,
  provider: Running,
): Promise<Running> {
  const pageFile = join(folder, 'page.json')
  writeFileSync(pageFile, await fetchResponse(provider.port, request, keys))
  const own = await database('sqlite', 'source')
  return startOtherServer('source.ts', [pageFile, own, jwksUrl, audience, subdomain])
}

/**
 * The difference of the 99th percentiles at half of the guard's capacity, with and without the guard, and the same for
 * a proxy that only copies bytes: that is what the machine and its disk add.
 */
async function measureAddedLatency(
  { driver, folder }: Bench,
  { request }: Case,
  guard: Running,
  lowerBound: Running,
): Promise<Row[]> {
  const name = 'capacity'
  await driver.prepare(name, [request], capacityRequests)
  const all = { name, from: 0, count: capacityRequests, port: guard.port }
  const { seconds } = await driver.drive({ ...all, connections: capacityConnections }, () => {})
  await driver.forget(name)
  const proxy = await startOtherServer('copying-proxy.ts', [
    String(lowerBound.port),
    join(folder, 'proxy-records'),
  ])
  const perSecond = Math.round(capacityRequests / seconds / 2)
  const rate = { perSecond, seconds: rateSeconds, connections: rateConnections }
  const measure = (server: Running) => () => measureP99(driver, request, server, rate)
  const servers = { [onProxy]: proxy, [onGuard]: guard }
  const amounts = await measureAdded(measure(lowerBound), Object.values(servers).map(measure))
  await proxy.stop()
  return Object.keys(servers).map((on, index) => ({
    group: 'embedding',
    name: embeddingRows.added99,
    on,
    value: { amount: amounts[index] ?? Number.NaN, unit: 'ms' },
  }))
}

/** Of a new process: the peak of the guard above is that of other requests. */
async function measureMemory(
  bench: Bench,
  page: Case,
  { request }: Case,
  upstream: Running,
): Promise<Row[]> {
  const guard = await serveGuard(
    bench,
    await bench.database('sqlite', 'guard_memory'),
    upstream.port,
  )
  await fetchResponse(guard.port, page.request, bench.keys)
  const { anonymous, resident } = await measurePeakMemory(bench, guard, request, memoryRequests)
  await guard.stop()
  const amounts = { [embeddingRows.memory]: anonymous, [embeddingRows.resident]: resident }
  return Object.entries(amounts).map(([row, amount]) => ({
    group: 'embedding',
    name: row,
    on: onGuard,
    value: { amount, unit: 'MB' },
  }))
}
