import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { listCodes } from '../src/storage/enum-codes.ts'
import { takeCitusDatabase, useCluster } from '../test/support/citus.ts'
import { startCluster } from '../test/support/citus-cluster.ts'
import { openBench, runSql, serveProvider } from './bench.ts'
import { compare, readPostgresPid } from './compare.ts'
import { createTransactionsRequest, formatAccountsBody, writeLines } from './data.ts'
import type { BenchRequest } from './load-driver.ts'
import { timeLoad } from './loading.ts'
import { requireLinux, runToEnd } from './processes.ts'

/**
 * Compares a Citus cluster on this machine with one PostgreSQL server: `node bench/citus.ts --entries 20000000`, with the
 * programs in CITUS_HOME. SQL makes the histories: a load of so many lines takes hours.
 */
const { values: flags } = parseArgs({
  options: {
    entries: { type: 'string', default: '1000000' },
    shards: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '7' },
  },
})

const customers = 20
const energyAccounts = 5
const entriesPerAccount = 1000
const bankingAccounts = Math.max(
  1,
  Math.round(Number(flags.entries) / entriesPerAccount / customers) - energyAccounts,
)
const loadedLines = 100_000
const requestCount = 300
const sampledAccounts = 500
const dataNodeCount = 3

requireLinux()
const cluster = await startCluster(dataNodeCount, true)
useCluster(cluster.url)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const started = performance.now()
const bench = await openBench()
const databases = {
  'one server': await bench.database('postgres', 'plain'),
  cluster: await takeCitusDatabase(Number(flags.shards)),
}
type Name = keyof typeof databases
const names = Object.keys(databases) as Name[]
const isCluster = (name: Name) => name === 'cluster'

const accounts = await writeLines(bench.folder, 'accounts', generateAccounts())
const more = await writeLines(bench.folder, 'more', generateTransactions())
for (const name of names) {
  await runToEnd(bench.program, ['load', accounts.file, '--database', databases[name]])
  await fill(name)
  log(`${name}: ${await describeSize(name)}`)
}
await measureReads()
for (const batch of [[], ['--batch', '4000']]) {
  for (const name of names) {
    const { seconds } = await timeLoad(bench, more.file, more.count, databases[name], batch)
    log(`${name}: load ${batch.join(' ')}: ${(more.count / seconds).toFixed(0)} lines per second`)
    // The next load inserts the same lines.
    await deleteLoaded(name)
  }
}
await bench.close()
await cluster.remove()

function* generateAccounts(): Generator<string> {
  for (let customer = 1; customer <= customers; customer += 1) {
    const customerId = `c-${customer}`
    yield toLine('customer', {
      id: customerId,
      name: 'Ana Silva',
      email: `c${customer}@example.com`,
    })
    const holders = [{ customerId, isOwned: true }]
    const creationDate = '2020-01-01T00:00:00Z'
    for (let account = 1; account <= bankingAccounts; account += 1) {
      const record = { accountId: `b-${customer}-${account}`, creationDate }
      yield toLine('banking.account', record, holders)
    }
    for (let account = 1; account <= energyAccounts; account += 1) {
      yield toLine(
        'energy.account',
        { accountId: `e-${customer}-${account}`, creationDate },
        holders,
      )
    }
  }
}

/** Appended to many accounts, in time order. */
function* generateTransactions(): Generator<string> {
  const start = Temporal.Now.instant()
  for (let line = 0; line < loadedLines; line += 1) {
    const customer = (line % customers) + 1
    const account = (Math.floor(line / customers) % bankingAccounts) + 1
    yield toLine('banking.transaction', {
      accountId: `b-${customer}-${account}`,
      transactionId: `load-${line}`,
      type: 'PAYMENT',
      status: 'POSTED',
      description: 'Corner Bakery',
      postingDateTime: start.add({ milliseconds: line }).toString(),
      amount: '-12.50',
      reference: 'Card 1234',
    })
  }
}

function toLine(type: string, record: object, holders?: readonly object[]): string {
  return JSON.stringify({ type, ...(holders && { holders }), record })
}

