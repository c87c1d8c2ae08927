import { type Bench, engines, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { readMemory } from './processes.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import type { Log, Row } from './results.ts'

const warmUp = 6000
const capacityRequests = 12_000
/** Few enough that the server is saturated but rejects nothing. */
const capacityConnections = 32
const connections = 600
const seconds = 4

/** Of the rows that the targets refer to. */
export const answeredAtTwice = '200 %: answered'
export const ofCapacity = 'capacity'

/** Fractions of the capacity, in order: the last one shows the recovery. */
const shares = [0.5, 1, 2, 0.5]

/** Sends B3 requests to one worker at a constant rate, up to twice its capacity. */
export async function measureOverload(bench: Bench, stores: Stores, log: Log): Promise<Row[]> {
  const { request } = createPageCase()
  const rows: Row[] = []
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    log(`overload, ${engine}`)
    const server = await serveProvider(bench, stores[engine])
    let from = 0
    const next = (count: number) => {
      const part = { name: 'overload', from, count, port: server.port }
      from += count
      return part
    }
    await bench.driver.prepare('overload', [request], warmUp + capacityRequests)
    const drive = (count: number) =>
      bench.driver.drive({ ...next(count), connections: capacityConnections }, () => {})
    await drive(warmUp)
    const capacity = capacityRequests / (await drive(capacityRequests)).seconds
    rows.push(row(ofCapacity, on, capacity, 'requests/s'))

    for (const [index, share] of shares.entries()) {
      const perSecond = Math.round(capacity * share)
      await bench.driver.prepare('overload', [request], perSecond * seconds)
      from = 0
      const { answered, rejected, ...result } = await bench.driver.sendAtConstantRate({
        ...next(perSecond * seconds),
        perSecond,
        connections,
      })
      const { now, peak } = readMemory(server.pid)
      const name = `${share * 100} %${index === shares.length - 1 ? ' again' : ''}`
      const answeredPerSecond = answered.count / result.seconds
      rows.push(
        {
          ...row(`${name}: answered`, on, answeredPerSecond, 'requests/s'),
          ratios: { [ofCapacity]: capacity / answeredPerSecond },
        },
        row(`${name}: answered, p50`, on, answered.p50, 'ms'),
        row(`${name}: answered, p99`, on, answered.p99, 'ms'),
        row(`${name}: rejected`, on, rejected.count / result.seconds, 'requests/s'),
        row(`${name}: rejected, p99`, on, rejected.p99, 'ms'),
        row(`${name}: memory`, on, now, 'MB'),
        row(`${name}: memory, peak`, on, peak, 'MB'),
      )
    }
    await bench.driver.forget('overload')
    await server.stop()
  }
  return rows
}

function row(name: string, on: string, amount: number, unit: string): Row {
  return { group: 'overload', name, on, value: { amount, unit } }
}
