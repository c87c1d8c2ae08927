import { type Bench, engines, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import {
  type Candidate,
  calculateRatio,
  compare,
  readPostgresPid,
  warmUpServers,
} from './compare.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import { type Log, type Row, toFigure } from './results.ts'

const counts = [1, 2, 4] as const
const requestCount = 1500

/** Measures B3 on several worker processes that share a port. */
export async function measureWorkers(
  bench: Bench,
  stores: Stores,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const page = createPageCase()
  const rows: Row[] = []
  for (const engine of engines) {
    log(`B3 on ${counts.join(', ')} workers, ${engine}`)
    const candidates: Record<string, Candidate> = {}
    for (const workers of counts) {
      candidates[formatWorkers(workers)] = {
        server: await serveProvider(bench, stores[engine], { workers }),
        requests: [page.request],
        ...(engine === 'postgres' && { databasePids: [readPostgresPid(bench)] }),
      }
    }
    // All share a replay store, so that each gets requests of its own. Each worker compiles its own code.
    for (const { server } of Object.values(candidates)) {
      await warmUpServers(bench, [server], page.request)
    }
    const measured = await compare<string>(bench, {
      candidates,
      requestCount,
      rounds,
    })
    const single = measured[formatWorkers(1)]
    for (const [name, figure] of Object.entries(measured)) {
      rows.push({
        group: 'workers',
        name: `B3, ${name}`,
        on: engine === 'sqlite' ? onSqlite : onPostgres,
        figure: toFigure(figure),
        ...(single &&
          single !== figure && { ratios: { [formatWorkers(1)]: calculateRatio(figure, single) } }),
      })
    }
    for (const { server } of Object.values(candidates)) await server.stop()
  }
  return rows
}

function formatWorkers(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`
}
