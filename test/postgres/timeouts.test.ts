import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import type { ReplayStore } from '../../src/auth/replay-store.ts'
import { ContractError } from '../../src/contract/index.ts'
import { toProductContent } from '../../src/platform/catalogue/product.ts'
import type { CatalogueStore } from '../../src/platform/catalogue/store.ts'
import {
  createDatabase,
  openCatalogueStore,
  openProviderStore,
  openReplayStore,
} from '../../src/storage/open.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { openQuery } from '../../src/storage/postgres/driver/statements.ts'
import { describeOn, runSql } from '../support/engines.ts'
import { inTime } from '../support/patience.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'

/** The timeout of calls. */
const timeoutMs = 1000

const clock = () => Temporal.Now.instant()
const keptUntil = Math.floor(Date.now() / 1000) + 1000

let server: PostgresServer
let database: string
let opened: Promise<void> | undefined
before(() => {
  opened = openServer()
  return opened
})
// Without a test that matches the filter of a run, it is called before the other hook has ended.
after(async () => {
  await opened
  await server?.remove()
})

async function openServer(): Promise<void> {
  server = await makePostgres()
  await server.start()
  database = server.url()
  await createDatabase(database)
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

/** Checks that all calls fail as unavailable, and in time. */
async function assertUnavailable(...calls: Promise<unknown>[]): Promise<void> {
  for (const outcome of await inTime(Promise.allSettled(calls))) {
    assert.equal(outcome.status, 'rejected')
    assert.ok(isUnavailable(outcome.reason), String(outcome.reason))
  }
}

/** Waits until this many connections of the code under test meet the condition. */
async function untilBackends(condition: string, count: number): Promise<void> {
  const sql = `select count(*) from pg_stat_activity
    where application_name = 'holdfast' and ${condition}`
  for (;;) {
    const [[found] = []] = await runSql(sql, database)
    if (Number(found) === count) return
    await setTimeout(10)
  }
}

/**
 * Retries until the call succeeds: on a busy machine, one that nothing blocks can take longer than the timeout. Every
 * failure must be an outage.
 */
async function untilAnswered<Result>(query: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await query()
    } catch (error) {
      assert.ok(isUnavailable(error), String(error))
      await setTimeout(10)
    }
  }
}

/** Records the use of a new token and returns it. Each attempt has its own: a use that failed may have been recorded. */
async function recordNewUse(replay: ReplayStore, name: string): Promise<string> {
  let attempts = 0
  const recorded = await untilAnswered(async () => {
    attempts += 1
    const token = `${name} ${attempts}`
    return { token, outcome: await replay.recordUse(token, keptUntil) }
  })
  assert.equal(recorded.outcome, 'first use')
  return recorded.token
}

/** Locks a table in another session. */
async function lockTable(table: string): Promise<{ release(): Promise<void> }> {
  const holder = new pg.Client({ connectionString: database })
  await holder.connect()
  await holder.query(`begin; lock table ${table}`)
  return { release: () => holder.end() }
}

async function addProduct(catalogue: CatalogueStore, id: string, key: string): Promise<unknown> {
  const content = toProductContent({
    brand: 'B',
    description: 'D',
    is_tailored: false,
    name: 'N',
    product_category: 'TERM_DEPOSITS',
  })
  const change = { by: { id: 'x', name: 'x' }, clock }
  return catalogue.create({ id, ...content, idempotency: { key, digest: 'd' } }, change)
}

describeOn('postgres', 'a server that stops responding', () => {
  it('fails every call, and is used again when it responds', async (t) => {
    const options = { timeoutMs }
    const store = await openProviderStore(database, options)
    const replay = await openReplayStore(database, clock, options)
    const catalogue = await openCatalogueStore(database, options)
    t.after(() => store.close())
    t.after(() => replay.close())
    t.after(() => catalogue.close())
    const recordUse = (id: string) => replay.recordUse(id, keptUntil)
    assert.deepEqual(await untilAnswered(() => store.readCustomer('c1')), { missing: 'customer' })
    const before = await recordNewUse(replay, 'before')

    server.freeze()
    try {
      // More groups of uses than are sent at once: the last ones wait behind others.
      const late = setTimeout(timeoutMs / 2).then(() => recordUse('late'))
      const turns = Array.from({ length: 8 }, (_, turn) =>
        setTimeout(turn * 10).then(() => recordUse(`during ${turn}`)),
      )
      await assertUnavailable(
        ...turns,
        late,
        store.readCustomer('c1'),
        store.readCustomer('c2'),
        catalogue.read('p1'),
        addProduct(catalogue, 'frozen', 'frozen'),
      )
    } finally {
      server.thaw()
    }

    assert.deepEqual(await untilAnswered(() => store.readCustomer('c1')), { missing: 'customer' })
    await recordNewUse(replay, 'after')
    assert.equal(await untilAnswered(() => recordUse(before)), 'used before')
    await untilBackends(`state <> 'idle'`, 0)
  })
})

