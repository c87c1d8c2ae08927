import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { type Bench, type Engine, engines, runSql, serveIntake, serveProvider } from './bench.ts'
import { createPageCase } from './cases.ts'
import { median } from './compare.ts'
import { generateBankLines, generateLargeAccount, getLargeAccountId, writeLines } from './data.ts'
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

/** Lines per second while readers are measured, by so many feeds with so many lines per batch. */
const linesPerSecond = 2000
const writingFeeds = 4
const writtenLines = 100

/** The batches that are compared with a load. */
const batchLines = 1000
const parallelFeeds = 4

/**
 * Of the requests that one worker can serve. The client, both servers and the database share the machine: with more
 * requests, two cores are busy without feeds, and the comparison shows what a busy core does to any latency.
 */
const readersShare = 0.25

const connections = 32
const capacityRequests = 6000
const readSeconds = 5

/** The p99 of a few seconds differs by half from one round to the next. */
const readRounds = 9

/** The names of the rows, which the targets refer to. */
export const feedRows = {
  visible50: 'from sending a line to seeing it in B3, p50',
  visible99: 'from sending a line to seeing it in B3, p99',
  readers: 'p99 of B3 while feeds write',
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
    const measured = { provider, feeds, accounts }
    const times = await measureVisibility(bench, { ...measured, perSecond: capacity / 2 })
    add(feedRows.visible50, at(times, 0.5), 'ms')
    add(feedRows.visible99, at(times, 0.99), 'ms')

    log(`B3 with and without feeds, ${engine}`)
    const perSecond = capacity * readersShare
    const readers = await measureReaders(bench, { ...measured, perSecond })
    add(feedRows.readers, readers.p99, 'ms', { [withoutFeeds]: readers.ratio })

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

interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

async function addClient({ program }: Bench, database: string): Promise<Credentials> {
  const flags = ['--scope', 'data.write', '--database', database]
  const { output } = await runToEnd(program, ['client', 'add', 'bench', ...flags])
  const read = (name: string) => new RegExp(`${name}: (\\S+)`).exec(output)?.[1] ?? ''
  return { client_id: read('client_id'), client_secret: read('client_secret') }
}

async function issueToken({ port }: Running, credentials: Credentials): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return ((await response.json()) as { token: string }).token
}

type Feeds = ReturnType<typeof openFeeds>

/** Sends the batches of feeds, each feed on a connection of its own. */
function openFeeds({ port }: Running, token: string) {
  const numbers = new Map<string, number>()
  const agent = new Agent({ keepAlive: true })
  return async (feed: string, lines: readonly string[]): Promise<void> => {
    const number = (numbers.get(feed) ?? 0) + 1
    numbers.set(feed, number)
    await send(agent, port, {
      method: 'PUT',
      path: `/v1/feeds/${feed}/batches/${number}`,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    })
  }
}

interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Requires status 200. */
async function send(
  agent: Agent,
  port: number,
  { body, ...options }: SentRequest,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, ...options }, async (response) => {
      const received = await text(response)
      if (response.statusCode === 200) resolve(received)
      else reject(new Error(`${options.path} returned ${response.statusCode}: ${received}`))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

interface Account {
  readonly customer: string
  readonly account: string
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

function formatTransaction(account: string, id: string, time: Temporal.Instant): string {
  return JSON.stringify({
    type: 'banking.transaction',
    record: {
      accountId: account,
      transactionId: id,
      type: 'PAYMENT',
      status: 'POSTED',
      description: 'Corner Bakery',
      postingDateTime: time.toString(),
      amount: '-12.50',
      reference: 'Card 1234',
    },
  })
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
  /** The rate of the B3 requests. */
  readonly perSecond: number
}

/** Sends B3 requests at a constant rate while `work` runs. */
async function readWhile(
  bench: Bench,
  { provider, perSecond }: Measured,
  seconds: number,
  work: () => Promise<void>,
) {
  const count = Math.round(perSecond * seconds)
  await bench.driver.prepare('feeds', [createPageCase().request], count)
  const [result] = await Promise.all([
    bench.driver.sendAtConstantRate({
      name: 'feeds',
      from: 0,
      count,
      port: provider.port,
      perSecond,
      connections,
    }),
    work(),
  ])
  return result
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

/** The p99 of B3, alternately with and without feeds. */
async function measureReaders(
  bench: Bench,
  measured: Measured,
): Promise<{ readonly p99: number; readonly ratio: number }> {
  const { feeds, accounts } = measured
  const without: number[] = []
  const during: number[] = []
  // The first round compiles the code, and does not count.
  await writeAtRate(feeds, accounts, readRounds)
  for (let round = 0; round < readRounds; round += 1) {
    const quiet = await readWhile(bench, measured, readSeconds, async () => {})
    without.push(quiet.answered.p99)
    const busy = await readWhile(bench, measured, readSeconds, () =>
      writeAtRate(feeds, accounts, round),
    )
    during.push(busy.answered.p99)
  }
  return { p99: median(during), ratio: median(during) / median(without) }
}

async function writeAtRate(
  feeds: Feeds,
  accounts: readonly Account[],
  round: number,
): Promise<void> {
  const batchesPerFeed = (linesPerSecond * readSeconds) / writingFeeds / writtenLines
  const everyMs = (readSeconds * 1000) / batchesPerFeed
  const write = async (feed: number): Promise<void> => {
    const start = performance.now() + (feed / writingFeeds) * everyMs
    for (let batch = 0; batch < batchesPerFeed; batch += 1) {
      await wait(Math.max(0, start + batch * everyMs - performance.now()))
      const time = Temporal.Now.instant()
      const lines = Array.from({ length: writtenLines }, (_, line) => {
        const { account } = accounts[(feed + writingFeeds * line) % accounts.length] as Account
        return formatTransaction(account, `write-${round}-${feed}-${batch}-${line}`, time)
      })
      await feeds(`write-${feed}`, lines)
    }
  }
  await Promise.all(Array.from({ length: writingFeeds }, (_, feed) => write(feed)))
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