/** The newest entry is the one with the highest ordinal, one hour old. */
async function fill(name: Name): Promise<void> {
  const time = `(extract(epoch from now())::bigint - (${entriesPerAccount} - g) * 20000 - 3600)`
  const timestamp = `to_char(to_timestamp(${time}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
  const distribute = (table: string) =>
    isCluster(name)
      ? `select create_distributed_table('${table}', 'account', colocate_with => 'entry');`
      : ''
  await runSql(
    databases[name],
    `create table bench_account (account bigint, list smallint, id text);
     ${distribute('bench_account')}
     insert into bench_account
     select number, case kind when 1 then ${listCodes.transaction} else ${listCodes.billing} end, id
     from account;`,
  )
  await runSql(
    databases[name],
    `insert into entry (account, list, has_own_time, ordinal, time, id, description, reference, record)
     select a.account, a.list, true, g, ${time} * 1000000000, 't-' || g,
       case when g % 10 = 0 then 'corner bakery' else 'paperbark pharmacy' end, 'card 1234',
       case when a.list = ${listCodes.transaction} then
         format('{"accountId":"%s","transactionId":"t-%s","isDetailAvailable":false,"type":"PAYMENT","status":"POSTED","description":"%s","postingDateTime":"%s","amount":"-12.50","reference":"Card 1234"}',
           a.id, g, case when g % 10 = 0 then 'Corner Bakery' else 'Paperbark Pharmacy' end, ${timestamp})
       else
         format('{"accountId":"%s","executionDateTime":"%s","transactionUType":"payment","payment":{"amount":"120.00","method":"card"}}',
           a.id, ${timestamp})
       end
     from bench_account a
     -- Account by account: any other order writes the indexes at random.
     cross join lateral (select generate_series(1, ${entriesPerAccount} + 0 * a.list) as g) g`,
  )
  if (isCluster(name)) {
    await runSql(
      databases[name],
      `insert into entry_state select account, 1 from bench_account;
       insert into account_state select number, 1 from account`,
    )
  }
  await runSql(databases[name], 'vacuum analyze')
}

async function describeSize(name: Name): Promise<string> {
  const size = isCluster(name)
    ? `citus_total_relation_size('entry')`
    : `(select sum(pg_total_relation_size(relid)) from pg_partition_tree('entry'))`
  const { rows } = await runSql(
    databases[name],
    `select pg_size_pretty(${size}) as size, count(*) as entries from entry`,
  )
  return `${rows[0].entries} entries, ${rows[0].size}`
}

async function measureReads(): Promise<void> {
  const servers = {
    'one server': await serveProvider(bench, databases['one server']),
    cluster: await serveProvider(bench, databases.cluster),
  }
  const [coordinator, ...workers] = await listClusterPids()
  const ofCluster = (...databasePids: number[]) => ({ server: servers.cluster, databasePids })
  const candidates = {
    'one server': { server: servers['one server'], databasePids: [readPostgresPid(bench)] },
    cluster: ofCluster(coordinator, ...workers),
  }
  for (const [about, requests] of Object.entries(createRequests())) {
    for (const connections of [1, 16]) {
      const measured = await compare(bench, {
        candidates: {
          ...candidates,
          // A server accepts each token once.
          'cluster, coordinator': { ...ofCluster(coordinator), requests },
        },
        requests,
        requestCount,
        rounds: Number(flags.rounds),
        connections,
      })
      for (const [name, { cpu, databaseCpu = 0, p50, p99 }] of Object.entries(measured)) {
        log(
          `${about}, ${connections} connections, ${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ` +
            `CPU ${cpu.toFixed(0)} + ${databaseCpu.toFixed(0)} µs`,
        )
      }
    }
  }
  for (const name of names) await servers[name].stop()
}

/** Different accounts in each request: the data must not be in the caches of the CPU. */
function createRequests(): Readonly<Record<string, readonly BenchRequest[]>> {
  const sampled = Array.from({ length: sampledAccounts }, (_, index) => {
    const customer = (index % customers) + 1
    return {
      customer: `c-${customer}`,
      account: `b-${customer}-${((index * 7919) % bankingAccounts) + 1}`,
    }
  })
  const transactions = (query: string) =>
    sampled.map(({ customer, account }) => createTransactionsRequest(customer, account, query))
  return {
    B3: transactions(''),
    'B3, last page': transactions(
      `oldest-time=1970-01-01T00:00:00Z&page=${entriesPerAccount / 25}`,
    ),
    'B3, text': transactions('oldest-time=1970-01-01T00:00:00Z&text=bakery'),
    E5: Array.from({ length: customers }, (_, index) => ({
      method: 'POST',
      path: `/v1/energy/customer/c-${index + 1}/accounts/billing`,
      body: formatAccountsBody(
        Array.from({ length: energyAccounts }, (_, account) => `e-${index + 1}-${account + 1}`),
      ),
      algorithm: 'ES256',
    })),
  }
}

/** The main process of each node, which is the parent of its checkpointer; that of the coordinator is first. */
async function listClusterPids(): Promise<[number, ...number[]]> {
  const checkpointer = `select pid from pg_stat_activity where backend_type = 'checkpointer'`
  const workers = await runSql(
    databases.cluster,
    `select result::integer as pid from run_command_on_workers($$${checkpointer}$$)`,
  )
  const coordinator = await runSql(databases.cluster, checkpointer)
  const readParent = ({ pid }: { readonly pid: number }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
  }
  return [readParent(coordinator.rows[0]), ...workers.rows.map(readParent)]
}

async function deleteLoaded(name: Name): Promise<void> {
  await runSql(databases[name], `delete from entry where id like 'load-%'`)
}

function log(text: string): void {
  console.log(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${text}`)
}
