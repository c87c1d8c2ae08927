import { DatabaseSync } from 'node:sqlite'
import { type Bench, engines, serveProvider } from './bank.ts'
import { everything, pageCase } from './cases.ts'
import { type Contestant, compare, type Measured, postgresPid, ratioOf, warm } from './compare.ts'
import {
  accountsBody,
  bankLines,
  largeAccount,
  largeCustomer,
  transactionsAsk,
  writeLines,
} from './data.ts'
import type { Ask } from './load.ts'
import { runToEnd } from './processes.ts'
import { onHandMade, onPostgres, onSqlite, type Stores, startHandMade } from './requests.ts'
import { counted, figureOf, type Row, type Tell } from './results.ts'

const pageSize = 25
export const firstPage = 'page 1'
export const lastPage = 'last page'
const middlePage = 'middle page'

/** B3 at the beginning, in the middle and at the end of long lists. */
export async function measurePages(
  bench: Bench,
  stores: Stores,
  sizes: readonly number[],
  rounds: number,
  tell: Tell,
): Promise<Row[]> {
  const rows: Row[] = []
  const servers = {
    [onSqlite]: { server: await serveProvider(bench, stores.sqlite) },
    [onPostgres]: {
      server: await serveProvider(bench, stores.postgres),
      databasePid: postgresPid(bench),
    },
    [onHandMade]: { server: await startHandMade(bench, stores.sqlite) },
  } satisfies Record<string, Contestant>
  const running = Object.values(servers).map(({ server }) => server)
  await warm(bench, running, pageCase().ask)
  for (const size of sizes) {
    for (const [on, contestant] of Object.entries(servers)) {
      tell(`B3 of ${counted(size)} transactions, ${on}`)
      // By hand the last page of a long list takes a large part of a second.
      const requests = on === onHandMade && size > 1000 ? 15 : 400
      const asksOf = (page: number) => [
        transactionsAsk(largeCustomer, largeAccount(size), `${everything}&page=${page}`),
      ]
      const last = Math.ceil(size / pageSize)
      const measured = await compare(bench, {
        contestants: {
          [firstPage]: { ...contestant, asks: asksOf(1) },
          [middlePage]: { ...contestant, asks: asksOf(Math.ceil(last / 2)) },
          [lastPage]: { ...contestant, asks: asksOf(last) },
        },
        requests,
        rounds,
        warmUp: requests,
      })
      for (const [page, figure] of Object.entries(measured)) {
        rows.push({
          group: 'growth',
          name: `B3 of ${counted(size)}, ${page}`,
          on,
          figure: figureOf(figure),
          ...(page !== firstPage && {
            ratios: { [firstPage]: ratioOf(figure, measured[firstPage]) },
          }),
        })
      }
    }
  }
  for (const server of running) await server.stop()
  return rows
}

const asksMost = 4000

/** B2 and B3 of customers all over a store, in stores of several sizes. */
export async function measureCustomers(
  bench: Bench,
  sizes: readonly number[],
  rounds: number,
  tell: Tell,
): Promise<Row[]> {
  const stores: Record<string, Stores> = {}
  for (const size of sizes) {
    tell(`a store of ${counted(size)} customers`)
    const lines = bankLines({ customers: size, accounts: 1, transactions: 3, products: 0 })
    const { file } = await writeLines(bench.folder, `customers_${size}`, lines)
    const store = {
      sqlite: await bench.database('sqlite', `customers_${size}`),
      postgres: await bench.database('postgres', `customers_${size}`),
    }
    for (const database of Object.values(store)) {
      await runToEnd(bench.program, ['load', file, '--database', database])
    }
    stores[counted(size)] = store
  }

  const rows: Row[] = []
  for (const engine of engines) {
    const servers: Record<string, Contestant> = {}
    for (const [size, store] of Object.entries(stores)) {
      servers[size] = {
        server: await serveProvider(bench, store[engine]),
        ...(engine === 'postgres' && { databasePid: postgresPid(bench) }),
      }
    }
    for (const [size, { server }] of Object.entries(servers)) {
      const [ask] = asksOf('B3', stores[size]?.sqlite ?? '')
      if (ask) await warm(bench, [server], ask)
    }
    for (const operation of ['B2', 'B3'] as const) {
      tell(`${operation} in stores of ${sizes.map(counted).join(' and ')} customers, ${engine}`)
      const contestants = Object.fromEntries(
        Object.entries(servers).map(([size, contestant]) => [
          size,
          { ...contestant, asks: asksOf(operation, stores[size]?.sqlite ?? '') },
        ]),
      )
      const measured = await compare<string>(bench, {
        contestants,
        requests: 500,
        rounds,
        warmUp: 1000,
      })
      const smallest = measured[counted(sizes[0] ?? 0)]
      for (const [size, figure] of Object.entries(measured)) {
        rows.push({
          group: 'growth',
          name: `${operation}, ${size} customers`,
          on: engine === 'sqlite' ? onSqlite : onPostgres,
          figure: figureOf(figure),
          ...ratioToSmallest(figure, smallest, counted(sizes[0] ?? 0)),
        })
      }
    }
    for (const { server } of Object.values(servers)) await server.stop()
  }
  return rows
}

function ratioToSmallest(figure: Measured, smallest: Measured | undefined, size: string) {
  if (!smallest || smallest === figure) return {}
  return { ratios: { [`${size} customers`]: ratioOf(figure, smallest) } }
}

/** Customers evenly over the whole store, each with one of its bank accounts. */
function asksOf(operation: 'B2' | 'B3', database: string): Ask[] {
  const file = new DatabaseSync(database.replace(/^sqlite:/, ''), { readOnly: true })
  const rows = file
    .prepare(
      `select customer.id as customer, min(account.id) as account
       from customer
       join holder on holder.customer = customer.number
       join account on account.number = holder.account and account.kind = 1
       where customer.number % (select max(1, count(*) / ?) from customer) = 0
       group by customer.number`,
    )
    .all(asksMost)
  file.close()
  return rows.map((row) => {
    const { customer, account } = row as { customer: string; account: string }
    if (operation === 'B3') return transactionsAsk(customer, account)
    return {
      method: 'POST',
      path: `/v1/banking/customer/${customer}/accounts/balances`,
      body: accountsBody([account]),
      algorithm: 'ES256',
    }
  })
}
