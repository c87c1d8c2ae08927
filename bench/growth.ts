import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { sqlitePath } from '../src/storage/open.ts'
import { type Bench, type Engine, engines, serveProvider } from './bench.ts'
import { createPageCase, everything } from './cases.ts'
import {
  type Candidate,
  calculateRatio,
  compare,
  type Measured,
  readPostgresPid,
  warmUpServers,
} from './compare.ts'
import {
  createTransactionsRequest,
  formatAccountsBody,
  generateBankLines,
  getLargeAccountId,
  largeCustomer,
  writeLines,
} from './data.ts'
import type { BenchRequest } from './load-driver.ts'
import { multiplyTransactions } from './long-lists.ts'
import { runToEnd } from './processes.ts'
import { onPostgres, onSqlite, type Stores } from './requests.ts'
import { formatCount, type Log, type Row, toFigure } from './results.ts'

const pageSize = 25
export const firstPage = 'page 1'
export const lastPage = 'last page'

/** Measures the last page of a long list against the first one. */
export async function measureDeepPage(
  bench: Bench,
  stores: Stores,
  size: number,
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const engine of engines) {
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    log(`B3 of ${formatCount(size)} transactions, ${on}`)
    const server = await serveProvider(bench, stores[engine])
    await warmUpServers(bench, [server], createPageCase().request)
    const candidate = (page: number): Candidate => ({
      server,
      ...(engine === 'postgres' && { databasePids: [readPostgresPid(bench)] }),
      requests: [
        createTransactionsRequest(
          largeCustomer,
          getLargeAccountId(size),
          `${everything}&page=${page}`,
        ),
      ],
    })
    const measured = await compare(bench, {
      candidates: {
        [firstPage]: candidate(1),
        [lastPage]: candidate(Math.ceil(size / pageSize)),
      },
      requestCount: 500,
      rounds,
    })
    for (const [page, figure] of Object.entries(measured)) {
      rows.push({
        group: 'growth',
        name: `B3 of ${formatCount(size)}, ${page}`,
        on,
        figure: toFigure(figure),
        ...(page !== firstPage && {
          ratios: { [firstPage]: calculateRatio(figure, measured[firstPage]) },
        }),
      })
    }
    await server.stop()
  }
  return rows
}

const requestsMax = 4000

/** Balances, transactions, and the search by e-mail address. */
const growingOperations = ['B2', 'B3', 'C1'] as const

/** Copies of every transaction: a million customers have a hundred million entries. */
const copiesPerTransaction = 25

/** Measures requests for customers throughout databases of several sizes. */
export async function measureCustomers(
  bench: Bench,
  sizes: readonly number[],
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const rows: Row[] = []
  const requests = new Map<string, BenchRequest[]>()
  // One engine after the other: the databases of both may not fit on the disk.
  for (const engine of engines) {
    const databases: string[] = []
    const servers: Record<string, Candidate> = {}
    for (const size of sizes) {
      const database = await loadCustomers(bench, engine, size, log)
      databases.push(database)
      // The rows of both engines have the same ids.
      for (const operation of growingOperations) {
        const key = `${operation} ${size}`
        if (!requests.has(key)) requests.set(key, createRequests(operation, database))
      }
      const server = await serveProvider(bench, database)
      await warmUpServers(bench, [server], requests.get(`B3 ${size}`) ?? [])
      servers[formatCount(size)] = {
        server,
        ...(engine === 'postgres' && { databasePids: [readPostgresPid(bench)] }),
      }
    }
    for (const operation of growingOperations) {
      log(`${operation} with ${sizes.map(formatCount).join(' and ')} customers, ${engine}`)
      const candidates = Object.fromEntries(
        sizes.map((size) => [
          formatCount(size),
          { ...servers[formatCount(size)], requests: requests.get(`${operation} ${size}`) },
        ]),
      ) as Record<string, Candidate>
      const measured = await compare<string>(bench, {
        candidates,
        requestCount: 500,
        rounds,
      })
      const smallestSize = formatCount(sizes[0] ?? 0)
      const smallest = measured[smallestSize] as Measured
      for (const [size, figure] of Object.entries(measured)) {
        const ratio = size === smallestSize ? undefined : calculateRatio(figure, smallest)
        // A run of hours may be ended before it prints its tables.
        if (ratio) log(`${operation}, ${size} customers: ${ratio.toFixed(2)} × ${smallestSize}`)
        rows.push({
          group: 'growth',
          name: `${operation}, ${size} customers`,
          on: engine === 'sqlite' ? onSqlite : onPostgres,
          figure: toFigure(figure),
          ...(ratio && { ratios: { [`${smallestSize} customers`]: ratio } }),
        })
      }
    }
    for (const { server } of Object.values(servers)) await server.stop()
    for (const database of databases) await bench.removeDatabase(database)
  }
  return rows
}

async function loadCustomers(
  bench: Bench,
  engine: Engine,
  customers: number,
  log: Log,
): Promise<string> {
  log(`loading ${formatCount(customers)} customers, ${engine}`)
  const lines = generateBankLines({ customers, accounts: 1, transactions: 3, products: 0 })
  const { file } = await writeLines(bench.folder, 'customers', lines)
  const database = await bench.database(engine, 'customers')
  await runToEnd(bench.program, ['load', file, '--database', database])
  rmSync(file)
  await multiplyTransactions(database, copiesPerTransaction, log)
  return database
}

/** Requests for customers distributed over the whole database, each for one bank account. */
function createRequests(
  operation: (typeof growingOperations)[number],
  database: string,
): BenchRequest[] {
  const file = new DatabaseSync(sqlitePath(database), { readOnly: true })
  const rows = file
    .prepare(
      `select customer.id as customer, customer.email as email, min(account.id) as account
       from customer
       join holder on holder.customer = customer.number
       join account on account.number = holder.account and account.kind = 1
       where customer.number % (select max(1, count(*) / ?) from customer) = 0
       group by customer.number`,
    )
    .all(requestsMax)
  file.close()
  return rows.map((row) => {
    const { customer, email, account } = row as Record<'customer' | 'email' | 'account', string>
    if (operation === 'B3') return createTransactionsRequest(customer, account)
    if (operation === 'C1') {
      return {
        method: 'POST',
        path: '/auth/v1/customer/search',
        body: JSON.stringify({ email }),
        algorithm: 'ES256',
      }
    }
    return {
      method: 'POST',
      path: `/v1/banking/customer/${customer}/accounts/balances`,
      body: formatAccountsBody([account]),
      algorithm: 'ES256',
    }
  })
}
