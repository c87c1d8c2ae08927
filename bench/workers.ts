import { type Bench, engines, serveProvider } from './bank.ts'
import { pageCase } from './cases.ts'
import { type Contestant, compare, postgresPid, ratioOf } from './compare.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import { figureOf, type Row, type Tell } from './results.ts'

const counts = [1, 2, 4] as const
const requests = 1500

/** B3 on several processes that share a port. */
export async function measureWorkers(
  bench: Bench,
  stores: Stores,
  rounds: number,
  tell: Tell,
): Promise<Row[]> {
  const page = pageCase()
  const rows: Row[] = []
  for (const engine of engines) {
    tell(`B3 on ${counts.join(', ')} workers, ${engine}`)
    const contestants: Record<string, Contestant> = {}
    for (const workers of counts) {
      contestants[nameOf(workers)] = {
        server: await serveProvider(bench, stores[engine], { workers }),
        // They have one store, where a token is good once.
        asks: [page.ask],
        ...(engine === 'postgres' && { databasePid: postgresPid(bench) }),
      }
    }
    const measured = await compare<string>(bench, {
      contestants,
      requests,
      rounds,
      // Each worker has its own code to compile.
      warmUp: 2 * requests,
    })
    const alone = measured[nameOf(1)]
    for (const [name, figure] of Object.entries(measured)) {
      rows.push({
        group: 'workers',
        name: `B3, ${name}`,
        on: engine === 'sqlite' ? onSqlite : onPostgres,
        figure: figureOf(figure),
        ...(alone && alone !== figure && { ratios: { [nameOf(1)]: ratioOf(figure, alone) } }),
      })
    }
    for (const { server } of Object.values(contestants)) await server.stop()
  }
  return rows
}

function nameOf(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`
}
