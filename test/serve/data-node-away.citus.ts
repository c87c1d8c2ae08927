import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import pg from 'pg'
import { dumpProvider, openFeedWriter, openProviderWriter } from '../../src/storage/open.ts'
import { lockSession, unlockSession } from '../../src/storage/postgres/driver/locks.ts'
import { put } from '../load/lines.ts'
import { sampleValue, scrape } from '../observe/scrape.ts'
import { findDataNodes, useCluster } from '../support/citus.ts'
import { startCluster } from '../support/citus-cluster.ts'
import { openDeployment } from '../support/deployment.ts'
import {
  createScope,
  describeOnCitus,
  listSessions,
  newDatabase,
  runSql,
  type Scope,
} from '../support/engines.ts'
import { commitOne, createBatch } from '../support/feed.ts'
import { send } from '../support/http.ts'
import { dumpDatabase, loadInProcess } from '../support/load.ts'
import { inTime } from '../support/patience.ts'
import { requestToken } from '../support/platform.ts'
import { until } from '../support/until.ts'

// No other test may use a cluster whose data nodes fail.
const cluster = await startCluster(2)
useCluster(cluster.url)
after(() => cluster.remove())

const accountIds = Array.from({ length: 12 }, (_, index) => `a${index}`)
const energyIds = Array.from({ length: 12 }, (_, index) => `e${index}`)
const lines = [
  put.customer('c1'),
  ...accountIds.flatMap((id) => [put.account(id, ['c1']), put.transaction(id, 't1')]),
  ...energyIds.flatMap((id) => [put.energyAccount(id, ['c1']), put.invoice(id, `i-${id}`)]),
]
const more = accountIds.map((id) => put.transaction(id, 't2'))

/** A provider and an intake, accounts on all data nodes, and one data node that fails in the test. */
async function openBank(scope: Scope) {
  const database = await newDatabase(scope)
  await loadInProcess(database, lines)
  const deployment = await openDeployment(scope, database)
  const provider = await deployment.openProvider({ 'metrics-port': '0' })
  const intake = await deployment.openIntake()
  const token = await requestToken(intake.port, await deployment.addClient('core', 'data.write'))
  const dataNodes = await findDataNodes(database)
  const dataNode = dataNodes.get('a0') ?? ''
  const isAffected = (id: string) => dataNodes.get(id) === dataNode

  const ready = async (server: { readonly port: number } = provider) => {
    const { status, text } = await send(server.port, '/health/ready')
    return `${status} ${text}`
  }
  return {
    database,
    deployment,
    provider,
    intake,
    dataNode,
    affected: accountIds.filter(isAffected),
    others: accountIds.filter((id) => !isAffected(id)),
    otherEnergyIds: energyIds.filter((id) => !isAffected(id)),
    ready,
    untilReady: (expected: string) =>
      until(async () => (await ready()) === expected && (await ready(intake)) === expected),
    /** B3 */
    listTransactions: (id: string) =>
      deployment.ask(
        provider,
        `/v1/banking/customer/c1/accounts/${id}/transactions?oldest-time=2000-01-01T00:00:00Z`,
      ),
    /** E3 */
    listInvoices: (ids: readonly string[]) =>
      deployment.ask(
        provider,
        '/v1/energy/customer/c1/accounts/invoices?oldest-date=2000-01-01',
        {},
        JSON.stringify({ data: { accountIds: ids } }),
      ),
    sendBatch: (batch: readonly string[]) =>
      send(intake.port, '/v1/feeds/core/batches/1', {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        body: batch.join('\n'),
      }),
    isUp: async () =>
      sampleValue(await scrape(provider), 'holdfast_data_node_up', { node: dataNode }),
    logged: () =>
      provider
        .log()
        .filter(({ dataNode }) => dataNode !== undefined)
        .map(({ level, dataNode, msg }) => [level, dataNode, msg]),
  }
}

type Bank = Awaited<ReturnType<typeof openBank>>

async function assertUnavailable(answer: Response): Promise<void> {
  assert.deepEqual([answer.status, await answer.text()], [503, '{"error":"Service unavailable"}'])
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

async function countTransactions({ listTransactions }: Bank, id: string): Promise<number> {
  const answer = await listTransactions(id)
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text).data.transactions.length
}

/** Asserts what is served while the data node is away. */
async function assertServed(bank: Bank): Promise<void> {
  const { affected, others, otherEnergyIds } = bank
  assert.ok(affected.length > 0 && others.length > 0 && otherEnergyIds.length > 1)
  for (const id of affected) await assertUnavailable(await bank.listTransactions(id))
  for (const id of others) assert.equal(await countTransactions(bank, id), 1)
  const invoices = await bank.listInvoices(otherEnergyIds)
  assert.equal(invoices.status, 200)
  const { data } = (await invoices.json()) as { data: { invoices: unknown[] } }
  assert.equal(data.invoices.length, otherEnergyIds.length)
  await assertUnavailable(await bank.listInvoices(energyIds))
}

const degraded = '200 {"status":"degraded"}'
const ok = '200 {"status":"ok"}'

