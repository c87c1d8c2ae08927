import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import pg from 'pg'
import type { FeedBatch, FeedWriter } from '../../src/intake/feed-writer.ts'
import { openFeedWriter } from '../../src/storage/open.ts'
import { put } from '../load/lines.ts'
import { createScope, describeOn, listSessions, newDatabase, runSql } from '../support/engines.ts'
import { commitOne, createBatch, passChecks } from '../support/feed.ts'
import { openLossyProxy } from '../support/lossy-proxy.ts'
import { until } from '../support/until.ts'

/** Commits through a proxy. The time of the checks is controlled by the test. */
async function openFeed(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const scope = createScope(t)
  const database = await newDatabase(scope)
  const proxy = await openLossyProxy(scope, database)
  let waits = 0
  const writer = await openFeedWriter(
    proxy.database,
    { clock: () => Temporal.Now.instant(), onWait: () => (waits += 1) },
    { timeoutMs: 1000 },
  )
  scope.after(() => writer.close())
  const other = new pg.Client({ connectionString: database })
  await other.connect()
  scope.after(() => other.end())
  const first = createBatch('core', 1, [put.customer('c1'), put.account('a1', ['c1'])])
  await commitOne(writer, first)
  return {
    database,
    proxy,
    writer,
    other,
    waits: () => waits,
    untilSession: (condition: string) =>
      until(async () => (await listSessions(database, condition)).length > 0),
  }
}

/** Lets time pass until a call ends. */
async function passTime(t: TestContext, call: Promise<unknown>): Promise<void> {
  let isEnded = false
  const end = () => {
    isEnded = true
  }
  call.then(end, end)
  await until(() => {
    t.mock.timers.tick(1000)
    return isEnded
  })
}

/** Asserts that a call fails because its connection does not respond. */
async function assertLost(t: TestContext, call: Promise<unknown>): Promise<void> {
  const failed = assert.rejects(call, (error: Error & { code?: string }) => {
    assert.equal(error.code, 'unavailable')
    assert.equal((error.cause as Error).message, 'a connection to the database no longer responds')
    return true
  })
  await passTime(t, failed)
  await failed
}

/** The connections for other statements were lost too: each fails once. */
async function commitAgain(writer: FeedWriter, batch: FeedBatch) {
  for (;;) {
    try {
      return await commitOne(writer, batch)
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'unavailable')
    }
  }
}

const accounts = 'select id from account'
const loadLock = `hashtext('holdfast load')`
const advisoryWait = `wait_event = 'advisory'`

describeOn('postgres', 'a feed whose connection is lost silently', () => {
  it('fails, and commits the same batch on a new connection', async (t) => {
    const { proxy, writer, waits } = await openFeed(t)
    const batch = createBatch('core', 2, [put.balance('a1')])
    proxy.lose()

    await assertLost(t, writer.commit([batch]))

    assert.partialDeepStrictEqual(await commitAgain(writer, batch), { result: { created: 1 } })
    assert.equal(waits(), 0)
  })

  it('fails while it sends lines, and commits the same batch on a new connection', async (t) => {
    const { proxy, writer } = await openFeed(t)
    const reference = 'r'.repeat(250)
    const many = Array.from({ length: 4000 }, (_, id) =>
      put.transaction('a1', `t${id}`, { reference }),
    )
    const batch = createBatch('core', 2, many)
    proxy.lose(200_000)

    await assertLost(t, writer.commit([batch]))

    assert.partialDeepStrictEqual(await commitAgain(writer, batch), {
      result: { created: many.length },
    })
  })

  it('answers a batch with its stored result if only the response to its commit was lost', async (t) => {
    const { database, proxy, writer, other, untilSession } = await openFeed(t)
    await runSql(
      `create function wait_before_commit() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
       create constraint trigger wait_before_commit after insert on account
         deferrable initially deferred for each row execute function wait_before_commit()`,
      database,
    )
    await other.query('select pg_advisory_lock(1)')
    const batch = createBatch('core', 2, [put.account('a2', ['c1'])])
    const committed = writer.commit([batch])
    committed.catch(() => {})
    await untilSession(advisoryWait)
    proxy.lose()
    await other.query('select pg_advisory_unlock(1)')
    await until(async () => (await runSql(accounts, database)).length === 2)

    await assertLost(t, committed)

    assert.partialDeepStrictEqual(await commitAgain(writer, batch), { result: { created: 1 } })
    assert.equal((await runSql(accounts, database)).length, 2)
  })

  it('does not keep the lock that it waited for', async (t) => {
    const { proxy, writer, other, untilSession } = await openFeed(t)
    await other.query(`select pg_advisory_lock(${loadLock})`)
    const batch = createBatch('core', 2, [put.balance('a1')])
    const committed = writer.commit([batch])
    committed.catch(() => {})
    await untilSession(advisoryWait)
    proxy.lose()
    await other.query(`select pg_advisory_unlock(${loadLock})`)
    await untilSession(`state = 'idle in transaction'`)

    await assertLost(t, committed)

    // Otherwise, the lock would be released after two minutes.
    assert.partialDeepStrictEqual(await commitAgain(writer, batch), { result: { created: 1 } })
  })

  it('is not mistaken for one that waits for a load', async (t) => {
    const { database, writer, other, waits } = await openFeed(t)
    await other.query(`select pg_advisory_lock(${loadLock})`)
    const committed = commitOne(writer, createBatch('core', 2, [put.balance('a1')]))

    await passChecks(t, database)
    await other.query(`select pg_advisory_unlock(${loadLock})`)

    assert.partialDeepStrictEqual(await committed, { result: { created: 1 } })
    assert.equal(waits(), 1)
  })
})
