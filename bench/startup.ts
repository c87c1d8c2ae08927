import { type Bench, engines, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { manyConnections, median } from './compare.ts'
import { readCpuTime, readMemory } from './processes.ts'
import { fetchResponse, onPostgres, onSqlite, type Stores } from './requests.ts'
import type { Log, Row } from './results.ts'

const startCount = 7
const memoryRequests = 8000

export const startRow = 'start to first response'
export const memoryRow = 'resident memory of a worker, 25 per page, 50 connections, peak'

/** Measures the time to the first response of the installed package, and the memory of one worker under load. */
export async function measureStartup(bench: Bench, stores: Stores, log: Log): Promise<Row[]> {
  const rows: Row[] = []
  const { request } = createPageCase()
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    log(`start, ${engine}`)
    const starts: { answered: number; cpu: number }[] = []
    for (let round = 0; round < startCount; round += 1) {
      const start = performance.now()
      const server = await serveProvider(bench, stores[engine])
      await fetchResponse(server.port, request, bench.keys)
      starts.push({
        answered: performance.now() - start,
        cpu: readCpuTime([server.pid]) / 1000,
      })
      await server.stop()
    }
    const add = (name: string, amount: number, unit: string) =>
      rows.push({ group: 'process', name, on, value: { amount, unit } })
    add(startRow, median(starts.map(({ answered }) => answered)), 'ms')
    add('CPU time to first response', median(starts.map(({ cpu }) => cpu)), 'ms')

    log(`memory, ${engine}`)
    const server = await serveProvider(bench, stores[engine])
    await bench.driver.prepare('memory', [request], memoryRequests)
    const all = { name: 'memory', from: 0, count: memoryRequests, connections: manyConnections }
    await bench.driver.drive({ ...all, port: server.port }, () => {})
    await bench.driver.forget('memory')
    const { peak, anonymous } = readMemory(server.pid)
    add(memoryRow, peak, 'MB')
    add('anonymous memory at the end', anonymous, 'MB')
    await server.stop()
  }
  return rows
}