describeOnCitus('while a data node is stopped', () => {
  it('its accounts are unavailable, and all others are served; both recover without a restart', async (t) => {
    const scope = createScope(t)
    const bank = await openBank(scope)
    const { database, dataNode } = bank
    await bank.untilReady(ok)
    assert.equal(await bank.isUp(), 1)
    const before = await dumpDatabase(database)

    await cluster.findDataNode(dataNode).stop('crash')
    try {
      await inTime(assertServed(bank))
      await bank.untilReady(degraded)
      assert.equal(await bank.isUp(), 0)
      await assert.rejects(inTime(loadInProcess(database, more)), {
        message: `the data node ${dataNode} of the database is unreachable: run the load again when it is back (uncommitted changes were discarded)`,
      })
      const batch = await inTime(bank.sendBatch(more))
      assert.deepEqual([batch.status, batch.text], [503, '{"error":"Service unavailable"}'])
      assert.match(batch.headers['retry-after'] ?? '', /^[1-9]\d*$/)
    } finally {
      await cluster.findDataNode(dataNode).start()
    }

    await bank.untilReady(ok)
    await until(async () => (await bank.isUp()) === 1)
    for (const id of accountIds) assert.equal(await countTransactions(bank, id), 1)
    assert.equal(await dumpDatabase(database), before)
    assert.deepEqual(bank.logged(), [
      [40, dataNode, 'data node unreachable'],
      [30, dataNode, 'data node reachable again'],
    ])
    assert.equal((await bank.sendBatch(more)).status, 200)
    await loadInProcess(database, more)
    for (const id of accountIds) assert.equal(await countTransactions(bank, id), 2)
  })

  it('a commit that it has only prepared is never served in part, and is completed afterwards', async (t) => {
    const scope = createScope(t)
    const bank = await openBank(scope)
    const { database, dataNode } = bank
    const setStandby = async (name: string) => {
      await runSql(`alter system set synchronous_standby_names = '${name}'`, database)
      await runSql('select pg_reload_conf()', database)
    }

    const untilWaiting = (event: string) =>
      until(async () => {
        const waiting = `select from pg_stat_activity
          where wait_event = '${event}' and datname = current_database()`
        return (await runSql(waiting, database)).length > 0
      })

    const other = new pg.Client({ connectionString: database })
    await other.connect()
    scope.after(() => other.end())
    await other.query(lockSession)
    const loaded = loadInProcess(database, more)
    await untilWaiting('advisory')
    // The coordinator commits, and waits, after all data nodes have prepared and before they commit.
    await setStandby('missing')
    try {
      await other.query(unlockSession)
      await untilWaiting('SyncRep')
      await cluster.findDataNode(dataNode).stop('crash')
    } finally {
      await setStandby('')
    }
    await loaded
    await cluster.findDataNode(dataNode).start()

    await until(async () => (await bank.ready()) === ok)
    await assertUnavailable(await bank.listTransactions(bank.affected[0] ?? ''))
    for (const id of bank.others) assert.equal(await countTransactions(bank, id), 2)
    // Citus does this every minute.
    await runSql('select recover_prepared_transactions()', database)
    for (const id of accountIds) {
      await until(async () => (await bank.listTransactions(id)).status === 200)
      assert.equal(await countTransactions(bank, id), 2)
    }
  })
})

describeOnCitus('while a data node does not respond', () => {
  it('its accounts are unavailable, and delay no request for others', async (t) => {
    const scope = createScope(t)
    const bank = await openBank(scope)
    const { dataNode, affected, others } = bank
    for (const id of accountIds) assert.equal(await countTransactions(bank, id), 1)
    const [first = '', other = ''] = [affected[0], others[0]]

    cluster.findDataNode(dataNode).freeze()
    try {
      // More than there are connections.
      const requests = Array.from({ length: 50 }, () => bank.listTransactions(first))
      const stuck = inTime(Promise.all(requests))
      let isStuck = true
      stuck.finally(() => {
        isStuck = false
      })
      let served = 0
      while (isStuck) {
        assert.equal(await countTransactions(bank, other), 1)
        served += 1
      }
      for (const answer of await stuck) await assertUnavailable(answer)
      assert.ok(served > 0)

      await inTime(assertServed(bank))
      await bank.untilReady(degraded)
    } finally {
      cluster.findDataNode(dataNode).thaw()
    }

    await bank.untilReady(ok)
    for (const id of accountIds) {
      await until(async () => (await bank.listTransactions(id)).status === 200)
      assert.equal(await countTransactions(bank, id), 1)
    }
  })

  it('a load and a feed that are connected to it can be aborted, and a dump fails', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    await loadInProcess(database, lines)
    const before = await dumpDatabase(database)
    const dataNode = (await findDataNodes(database)).get('a0') ?? ''
    const controller = new AbortController()
    const { signal } = controller
    const options = { abortMs: 500, timeoutMs: 500 }
    const loadTime = Temporal.Now.instant()
    const load = await openProviderWriter(database, { loadTime, inBatches: true, signal }, options)
    const feed = await openFeedWriter(database, { clock: () => loadTime, signal }, options)
    // Both are connected to all data nodes.
    const first = createBatch('core', 1, lines)
    await load.write(first.items)
    await load.commit()
    assert.ok('result' in (await commitOne(feed, first)))
    const second = createBatch('core', 2, more)
    await load.write(second.items)

    cluster.findDataNode(dataNode).freeze()
    try {
      const dumped = inTime(Array.fromAsync(dumpProvider(database, options)))
      await assert.rejects(dumped, { code: 'unavailable' })
      // One of them has the lock of loads, for which the other one waits.
      const commits = [load.commit(), feed.commit([second])]
      const settled = inTime(Promise.allSettled(commits))
      await until(async () => (await listSessions(database, `wait_event = 'advisory'`)).length > 0)
      controller.abort()
      for (const outcome of await settled) {
        assert.ok(outcome.status === 'rejected')
        assert.equal(outcome.reason.name, 'AbortError')
      }
      await inTime(load.close())
      await inTime(feed.close())
    } finally {
      cluster.findDataNode(dataNode).thaw()
    }

    assert.equal(await dumpDatabase(database), before)
    await loadInProcess(database, more)
  })
})
