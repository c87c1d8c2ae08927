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
import { onHandWritten, onPostgres, onSqlite, type Stores, startHandWritten } from './requests.ts'
import { formatCount, type Log, type Row, toFigure } from './results.ts'

const pageSize = 25
export const firstPage = 'page 1'
export const lastPage = 'last page'
const middlePage = 'middle page'

/** Measures the first, middle and last page of long lists. */
export async function measurePages(
  bench: Bench,
  stores: Stores,
  sizes: readonly number[],
  rounds: number,
  log: Log,
): Promise<Row[]> {
  const rows: Row[] = []
  const servers = {
    [onSqlite]: { server: await serveProvider(bench, stores.sqlite) },
    [onPostgres]: {
      server: await serveProvider(bench, stores.postgres),
      databasePids: [readPostgresPid(bench)],
    },
    [onHandWritten]: { server: await startHandWritten(bench, stores.sqlite) },
  } satisfies Record<string, Candidate>
  const running = Object.values(servers).map(({ server }) => server)
  await warmUpServers(bench, running, createPageCase().request)
  for (const size of sizes) {
    for (const [on, candidate] of Object.entries(servers)) {
      log(`B3 of ${formatCount(size)} transactions, ${on}`)
      // On the hand-written server, the last page of a long list takes several hundred milliseconds.
      const requestCount = on === onHandWritten && size > 1000 ? 15 : 400
      const requestsFor = (page: number) => [
        createTransactionsRequest(
          largeCustomer,
          getLargeAccountId(size),
          `${everything}&page=${page}`,
        ),
      ]
      const last = Math.ceil(size / pageSize)
      const measured = await compare(bench, {
        candidates: {
          [firstPage]: { ...candidate, requests: requestsFor(1) },
          [middlePage]: { ...candidate, requests: requestsFor(Math.ceil(last / 2)) },
          [lastPage]: { ...candidate, requests: requestsFor(last) },
        },
        requestCount,
        rounds,
        warmUp: requestCount,
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
    }
  }
  for (const server of running) await server.stop()
  return rows
}

const requestsMax = 4000

/** Balances, transactions, and the search by e-mail address. */
export const growingOperations = ['B2', 'B3', 'C1'] as const

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
        warmUp: 1000,
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
