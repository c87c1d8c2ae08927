import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type GenerateOptions, generateLines } from '../src/generate/index.ts'
import { sqlitePath } from '../src/storage/open.ts'
import type { BenchRequest } from './load-driver.ts'

/** Histories end today, so that the default time window includes them. */
const until = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`

const chunkLines = 1000

/** Writes lines to a file and counts them. */
export async function writeLines(
  folder: string,
  name: string,
  lines: Iterable<string>,
): Promise<{ readonly file: string; readonly count: number }> {
  const file = join(folder, `${name}.ndjson`)
  let count = 0
  function* chunks(): Generator<string> {
    let chunk: string[] = []
    for (const line of lines) {
      count += 1
      chunk.push(line)
      if (chunk.length < chunkLines) continue
      yield `${chunk.join('\n')}\n`
      chunk = []
    }
    if (chunk.length > 0) yield `${chunk.join('\n')}\n`
  }
  await pipeline(Readable.from(chunks()), createWriteStream(file))
  return { file, count }
}

export function generateBankLines(options: Partial<GenerateOptions>): Iterable<string> {
  return generateLines({ customers: 1, seed: 'bench', until, ...options })
}

export const largeCustomer = 'c-000001'

export function getLargeAccountId(size: number): string {
  return `b-000001-large-${size}`
}

/** Generates one account of the first customer with exactly `size` transactions. */
export function* generateLargeAccount(size: number): Generator<string> {
  const wantedTypes = /^\{"type":"banking\.(account|balance|transaction)"/
  for (const line of generateBankLines({ accounts: 0, products: 0, largeAccount: size })) {
    if (wantedTypes.test(line)) yield line.replaceAll('b-000001-large', getLargeAccountId(size))
  }
}

export interface CustomerAccounts {
  readonly customer: string
  readonly accounts: readonly string[]
}

/** Finds the customers with the most accounts of a kind in a SQLite database. */
export function findCustomers(
  database: string,
  kind: 'banking' | 'energy',
  limit: number,
): CustomerAccounts[] {
  const file = new DatabaseSync(sqlitePath(database), { readOnly: true })
  const rows = file
    .prepare(
      `select customer.id as customer, json_group_array(account.id) as accounts
       from customer
       join holder on holder.customer = customer.number
       join account on account.number = holder.account and account.kind = ?
       where account.is_open and account.id not like '%-large-%'
       group by customer.id order by count(*) desc, customer.id limit ?`,
    )
    .all(kind === 'banking' ? 1 : 2, limit)
  file.close()
  return rows.map(({ customer, accounts }) => ({
    customer: String(customer),
    accounts: JSON.parse(String(accounts)) as string[],
  }))
}

export function createTransactionsRequest(
  customer: string,
  account: string,
  query = '',
): BenchRequest {
  const path = `/v1/banking/customer/${customer}/accounts/${account}/transactions`
  return { method: 'GET', path, query, algorithm: 'ES256' }
}

export function formatAccountsBody(accounts: readonly string[]): string {
  return JSON.stringify({ data: { accountIds: accounts } })
}
