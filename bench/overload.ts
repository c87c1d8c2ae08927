import { type Bench, engines, serveProvider } from './bank.ts'
import { pageCase } from './cases.ts'
import { memoryOf } from './processes.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import type { Row, Tell } from './results.ts'

const warmUp = 3000
const measured = 12_000
/** Few: those in the line are then what the server can just carry. */
const carriedConnections = 32
const connections = 600
const seconds = 4

/** Parts of what the server can carry, one after another: the last shows that it comes back by itself. */
const shares = [0.5, 1, 2, 0.5]

/** B3 on one worker, asked for at a pace that does not care for the answers. */
export async function measureOverload(bench: Bench, stores: Stores, tell: Tell): Promise<Row[]> {
  const { ask } = pageCase()
  const rows: Row[] = []
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    tell(`overload, ${engine}`)
    const server = await serveProvider(bench, stores[engine])
    let from = 0
    const next = (count: number) => {
      const part = { name: 'overload', from, count, port: server.port }
      from += count
      return part
    }
    await bench.driver.prepare('overload', [ask], warmUp + measured)
    const drive = (count: number) =>
      bench.driver.drive({ ...next(count), connections: carriedConnections }, () => {})
    await drive(warmUp)
    const carried = measured / (await drive(measured)).seconds
    rows.push(row('capacity', on, carried, 'requests/s'))

    for (const [index, share] of shares.entries()) {
      const perSecond = Math.round(carried * share)
      await bench.driver.prepare('overload', [ask], perSecond * seconds)
      from = 0
      const { answered, refused, ...pressed } = await bench.driver.press({
        ...next(perSecond * seconds),
        perSecond,
        connections,
      })
      const { now, peak } = memoryOf(server.pid)
      const name = `${share * 100} %${index === shares.length - 1 ? ' again' : ''}`
      rows.push(
        row(`${name}: answered`, on, answered.count / pressed.seconds, 'requests/s'),
        row(`${name}: answered, p50`, on, answered.p50, 'ms'),
        row(`${name}: answered, p99`, on, answered.p99, 'ms'),
        row(`${name}: rejected`, on, refused.count / pressed.seconds, 'requests/s'),
        row(`${name}: rejected, p99`, on, refused.p99, 'ms'),
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
