import { type Bench, engines, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { median } from './compare.ts'
import { holdfastProgram, readCpuTime, readMemory } from './processes.ts'
import { fetchResponse, onPostgres, onSqlite, type Stores } from './requests.ts'
import type { Log, Row } from './results.ts'

const startCount = 5
const loadRequests = 6000
const sampleIntervalMs = 50

export const installed = 'as installed'
export const fromClone = 'from a clone'

/** Measures the time to the first response, and the memory of one worker. */
export async function measureStartup(bench: Bench, stores: Stores, log: Log): Promise<Row[]> {
  const rows: Row[] = []
  const programs = { [installed]: bench.program, [fromClone]: holdfastProgram }
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    for (const [where, program] of Object.entries(programs)) {
      log(`start, ${engine}, ${where}`)
      const starts: { ready: number; answered: number; cpu: number }[] = []
      for (let round = 0; round < startCount; round += 1) {
        const start = performance.now()
        const server = await serveProvider(bench, stores[engine], { program })
        await fetchResponse(server.port, createPageCase().request, bench.keys)
        starts.push({
          ready: server.readyMs,
          answered: performance.now() - start,
          cpu: readCpuTime([server.pid]) / 1000,
        })
        await server.stop()
      }
      const value = (name: 'ready' | 'answered' | 'cpu') => ({
        amount: median(starts.map((times) => times[name])),
        unit: 'ms',
      })
      rows.push(
        { group: 'process', name: `start to ready, ${where}`, on, value: value('ready') },
        {
          group: 'process',
          name: `start to first response, ${where}`,
          on,
          value: value('answered'),
        },
        { group: 'process', name: `CPU time to first response, ${where}`, on, value: value('cpu') },
      )
    }
    rows.push(...(await measureMemory(bench, stores[engine], on, log)))
  }
  return rows
}

async function measureMemory(bench: Bench, database: string, on: string, log: Log): Promise<Row[]> {
  log(`memory, ${on}`)
  const { driver, keys } = bench
  const page = createPageCase()
  const server = await serveProvider(bench, database)
  await fetchResponse(server.port, page.request, keys)
  const idle = readMemory(server.pid).now
  await driver.prepare('memory', [page.request], loadRequests)
  const samples: number[] = []
  const sampling = setInterval(() => samples.push(readMemory(server.pid).now), sampleIntervalMs)
  const options = {
    name: 'memory',
    from: 0,
    count: loadRequests,
    port: server.port,
    connections: 50,
  }
  await driver.drive(options, () => undefined)
  clearInterval(sampling)
  const { peak } = readMemory(server.pid)
  await driver.forget('memory')
  await server.stop()
  const row = (name: string, amount: number): Row => ({
    group: 'process',
    name,
    on,
    value: { amount, unit: 'MB' },
  })
  return [
    row('memory, idle', idle),
    row('memory under load, median', median(samples)),
    row('memory under load, peak', peak),
  ]
}
