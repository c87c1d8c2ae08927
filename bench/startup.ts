import { type Bench, engines, serveProvider } from './bench.ts'
import { createPageCase, createThousandCase } from './cases.ts'
import { median } from './compare.ts'
import { measurePeakMemory } from './memory.ts'
import { holdfastProgram, readCpuTime } from './processes.ts'
import { fetchResponse, onPostgres, onSqlite, type Stores } from './requests.ts'
import type { Log, Row } from './results.ts'

const startCount = 5

export const installed = 'as installed'
export const fromClone = 'from a clone'

export const memoryRows = {
  page: 'anonymous memory under load, 25 per page, peak',
  thousand: 'anonymous memory under load, 1000 per page, peak',
} as const

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

/** Of a new process for each size of a page. */
async function measureMemory(bench: Bench, database: string, on: string, log: Log): Promise<Row[]> {
  log(`memory, ${on}`)
  const rows: Row[] = []
  const cases = [
    { name: memoryRows.page, request: createPageCase().request, count: 6000 },
    { name: memoryRows.thousand, request: createThousandCase().request, count: 3000 },
  ]
  for (const { name, request, count } of cases) {
    const server = await serveProvider(bench, database)
    await fetchResponse(server.port, createPageCase().request, bench.keys)
    const { anonymous } = await measurePeakMemory(bench, server, request, count)
    await server.stop()
    rows.push({ group: 'process', name, on, value: { amount: anonymous, unit: 'MB' } })
  }
  return rows
}