describeOn('postgres', 'a synchronous standby that is unreachable', () => {
  const requireStandby = async (name: string) => {
    await runSql(`alter system set synchronous_standby_names = '${name}'`, database)
    await runSql('select pg_reload_conf()', database)
    for (;;) {
      const [[now] = []] = await runSql('show synchronous_standby_names', database)
      if (now === name) return
    }
  }
  const waiting = `wait_event = 'SyncRep'`
  const listUnrecorded = async (tokens: readonly string[]) => {
    const recorded = (await runSql('select token_id from token_use', database)).flat()
    return tokens.filter((token) => !recorded.includes(JSON.stringify(token)))
  }

  it('fails tokens in time, accepts none of them later, and leaves no backend running', async (t) => {
    const before = await openReplayStore(database, clock, { timeoutMs })
    const replicated = await recordNewUse(before, 'replicated')
    await before.close()
    const turns = ['unreplicated 1', 'unreplicated 2', 'unreplicated 3']

    await requireStandby('missing')
    // On new connections: a connection applies a changed setting some time after it was changed.
    const replay = await openReplayStore(database, clock, { timeoutMs })
    t.after(() => replay.close())
    const recordUse = (token: string) => replay.recordUse(token, keptUntil)
    try {
      // On a busy machine, the timeout may pass before a use is sent.
      for (
        let unsent: readonly string[] = turns;
        unsent.length > 0;
        unsent = await listUnrecorded(turns)
      ) {
        for (const token of unsent) {
          await assertUnavailable(recordUse('unreplicated'), recordUse(token))
        }
        await untilBackends(waiting, 0)
      }
    } finally {
      await requireStandby('')
    }

    await recordNewUse(replay, 'another')
    for (const token of ['unreplicated', ...turns, replicated]) {
      assert.equal(await untilAnswered(() => recordUse(token)), 'used before', token)
    }
  })

  it('fails a token if an administrator cancels the wait', async (t) => {
    await requireStandby('missing')
    const replay = await openReplayStore(database, clock, { timeoutMs: 60_000 })
    t.after(() => replay.close())
    try {
      const recorded = replay.recordUse('cancelled', keptUntil)
      recorded.catch(() => {})
      await untilBackends(waiting, 1)
      await runSql(`select pg_cancel_backend(pid) from pg_stat_activity where ${waiting}`, database)
      await assertUnavailable(recorded)
    } finally {
      await requireStandby('')
    }
  })
})

describeOn('postgres', 'a lock that is not released', () => {
  const customers = 'select count(*) from customer'
  const products = 'select count(*) from product where id = $1'

  it('fails the statements that need it in time, even if many share a connection', async (t) => {
    const pool = makePool(database, 'read', { timeoutMs, connections: 2 })
    t.after(() => pool.end())
    const query = openQuery(pool)
    await untilAnswered(() => query(customers, []))
    const lock = await lockTable('product')

    try {
      await assertUnavailable(...Array.from({ length: 16 }, (_, id) => query(products, [`${id}`])))
      await untilBackends(`wait_event_type = 'Lock'`, 0)
    } finally {
      await lock.release()
    }
    assert.equal((await untilAnswered(() => query(products, ['after']))).length, 1)
  })

  it('does not fail a statement that was sent behind one that needs it', async (t) => {
    const pool = makePool(database, 'read', { timeoutMs: 5000 })
    t.after(() => pool.end())
    const query = openQuery(pool)
    const lock = await lockTable('product')

    const [needed, other] = [query(products, ['1']), query(customers, [])]
    try {
      assert.equal((await other).length, 1)
    } finally {
      await lock.release()
    }
    assert.equal((await needed).length, 1, 'the statement had time left')
  })

  it('fails a change of the catalogue in time, although it has several statements', async (t) => {
    const catalogue = await openCatalogueStore(database, { timeoutMs })
    t.after(() => catalogue.close())
    const lock = await lockTable('product')

    try {
      await assertUnavailable(
        addProduct(catalogue, 'p1', 'k1'),
        addProduct(catalogue, 'p2', 'k1'),
        addProduct(catalogue, 'p3', 'k1'),
      )
      await untilBackends(`wait_event_type = 'Lock'`, 0)
    } finally {
      await lock.release()
    }
    const added = await untilAnswered(() => addProduct(catalogue, 'p4', 'k4'))
    assert.partialDeepStrictEqual(added, { version: 1 })
  })
})

describeOn('postgres', 'a pool whose connections are all in use', () => {
  it('fails the calls that wait for one in time, and causes no other error', async (t) => {
    const pool = makePool(database, 'read', { timeoutMs, connections: 1 })
    t.after(() => pool.end())
    const query = openQuery(pool)
    const one = 'select 1'
    await untilAnswered(() => query(one, []))
    const connection = await pool.connect()

    try {
      await assertUnavailable(query(one, []), query({ text: one, isLong: true }, []))
      // The pool times out later than the calls. An error in it would be uncaught.
      while (pool.waitingCount > 0) await setTimeout(10)
    } finally {
      connection.release()
    }
    const two = 'select 2'
    assert.equal((await untilAnswered(() => query(two, []))).length, 1)
  })
})
