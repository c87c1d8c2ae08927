import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { toProductContent } from '../../src/catalogue/product.ts'
import type { CatalogueStore } from '../../src/catalogue/store.ts'
import { ContractError } from '../../src/contract/index.ts'
import {
  createDatabase,
  openCatalogueStore,
  openProviderStore,
  openReplayStore,
} from '../../src/storage/open.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { openAsking } from '../../src/storage/postgres/driver/statements.ts'
import { asOwner, describeOn } from '../support/engines.ts'
import { makePostgres, type PostgresServer } from '../support/postgres.ts'

/** What a call may take here, and what no test should come near: the next bound that is not ours is a multiple. */
const timeoutMs = 1000
const muchTooLateMs = 4500

const clock = () => Temporal.Now.instant()
const keptUntil = Math.floor(Date.now() / 1000) + 1000

let server: PostgresServer
let database: string
before(async () => {
  server = await makePostgres()
  await server.start()
  database = server.url()
  await createDatabase(database)
})
after(() => server.remove())

function isUnavailable(error: unknown): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

/** All of them fail as an outage, and soon. */
async function assertUnavailable(...calls: Promise<unknown>[]): Promise<void> {
  const started = performance.now()
  for (const outcome of await Promise.allSettled(calls)) {
    assert.equal(outcome.status, 'rejected')
    assert.ok(isUnavailable(outcome.reason), String(outcome.reason))
  }
  assert.ok(performance.now() - started < muchTooLateMs, 'it took too long')
}

/** Waits until the connections that the programs under test have to the server are as the condition says. */
async function untilBackends(condition: string, count: number): Promise<void> {
  const sql = `select count(*) from pg_stat_activity
    where application_name = 'holdfast' and ${condition}`
  for (;;) {
    const [[found] = []] = await asOwner(sql, database)
    if (Number(found) === count) return
    await setTimeout(10)
  }
}

async function untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      assert.ok(isUnavailable(error), String(error))
      await setTimeout(10)
    }
  }
}

/** Another session that holds a lock until it is closed. */
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

describeOn('postgres', 'a server that stops answering', { timeout: 60_000 }, () => {
  it('is an outage for every call in time, and used again when it goes on', async (t) => {
    const options = { timeoutMs }
    const store = await openProviderStore(database, options)
    const claims = await openReplayStore(database, clock, options)
    const catalogue = await openCatalogueStore(database, options)
    t.after(() => store.close())
    t.after(() => claims.close())
    t.after(() => catalogue.close())
    const claim = (id: string) => claims.recordUse(id, keptUntil)
    assert.equal(await store.readCustomer('c1'), undefined)
    assert.equal(await claim('before'), 'first use')

    server.freeze()
    try {
      // More groups of claims than are sent at once: the last ones wait behind others.
      const late = setTimeout(timeoutMs / 2).then(() => claim('late'))
      const turns = Array.from({ length: 8 }, (_, turn) =>
        setTimeout(turn * 10).then(() => claim(`during ${turn}`)),
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

    assert.equal(await untilAnswered(() => store.readCustomer('c1')), undefined)
    assert.equal(await untilAnswered(() => claim('after')), 'first use')
    assert.equal(await claim('before'), 'used before')
    await untilBackends(`state <> 'idle'`, 0)
  })
})

describeOn('postgres', 'a synchronous standby that is unreachable', { timeout: 60_000 }, () => {
  const requireStandby = async (name: string) => {
    await asOwner(`alter system set synchronous_standby_names = '${name}'`, database)
    await asOwner('select pg_reload_conf()', database)
    for (;;) {
      const [[now] = []] = await asOwner('show synchronous_standby_names', database)
      if (now === name) return
    }
  }
  const waiting = `wait_event = 'SyncRep'`

  it('fails tokens in time, accepts none of them later, and leaves no backend behind', async (t) => {
    const claims = await openReplayStore(database, clock, { timeoutMs })
    t.after(() => claims.close())
    assert.equal(await claims.recordUse('replicated', keptUntil), 'first use')

    await requireStandby('nobody')
    try {
      for (const turn of [1, 2, 3]) {
        await assertUnavailable(
          claims.recordUse('unreplicated', keptUntil),
          claims.recordUse(`unreplicated ${turn}`, keptUntil),
        )
      }
      await untilBackends(waiting, 0)
    } finally {
      await requireStandby('')
    }

    assert.equal(await untilAnswered(() => claims.recordUse('another', keptUntil)), 'first use')
    for (const id of ['unreplicated', 'unreplicated 1', 'unreplicated 3', 'replicated']) {
      assert.equal(await claims.recordUse(id, keptUntil), 'used before', id)
    }
  })

  it('fails a token also where an administrator cancels the wait', async (t) => {
    const claims = await openReplayStore(database, clock, { timeoutMs: 60_000 })
    t.after(() => claims.close())

    await requireStandby('nobody')
    try {
      const claimed = claims.recordUse('cancelled', keptUntil)
      claimed.catch(() => {})
      await untilBackends(waiting, 1)
      await asOwner(
        `select pg_cancel_backend(pid) from pg_stat_activity where ${waiting}`,
        database,
      )
      await assertUnavailable(claimed)
    } finally {
      await requireStandby('')
    }
  })
})

describeOn('postgres', 'a lock that is not released', { timeout: 60_000 }, () => {
  const customers = { name: 'customers', text: 'select count(*) from customer' }
  const products = { name: 'products', text: 'select count(*) from product where id = $1' }

  it('fails the statements that need it in time, however many share a connection', async (t) => {
    const pool = makePool(database, 'read', { timeoutMs, connections: 2 })
    t.after(() => pool.end())
    const ask = openAsking(pool)
    await ask(customers, [])
    const lock = await lockTable('product')

    try {
      await assertUnavailable(...Array.from({ length: 16 }, (_, id) => ask(products, [`${id}`])))
      await untilBackends(`wait_event_type = 'Lock'`, 0)
    } finally {
      await lock.release()
    }
    assert.equal((await ask(products, ['after'])).length, 1)
  })

  it('does not fail a statement that was sent behind one that needs it', async (t) => {
    const pool = makePool(database, 'read', { timeoutMs: 5000 })
    t.after(() => pool.end())
    const ask = openAsking(pool)
    const lock = await lockTable('product')

    const [needed, neighbour] = [ask(products, ['1']), ask(customers, [])]
    try {
      assert.equal((await neighbour).length, 1)
    } finally {
      await lock.release()
    }
    assert.equal((await needed).length, 1, 'it had time left')
  })

  it('fails a change of the catalogue in time, however many statements it has', async (t) => {
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
    assert.partialDeepStrictEqual(await addProduct(catalogue, 'p4', 'k4'), { version: 1 })
  })
})

describeOn('postgres', 'a pool whose connections are all in use', { timeout: 60_000 }, () => {
  it('fails the calls that wait for one in time, and causes no other error', async (t) => {
    const pool = makePool(database, 'read', { timeoutMs, connections: 1 })
    t.after(() => pool.end())
    const ask = openAsking(pool)
    const connection = await pool.connect()

    try {
      const one = { name: 'one', text: 'select 1' }
      await assertUnavailable(ask(one, []), ask({ ...one, name: 'long', isLong: true }, []))
      // The pool gives up later than the calls do. An error in it would be an uncaught one.
      while (pool.waitingCount > 0) await setTimeout(10)
    } finally {
      connection.release()
    }
    assert.equal((await ask({ name: 'two', text: 'select 2' }, [])).length, 1)
  })
})
