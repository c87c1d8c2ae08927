import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, type Engine, engines, runSql, serveIntake, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { median } from './compare.ts'
import { generateBankLines, generateLargeAccount, getLargeAccountId, writeLines } from './data.ts'
import {
  type Account,
  addClient,
  type Feeds,
  formatTransaction,
  issueToken,
  openFeeds,
  send,
} from './feed-client.ts'
import {
  connections,
  type Measured,
  measureContinuousReaders,
  measureReaders,
  readWhile,
  warmUp,
} from './feed-readers.ts'
import { audience, subdomain } from './load-driver.ts'
import { timeLoad } from './loading.ts'
import { type Running, runToEnd } from './processes.ts'
import { onPostgres, onSqlite } from './requests.ts'
import { formatCount, type Log, type Row } from './results.ts'
import { createTokenSigner } from './token-signer.ts'

/** Each feed sends one line per second; the feeds start at different moments. */
const feedCount = 50
const linesPerFeed = 10
const lineEveryMs = 1000

const capacityRequests = 6000

/** The batches that are compared with a load. */
const batchLines = 1000
const parallelFeeds = 4

/**
 * Of the requests that one worker can serve. The client, both servers and the database share the machine: with more
 * requests, two cores are busy without feeds, and the comparison shows what a busy core does to any latency.
 */
const readersShare = 0.25

/** The names of the rows, which the targets refer to. */
export const feedRows = {
  visible50: 'from sending a line to seeing it in B3, p50',
  visible99: 'from sending a line to seeing it in B3, p99',
  continuousReaders: 'p99 of B3 on 16 connections while feeds write',
  readers: 'p99 of B3 at a quarter of the capacity while feeds write',
  busyReaders: 'p99 of B3 at a quarter of the capacity while a process uses as much CPU time',
  batchCpu: 'CPU time of a batch of 100 lines, all processes',
  batches: `batches of ${formatCount(batchLines)} lines`,
  late: (size: number) => `one late transaction, account of ${formatCount(size)}`,
} as const
export const withoutFeeds = 'without feeds'
export const loadOfLines = 'load of the same lines'

export async function measureFeeds(
  bench: Bench,
  { largest, lines, rounds }: { largest: number; lines: number; rounds: number },
  log: Log,
): Promise<Row[]> {
  const bank = await writeLines(bench.folder, 'feeds_bank', generateBankLines({ customers: 100 }))
  const large = await writeLines(bench.folder, 'feeds_large', generateLargeAccount(largest))
  const accounts = findAccounts(bank.file)
  const rows: Row[] = []
  for (const engine of engines) {
    const database = await bench.database(engine, 'feeds')
    await runToEnd(bench.program, ['load', bank.file, large.file, '--database', database])
    // Autovacuum would do it at any moment of the measurements, with a core of its own.
    if (engine === 'postgres') await runSql(database, 'vacuum analyze')
    const credentials = await addClient(bench, database)
    const provider = await serveProvider(bench, database)
    const intake = await serveIntake(bench, database)
    const feeds = openFeeds(intake, await issueToken(intake, credentials))
    const on = engine === 'sqlite' ? onSqlite : onPostgres
    const add = (name: string, amount: number, unit: string, ratios?: Row['ratios']) =>
      rows.push({ group: 'feeds', name, on, value: { amount, unit }, ...(ratios && { ratios }) })

    log(`capacity for B3, ${engine}`)
    const capacity = await measureCapacity(bench, provider)
    log(`${feedCount} feeds with one line per second each, ${engine}`)
    const measured = { provider, intake, feeds, accounts }
    await warmUp(measured)
    const times = await measureVisibility(bench, { ...measured, perSecond: capacity / 2 })
    add(feedRows.visible50, at(times, 0.5), 'ms')
    add(feedRows.visible99, at(times, 0.99), 'ms')

    log(`B3 with and without feeds, ${engine}`)
    const continuous = await measureContinuousReaders(bench, { ...measured, perSecond: capacity })
    add(feedRows.continuousReaders, continuous.p99, 'ms', { [withoutFeeds]: continuous.ratio })
    const perSecond = capacity * readersShare
    const readers = await measureReaders(bench, { ...measured, perSecond })
    add(feedRows.readers, readers.p99, 'ms', { [withoutFeeds]: readers.ratio })
    add(feedRows.busyReaders, readers.busyP99, 'ms', { [withoutFeeds]: readers.busyRatio })
    add(feedRows.batchCpu, readers.batchMs, 'ms')

    log(`${feedRows.late(largest)}, ${engine}`)
    add(feedRows.late(largest), await measureLate(feeds, largest), 'ms')
    await provider.stop()
    await intake.stop()

    log(`${feedRows.batches}, ${engine}`)
    const compared = await compareBatches(bench, engine, lines, rounds)
    add(feedRows.batches, compared.perSecond, 'lines/s', { [loadOfLines]: compared.ratio })
  }
  return rows
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

/** The times from sending a line until B3 returns it. */
async function measureVisibility(bench: Bench, measured: Measured): Promise<number[]> {
  const { provider, feeds, accounts } = measured
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
  const seconds = ((linesPerFeed + 2) * lineEveryMs) / 1000
  await readWhile(bench, measured, seconds, async () => {
    await Promise.all(accounts.map(follow))
  })
  agent.destroy()
  return times
}

/** One transaction, a week older than the newest, of the largest account. */
async function measureLate(feeds: Feeds, size: number): Promise<number> {
  const times: number[] = []
  const time = Temporal.Now.instant().subtract({ hours: 7 * 24 })
  for (let index = 0; index < 3; index += 1) {
    const since = performance.now()
    await feeds('late', [formatTransaction(getLargeAccountId(size), `late-${index}`, time)])
    times.push(performance.now() - since)
  }
  return median(times)
}

/** Sends the lines of a file in batches, and compares the time with a load of the file. */
async function compareBatches(
  bench: Bench,
  engine: Engine,
  size: number,
  rounds: number,
): Promise<{ readonly perSecond: number; readonly ratio: number }> {
  const [account = '', ...rest] = generateLargeAccount(size)
  const customer = generateBankLines({ customers: 1, accounts: 0, products: 0 })
  const before = await writeLines(bench.folder, 'batches_before', [...customer, account])
  const { file, count } = await writeLines(bench.folder, 'batches', rest)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const seconds: number[] = []
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const loaded = await bench.database(engine, `batches_load_${round}`)
    await runToEnd(bench.program, ['load', before.file, '--database', loaded])
    const load = await timeLoad(bench, file, count, loaded)
    const sent = await bench.database(engine, `batches_sent_${round}`)
    await runToEnd(bench.program, ['load', before.file, '--database', sent])
    const credentials = await addClient(bench, sent)
    const intake = await serveIntake(bench, sent)
    const feeds = openFeeds(intake, await issueToken(intake, credentials))
    const since = performance.now()
    await Promise.all(
      Array.from({ length: parallelFeeds }, async (_, feed) => {
        for (let at = feed; at * batchLines < count; at += parallelFeeds) {
          await feeds(`part-${feed}`, lines.slice(at * batchLines, (at + 1) * batchLines))
        }
      }),
    )
    seconds.push((performance.now() - since) / 1000)
    ratios.push((seconds.at(-1) ?? 0) / load.seconds)
    await intake.stop()
  }
  return { perSecond: count / median(seconds), ratio: median(ratios) }
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}
