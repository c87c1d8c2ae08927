import { DatabaseSync } from 'node:sqlite'
import { sqlitePath } from '../src/storage/open.ts'
import { measureAdded, measureP99, type Rate } from './added-latency.ts'
import { type Bench, engines, serveProvider } from './bench.ts'
import { createPageCase, everything } from './cases.ts'
import { compare, type Measured, readPostgresPid, warmUpServers } from './compare.ts'
import { createTransactionsRequest, getLargeAccountId, largeCustomer } from './data.ts'
import { type BenchRequest, openLoadDriver } from './load-driver.ts'
import type { Running } from './processes.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import { formatCount, type Log, type Row, toFigure } from './results.ts'

export const unfiltered = 'unfiltered'

export const filters = {
  text: 'text with 100 matches',
  amount: 'amounts of 1 %',
  most: 'text with most matches',
} as const

/** The account has about a hundred payments of wages, whatever its size. */
const fewMatches = 'wages'
const mostMatches = 'takings'

/** The p99 of other requests during a search of a long list, above that without one. */
export const waitOfOthers = 'B3 beside a text with most matches, p99 added'

const others: Rate = { perSecond: 100, seconds: 4, connections: 100 }

/** A client sends one search after another. */
const connections = 4

/** A text with most matches requires reading every entry. */
const requestCounts = { short: 400, long: 4 }

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
  const short = {
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
    const measure = (wanted: Readonly<Record<string, string>>, count: number) =>
      compare<string>(bench, {
        candidates: Object.fromEntries(
          Object.entries(wanted).map(([name, query]) => [
            name,
            {
              server,
              ...(engine === 'postgres' && { databasePids: [readPostgresPid(bench)] }),
              requests: [createTransactionsRequest(largeCustomer, account, everything + query)],
            },
          ]),
        ),
        requestCount: count,
        rounds,
        warmUp: count,
        connections,
      })
    const measured = {
      ...(await measure(short, requestCounts.short)),
      ...(await measure({ [filters.most]: `&text=${mostMatches}` }, requestCounts.long)),
    }
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
    log(`${waitOfOthers}, ${on}`)
    const search = createTransactionsRequest(
      largeCustomer,
      account,
      `${everything}&text=${mostMatches}`,
    )
    const amount = await measureWait(bench, server, search)
    const name = `${waitOfOthers}, ${formatCount(size)}`
    rows.push({ group: 'growth', name, on, value: { amount, unit: 'ms' } })
    await server.stop()
  }
  return rows
}

async function measureWait(
  { driver, keys }: Bench,
  server: Running,
  search: BenchRequest,
): Promise<number> {
  const searcher = openLoadDriver(keys)
  const measure = () => measureP99(driver, createPageCase().request, server, others)
  const measureDuringSearches = async (): Promise<number> => {
    const name = 'search'
    let isMeasured = false
    const searching = async (): Promise<void> => {
      while (!isMeasured) {
        await searcher.prepare(name, [search], 1)
        const one = { name, from: 0, count: 1, port: server.port, connections: 1 }
        await searcher.drive(one, () => {})
      }
    }
    const searched = searching()
    const measured = await measure()
    isMeasured = true
    await searched
    return measured
  }
  const [added = Number.NaN] = await measureAdded(measure, [measureDuringSearches])
  searcher.close()
  return added
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
