import { type Bench, engines, servePlatform, serveProvider } from './bench.ts'
import { type Case, createPageCase, createProductsCase } from './cases.ts'
import { openLoadDriver } from './load-driver.ts'
import type { Running } from './processes.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import type { Log, Row } from './results.ts'

/** The highest traffic thresholds of the Consumer Data Standards, in requests per second: with a token, and public. */
export const peakRates = { provider: 450, platform: 300 } as const

export const peakRows = {
  provider: `transactions at ${peakRates.provider} requests/s, beside public products, p95`,
  platform: `public products at ${peakRates.platform} requests/s, beside transactions, p95`,
} as const

const seconds = 10
const connections = 50

/** Both loads at the same time, each from a process of its own. The first half of the requests is not counted. */
export async function measurePeak(bench: Bench, stores: Stores, log: Log): Promise<Row[]> {
  const other = openLoadDriver(bench.keys)
  const loads = {
    provider: { driver: bench.driver, request: createPageCase().request },
    platform: { driver: other, request: createProductsCase().request },
  } as const
  const rows: Row[] = []
  for (const engine of engines) {
    log(`peak load, ${engine}`)
    const servers: Readonly<Record<Case['role'], Running>> = {
      provider: await serveProvider(bench, stores[engine]),
      platform: await servePlatform(bench, stores[engine]),
    }
    const roles = ['provider', 'platform'] as const
    for (const role of roles) {
      const { driver, request } = loads[role]
      await driver.prepare('peak', [request], 2 * seconds * peakRates[role])
    }
    const measured = await Promise.all(
      roles.map(async (role) => {
        const perSecond = peakRates[role]
        const warmUp = perSecond * seconds
        const sent = { name: 'peak', from: 0, count: 2 * warmUp, connections, perSecond, warmUp }
        const { port } = servers[role]
        const { answered, rejected } = await loads[role].driver.sendAtConstantRate({
          ...sent,
          port,
        })
        if (rejected.count > 0) throw new Error(`${rejected.count} requests were rejected`)
        return [role, answered.p95] as const
      }),
    )
    for (const [role, amount] of measured) {
      const on = engine === 'sqlite' ? onSqlite : onPostgres
      rows.push({ group: 'peak', name: peakRows[role], on, value: { amount, unit: 'ms' } })
    }
    for (const server of Object.values(servers)) await server.stop()
  }
  other.close()
  return rows
}
