import { DatabaseSync } from 'node:sqlite'
import { sqlitePath } from '../src/storage/open.ts'
import { type Bench, engines, serveProvider } from './bench.ts'
import { createPageCase, everything } from './cases.ts'
import {
  type Candidate,
  compare,
  type Measured,
  readPostgresPid,
  warmUpServers,
} from './compare.ts'
import { createTransactionsRequest, getLargeAccountId, largeCustomer } from './data.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import { formatCount, type Log, type Row, toFigure } from './results.ts'

export const unfiltered = 'unfiltered'

export const filters = {
  text: 'text with 100 matches',
  amount: 'amounts of 1 %',
} as const

/** The account has about a hundred payments of wages, whatever its size. */
const fewMatches = 'wages'

/** A client sends one search after another. */
const connections = 4

const requestCount = 100

/** Measures page 1 of a long list with filters, against the same page without one. */
export async function measureFilters(
  bench: Bench,
  stores: Stores,
  size: number,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const account = getLargeAccountId(size)
  const [least, greatest] = findAmounts(stores.sqlite, account, 0.01)
  const wanted = {
    [unfiltered]: '',
    [filters.text]: `&text=${fewMatches}`,
    [filters.amount]: `&min-amount=${least}&max-amount=${greatest}`,
  }
  const rows: Row[] = []
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    log(`B3 of ${formatCount(size)} with filters, ${on}`)
    const server = await serveProvider(bench, stores[engine])
    await warmUpServers(bench, [server], createPageCase().request)
    const candidates = Object.entries(wanted).map(([name, query]): [string, Candidate] => [
      name,
      {
        server,
        ...(engine === 'postgres' && { databasePids: [readPostgresPid(bench)] }),
        requests: [createTransactionsRequest(largeCustomer, account, everything + query)],
      },
    ])
    const measured = await compare<string>(bench, {
      candidates: Object.fromEntries(candidates),
      requestCount,
      rounds,
      connections,
    })
    const baseline = measured[unfiltered]
    for (const [name, figure] of Object.entries(measured)) {
      rows.push({
        group: 'growth',
        name: `B3 of ${formatCount(size)}, ${name}`,
        on,
        figure: toFigure(figure),
        ...(baseline &&
          name !== unfiltered && { ratios: { [unfiltered]: ratio(figure, baseline) } }),
      })
    }
    await server.stop()
  }
  return rows
}

/** With the CPU time of the database, which searches. */
function ratio(figure: Measured, baseline: Measured): number {
  return total(figure) / total(baseline)
}

function total({ cpu, databaseCpu = 0 }: Measured): number {
  return cpu + databaseCpu
}

/** Bounds between which this share of the amounts of an account is. */
function findAmounts(database: string, account: string, share: number): [string, string] {
  const file = new DatabaseSync(sqlitePath(database), { readOnly: true })
  const amounts = file
    .prepare(
      `select record ->> 'amount' as amount from entry
       where list = (select number * 8 + 1 from account where id = ?)`,
    )
    .all(account)
    .map(({ amount }) => String(amount))
    .sort((one, other) => Number(one) - Number(other))
  file.close()
  const from = Math.floor(amounts.length / 2)
  return [amounts[from] ?? '', amounts[from + Math.floor(amounts.length * share)] ?? '']
}
