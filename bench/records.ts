import { type Bench, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { calculateRatio, compare, readPostgresPid, warmUpServers } from './compare.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import { type Log, type Row, toFigure } from './results.ts'

const page = createPageCase()

/** The name of the row, of which the target is evaluated. */
export const recordedPage = page.name

export const nameRecording = (server: string): string => `${server}, with records`

/** Measures what it costs a provider to record its answers. */
export async function measureRecords(
  bench: Bench,
  stores: Stores,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const { name, about, request, requestCount } = page
  const rows: Row[] = []
  for (const [without, database] of [
    [onSqlite, stores.sqlite],
    [onPostgres, stores.postgres],
  ] as const) {
    const recording = nameRecording(without)
    const databasePids = without === onPostgres ? [readPostgresPid(bench)] : []
    // Each has tokens of its own, since the servers share a database.
    const requests = [request]
    const candidates = {
      [without]: { server: await serveProvider(bench, database), databasePids, requests },
      [recording]: {
        server: await serveProvider(bench, database, { records: true }),
        databasePids,
        requests,
      },
    }
    const servers = Object.values(candidates).map(({ server }) => server)
    log(`${name}, ${about}, with and without records: ${without}`)
    // One after another, each with its own tokens.
    for (const server of servers) await warmUpServers(bench, [server], request)
    const measured = await compare(bench, {
      candidates,
      requestCount,
      rounds,
    })
    for (const [on, each] of Object.entries(measured)) {
      const baseline = measured[without]
      rows.push({
        group: 'records',
        name,
        about,
        on,
        figure: toFigure(each),
        ...(on === recording &&
          baseline && { ratios: { [without]: calculateRatio(each, baseline) } }),
      })
    }
    for (const server of servers) await server.stop()
  }
  return rows
}
