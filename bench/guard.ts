import { join } from 'node:path'
import { measureAdded, measureP99 } from './added-latency.ts'
import { type Bench, serveGuard, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { warmUpServers } from './compare.ts'
import { type Running, startOtherServer } from './processes.ts'
import { type Stores, startLowerBound } from './requests.ts'
import type { Log, Row } from './results.ts'

export const onGuard = 'Holdfast, guard'
const onProxy = 'copying proxy'

export const addedByGuard = 'p99 added at half load'

const capacityRequests = 6000
const capacityConnections = 32
const rateSeconds = 3
const rateConnections = 200

/**
 * The difference of the 99th percentiles at half of the guard's capacity, with and without the guard, and the same for
 * a proxy that only copies bytes: that is what the machine and its disk add.
 */
export async function measureGuard(bench: Bench, stores: Stores, log: Log): Promise<Row[]> {
  const { driver, folder } = bench
  const page = createPageCase()
  const { request } = page
  const provider = await serveProvider(bench, stores.sqlite)
  const roles = { provider, platform: provider }
  const lowerBound = await startLowerBound(bench, [page], roles)
  const upstream = await startLowerBound(bench, [page], roles, { needsToken: false })
  const guard = await serveGuard(bench, await bench.database('sqlite', 'guard'), upstream.port)
  const proxy = await startOtherServer('copying-proxy.ts', [
    String(lowerBound.port),
    join(folder, 'proxy-records'),
  ])
  log('guard: warming up')
  await warmUpServers(bench, [guard, lowerBound, proxy], request)
  const name = 'capacity'
  await driver.prepare(name, [request], capacityRequests)
  const all = { name, from: 0, count: capacityRequests, port: guard.port }
  const { seconds } = await driver.drive({ ...all, connections: capacityConnections }, () => {})
  await driver.forget(name)
  log('guard: latency at half load')
  const perSecond = Math.round(capacityRequests / seconds / 2)
  const rate = { perSecond, seconds: rateSeconds, connections: rateConnections }
  const measure = (server: Running) => () => measureP99(driver, request, server, rate)
  const servers = { [onProxy]: proxy, [onGuard]: guard }
  const amounts = await measureAdded(measure(lowerBound), Object.values(servers).map(measure))
  for (const server of [proxy, guard, upstream, lowerBound, provider]) await server.stop()
  return Object.keys(servers).map((on, index) => ({
    group: 'guard',
    name: addedByGuard,
    on,
    value: { amount: amounts[index] ?? Number.NaN, unit: 'ms' },
  }))
}
