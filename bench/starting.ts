import { type Bench, engines, serveProvider } from './bank.ts'
import { pageCase } from './cases.ts'
import { median } from './compare.ts'
import { cpuOf, holdfastProgram, memoryOf } from './processes.ts'
import { answerOf, onPostgres, onSqlite, type Stores } from './requests.ts'
import type { Row, Tell } from './results.ts'

const startsCount = 5
const loadRequests = 6000
const samplePause = 50

export const installed = 'as installed'
export const fromClone = 'from a clone'

/** How long a server takes to its first answer, and what memory one worker has. */
export async function measureStarting(bench: Bench, stores: Stores, tell: Tell): Promise<Row[]> {
  const rows: Row[] = []
  const programs = { [installed]: bench.program, [fromClone]: holdfastProgram }
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    for (const [where, program] of Object.entries(programs)) {
      tell(`start, ${engine}, ${where}`)
      const starts: { ready: number; answered: number; cpu: number }[] = []
      for (let round = 0; round < startsCount; round += 1) {
        const start = performance.now()
        const server = await serveProvider(bench, stores[engine], { program })
        await answerOf(server.port, pageCase().ask, bench.keys)
        starts.push({
          ready: server.readyMs,
          answered: performance.now() - start,
          cpu: cpuOf([server.pid]) / 1000,
        })
        await server.stop()
      }
      const value = (of: 'ready' | 'answered' | 'cpu') => ({
        amount: median(starts.map((times) => times[of])),
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
    rows.push(...(await measureMemory(bench, stores[engine], on, tell)))
  }
  return rows
}

async function measureMemory(
  bench: Bench,
  database: string,
  on: string,
  tell: Tell,
): Promise<Row[]> {
  tell(`memory, ${on}`)
  const { driver, keys } = bench
  const page = pageCase()
  const server = await serveProvider(bench, database)
  await answerOf(server.port, page.ask, keys)
  const idle = memoryOf(server.pid).now
  await driver.prepare('memory', [page.ask], loadRequests)
  const samples: number[] = []
  const sampling = setInterval(() => samples.push(memoryOf(server.pid).now), samplePause)
  const what = { name: 'memory', from: 0, count: loadRequests, port: server.port, connections: 50 }
  await driver.drive(what, () => undefined)
  clearInterval(sampling)
  const { peak } = memoryOf(server.pid)
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
