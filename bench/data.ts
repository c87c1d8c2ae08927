import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type GenerateOptions, generateLines } from '../src/generate/index.ts'
import type { Ask } from './load.ts'

/** Histories reach up to today, so that requests without a window find them. */
const until = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`

const chunkLines = 1000

/** Writes invented lines to a file and says how many there are. */
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

export function bankLines(options: Partial<GenerateOptions>): Iterable<string> {
  return generateLines({ customers: 1, seed: 'bench', until, ...options })
}

export const largeCustomer = 'c-000001'

export function largeAccount(size: number): string {
  return `b-000001-large-${size}`
}

/** One account of the first customer with exactly that many transactions. */
export function* largeAccountLines(size: number): Generator<string> {
  const kept = /^\{"type":"banking\.(account|balance|transaction)"/
  for (const line of bankLines({ accounts: 0, products: 0, largeAccount: size })) {
    if (kept.test(line)) yield line.replaceAll('b-000001-large', largeAccount(size))
  }
}

/** What can be asked of a bank that was loaded into SQLite. */
export interface Found {
  readonly customer: string
  readonly accounts: readonly string[]
}

/** The customers with the most accounts of a kind, by their file. */
export function customersOf(database: string, kind: 'banking' | 'energy', most: number): Found[] {
  const file = new DatabaseSync(database.replace(/^sqlite:/, ''), { readOnly: true })
  const rows = file
    .prepare(
      `select customer.id as customer, json_group_array(account.id) as accounts
       from customer
       join holder on holder.customer = customer.number
       join account on account.number = holder.account and account.kind = ?
       where account.is_open and account.id not like '%-large-%'
       group by customer.id order by count(*) desc, customer.id limit ?`,
    )
    .all(kind === 'banking' ? 1 : 2, most)
  file.close()
  return rows.map(({ customer, accounts }) => ({
    customer: String(customer),
    accounts: JSON.parse(String(accounts)) as string[],
  }))
}

export function firstProduct(database: string): string {
  const file = new DatabaseSync(database.replace(/^sqlite:/, ''), { readOnly: true })
  const row = file.prepare('select id from product order by id limit 1').get()
  file.close()
  return String(row?.['id'])
}

export function transactionsAsk(customer: string, account: string, query = ''): Ask {
  const path = `/v1/banking/customer/${customer}/accounts/${account}/transactions`
  return { method: 'GET', path, query, algorithm: 'ES256' }
}

export function accountsBody(accounts: readonly string[]): string {
  return JSON.stringify({ data: { accountIds: accounts } })
}
