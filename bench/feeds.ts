import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, engines, runSql, serveIntake, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { generateBankLines, writeLines } from './data.ts'
import {
  type Account,
  addClient,
  type Feeds,
  formatTransaction,
  issueToken,
  openFeeds,
  send,
} from './feed-client.ts'
import { audience, subdomain } from './load-driver.ts'
import { type Running, runToEnd } from './processes.ts'
import { onPostgres, onSqlite } from './requests.ts'
import type { Log, Row } from './results.ts'
import { createTokenSigner } from './token-signer.ts'

/** Each feed sends one line per second; the feeds start at different moments. */
const feedCount = 50
const linesPerFeed = 10
const lineEveryMs = 1000

const capacityRequests = 6000

/** Lines per batch, and batches, before the measurement: an intake that runs for hours has compiled its code. */
const linesBefore = 100
const batchesBefore = 1000
const writers = 4

const connections = 32

export const visibleRows = {
  p50: 'from sending a line to seeing it in B3, p50',
  p99: 'from sending a line to seeing it in B3, p99',
} as const

/** Measures when lines of feeds are visible, while clients use half of the capacity of the provider. */
export async function measureFeeds(bench: Bench, log: Log): Promise<Row[]> {
  const bank = await writeLines(bench.folder, 'feeds_bank', generateBankLines({ customers: 100 }))
  const accounts = findAccounts(bank.file)
  const rows: Row[] = []
  for (const engine of engines) {
    const database = await bench.database(engine, 'feeds')
    await runToEnd(bench.program, ['load', bank.file, '--database', database])
    // Autovacuum would do it at any moment of the measurements, with a core of its own.
    if (engine === 'postgres') await runSql(database, 'vacuum analyze')
    const credentials = await addClient(bench, database)
    const provider = await serveProvider(bench, database)
    const intake = await serveIntake(bench, database)
    const feeds = openFeeds(intake, await issueToken(intake, credentials))
    log(`${feedCount} feeds with one line per second each, ${engine}`)
    await writeBefore(feeds, accounts)
    const perSecond = (await measureCapacity(bench, provider)) / 2
    const times = await measureVisibility(bench, { provider, feeds, accounts, perSecond })
    await provider.stop()
    await intake.stop()
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    for (const [name, share] of [
      [visibleRows.p50, 0.5],
      [visibleRows.p99, 0.99],
    ] as const) {
      rows.push({ group: 'feeds', name, on, value: { amount: at(times, share), unit: 'ms' } })
    }
  }
  return rows
}

async function writeBefore(feeds: Feeds, accounts: readonly Account[]): Promise<void> {
  const write = async (writer: number): Promise<void> => {
    for (let batch = writer; batch < batchesBefore; batch += writers) {
      const time = Temporal.Now.instant()
      const lines = Array.from({ length: linesBefore }, (_, line) => {
        const { account } = accounts[(writer + writers * line) % accounts.length] as Account
        return formatTransaction(account, `before-${batch}-${line}`, time)
      })
      await feeds(`before-${writer}`, lines)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
}

/** One account of each of the first customers. */
function findAccounts(file: string): Account[] {
  const byCustomer = new Map<string, string>()
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (!line.startsWith('{"type":"banking.account"')) continue
    const { holders, record } = JSON.parse(line) as {
      holders: { customerId: string }[]
      record: { accountId: string }
    }
    const customer = holders[0]?.customerId ?? ''
    if (!byCustomer.has(customer)) byCustomer.set(customer, record.accountId)
  }
  return [...byCustomer.entries().take(feedCount)].map(([customer, account]) => ({
    customer,
    account,
  }))
}

async function measureCapacity(bench: Bench, { port }: Running): Promise<number> {
  const { request: page } = createPageCase()
  await bench.driver.prepare('feeds', [page], 2 * capacityRequests)
  const drive = (from: number) =>
    bench.driver.drive(
      { name: 'feeds', from, count: capacityRequests, port, connections },
      () => {},
    )
  await drive(0)
  return capacityRequests / (await drive(capacityRequests)).seconds
}

interface Measured {
  readonly provider: Running
  readonly feeds: Feeds
  readonly accounts: readonly Account[]
  /** The rate of the other B3 requests. */
  readonly perSecond: number
}

/** The times from sending a line until B3 returns it. */
async function measureVisibility(
  bench: Bench,
  { provider, feeds, accounts, perSecond }: Measured,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const sign = createTokenSigner(bench.keys, subdomain)
  const times: number[] = []
  const observe = async (
    { customer, account }: Account,
    index: number,
    line: number,
  ): Promise<number> => {
    const path = `/v1/banking/customer/${customer}/accounts/${account}/transactions`
    const token = await sign('ES256', audience + path)
    const id = `feed-${index}-${line}`
    const since = performance.now()
    await feeds(`latency-${index}`, [formatTransaction(account, id, Temporal.Now.instant())])
    const page = await send(agent, provider.port, {
      method: 'GET',
      path: `${path}?page-size=1`,
      headers: { authorization: `Bearer ${token}` },
    })
    if (!page.includes(id)) throw new Error('a committed line is not visible')
    return performance.now() - since
  }
  const follow = async (account: Account, index: number): Promise<void> => {
    const start = performance.now() + (index / accounts.length) * lineEveryMs
    // The first line opens the connections, and does not count.
    for (let line = 0; line <= linesPerFeed; line += 1) {
      await wait(Math.max(0, start + line * lineEveryMs - performance.now()))
      const time = await observe(account, index, line)
      if (line > 0) times.push(time)
    }
  }
  const count = Math.round((perSecond * (linesPerFeed + 2) * lineEveryMs) / 1000)
  await bench.driver.prepare('feeds', [createPageCase().request], count)
  const others = { name: 'feeds', from: 0, count, port: provider.port, perSecond, connections }
  await Promise.all([bench.driver.sendAtConstantRate(others), ...accounts.map(follow)])
  agent.destroy()
  return times
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}
