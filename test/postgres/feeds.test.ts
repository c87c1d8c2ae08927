import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { createDatabase, openFeedWriter } from '../../src/storage/open.ts'
import { openCopy } from '../../src/storage/postgres/driver/copy.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { put, removal, undated } from '../load/lines.ts'
import { describeOn, listSessions, runSql } from '../support/engines.ts'
import { commitOne, createBatch, openFeeds } from '../support/feed.ts'
import { makePostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const unavailable = { name: 'ContractError', code: 'unavailable' }
const lines = [put.customer('c1'), put.account('a1', ['c1'])]

/** Takes the lock of loads until it is released. */
async function lockLoads(t: { after(work: () => Promise<void>): void }, database: string) {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  client.on('error', () => {})
  t.after(() => client.end())
  await client.query(`select pg_advisory_lock(hashtext('holdfast load'))`)
  return {
    release: () => client.query(`select pg_advisory_unlock(hashtext('holdfast load'))`),
    /** Ends the connection that waits for the lock, as a failover would. */
    terminateWaiting: () =>
      client.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and not granted`,
      ),
    waiting: async () =>
      (await client.query(`select from pg_locks where locktype = 'advisory' and not granted`))
        .rowCount === 1,
  }
}

const entriesMany = 5000
const early = { postingDateTime: '2025-01-01T00:00:00Z' }

/** Adds a transaction a second to an account that has one. */
async function addManyEntries(database: string): Promise<void> {
  await runSql(
    `insert into entry (account, list, has_own_time, ordinal, time, id, amount, description, reference, record)
     select account, list, has_own_time, ordinal + n, time + n * 1000000000::bigint, 'many-' || n, amount,
       description, reference, record
     from entry, generate_series(1, ${entriesMany}) n`,
    database,
  )
}

/** A number that a query of the temporary tables of all connections returns. */
async function queryTemporary(database: string, column: string): Promise<number> {
  const [row] = await runSql(
    `select ${column} from pg_class where relpersistence = 't' and relkind = 'r'`,
    database,
  )
  return Number(row?.[0])
}

/** The number of rows that all connections have read so far. */
async function countRowsRead(database: string): Promise<number> {
  const [row] = await runSql(
    'select tup_returned from pg_stat_database where datname = current_database()',
    database,
  )
  return Number(row?.[0])
}

describeOn('postgres', 'the writer of feeds', () => {
  it('releases the locks of a batch whose rows cannot be sent completely', async (t) => {
    const { writer } = await openFeeds(t)
    await commitOne(writer, createBatch('core', 1, lines))
    const reference = 'r'.repeat(250)
    const many = Array.from({ length: 4000 }, (_, index) =>
      put.transaction('a1', `t${index}`, { reference }),
    )
    const batch = createBatch('core', 2, many)
    // The record is not a text. By then, the first rows are sent.
    const items = batch.items.map((item, index) =>
      index === many.length - 1 ? Object.assign({}, item, { record: Object.create(null) }) : item,
    )

    await assert.rejects(writer.commit([{ ...batch, items }]), TypeError)

    const outcome = await commitOne(writer, createBatch('core', 2, [put.transaction('a1', 't1')]))
    assert.ok('result' in outcome)
  })

  it('fails when its connection is lost, and connects again', async (t) => {
    const { writer, add, database } = await openFeeds(t)
    await add(...lines)
    const loads = await lockLoads(t, database)
    const batch = createBatch('core', 2, [put.transaction('a1', 't1')])

    const failed = assert.rejects(writer.commit([batch]), unavailable)
    await until(loads.waiting)
    await loads.terminateWaiting()
    await failed
    await loads.release()

    assert.equal(await writer.findOutcome(batch), undefined)
    assert.partialDeepStrictEqual(await commitOne(writer, batch), { result: { created: 1 } })
  })

  it('connects again after its idle connections were terminated', async (t) => {
    const { writer, add, database } = await openFeeds(t)
    await add(...lines)
    await runSql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'holdfast'`,
      database,
    )
    const batch = createBatch('core', 2, [put.transaction('a1', 't1')])

    // The notice that the connection was terminated may arrive after the first statement.
    await until(async () =>
      writer.commit([batch]).then(
        ([outcome]) => outcome !== undefined && 'result' in outcome,
        (error) => {
          assert.equal(error.code, 'unavailable')
          return false
        },
      ),
    )
  })

  it('fails while the server is down, and continues after its restart', async (t) => {
    const server = await makePostgres()
    t.after(() => server.remove())
    await server.start()
    await createDatabase(server.url(), { partitions: 2 })
    const { writer, add } = await openFeeds(t, server.url())
    await add(...lines)
    const batch = createBatch('core', 2, [put.transaction('a1', 't1')])

    await server.stop()
    await assert.rejects(writer.commit([batch]), unavailable)
    await assert.rejects(writer.findOutcome(batch), unavailable)
    await server.start()

    await until(() =>
      writer.findOutcome(batch).then(
        () => true,
        () => false,
      ),
    )
    await until(() =>
      writer.commit([batch]).then(
        ([outcome]) => outcome !== undefined && 'result' in outcome,
        () => false,
      ),
    )
  })

  it('waits for a load no longer than allowed, and says that it waits', async (t) => {
    const { openWriter, database } = await openFeeds(t)
    const loads = await lockLoads(t, database)
    const hasty = await openWriter({ waitMaxMs: 50 })
    let waits = 0
    const patient = await openWriter({ onWait: () => (waits += 1) })
    const batch = createBatch('core', 1, lines)

    await assert.rejects(hasty.commit([batch]), unavailable)
    const committed = commitOne(patient, batch)
    await until(() => waits === 1)
    assert.equal(await hasty.findOutcome(batch), undefined)
    await loads.release()

    assert.partialDeepStrictEqual(await committed, { result: { created: 2 } })
    assert.partialDeepStrictEqual(await commitOne(hasty, batch), { result: { created: 2 } })
  })

  it('stops waiting for a load when it is aborted', async (t) => {
    const { openWriter, database } = await openFeeds(t)
    const loads = await lockLoads(t, database)
    const abort = new AbortController()
    const writer = await openWriter({ signal: abort.signal })

    const failed = assert.rejects(writer.commit([createBatch('core', 1, lines)]), {
      name: 'AbortError',
    })
    await until(loads.waiting)
    abort.abort()

    await failed
  })

  it('removes nothing of a feed that is being written', async (t) => {
    const { writer, store, add } = await openFeeds(t)
    for (let round = 0; round < 5; round += 1) {
      const number = ((await store.find('core'))?.batch ?? 0) + 1
      await Promise.all([
        commitOne(writer, createBatch('core', number, [put.customer('c1')])),
        store.remove('core'),
      ])
    }
    await store.remove('core')

    assert.partialDeepStrictEqual(await add(put.customer('c1')), { unchanged: 1 })
  })

  it('commits groups of thousands of lines like small ones', async (t) => {
    const { writer, add } = await openFeeds(t)
    await add(...lines)
    const transactions = Array.from({ length: 3000 }, (_, index) =>
      put.transaction('a1', `t${index}`),
    )

    const outcomes = await writer.commit([
      createBatch('one', 1, transactions),
      createBatch('two', 1, [...transactions.slice(1), put.transaction('a1', 'last')]),
      createBatch('three', 1, [put.balance('missing')]),
    ])

    assert.partialDeepStrictEqual(outcomes, [
      { result: { created: 3000, unchanged: 0 } },
      { result: { created: 1, unchanged: 2999 } },
      { errors: [{ line: 1 }] },
    ])
  })

  it('leaves no rows of a batch that moved many entries', async (t) => {
    const { add, database } = await openFeeds(t)
    await add(...lines, put.transaction('a1', 't1', early))
    await addManyEntries(database)
    const late = { postingDateTime: '2025-01-01T00:00:00.5Z' }
    await add(put.transaction('a1', 'late', late))

    const bytes = await queryTemporary(database, 'sum(pg_relation_size(oid))')
    assert.ok(bytes < 8192 * 20, `${bytes} bytes`)
  })

  it('removes an account with many entries without comparing each with each line', async (t) => {
    const { add, database } = await openFeeds(t)
    await add(...lines, put.transaction('a1', 't1', early))
    await addManyEntries(database)
    const transactions = Array.from({ length: 400 }, (_, id) => put.transaction('a1', `${id}`))
    const batch = [removal('banking.account', { accountId: 'a1' }), ...lines, ...transactions]
    const before = await countRowsRead(database)

    const writer = await openFeedWriter(database, { clock: () => Temporal.Now.instant() })
    const outcome = await commitOne(writer, createBatch('other', 1, batch))
    // A connection that ends writes its statistics.
    await writer.close()
    assert.ok('result' in outcome)
    await until(async () => (await countRowsRead(database)) > before + entriesMany)
    const read = (await countRowsRead(database)) - before
    assert.ok(read < 100 * entriesMany, `${read} rows`)
  })

  it('drops its temporary tables after an hour, and commits on a new connection', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { add, database } = await openFeeds(t)
    await add(...lines)
    assert.ok((await queryTemporary(database, 'count(*)')) > 0)

    t.mock.timers.tick(3_600_000)
    await until(async () => (await queryTemporary(database, 'count(*)')) === 0)
    assert.partialDeepStrictEqual(await add(put.balance('a1')), { created: 1 })
  })

  it('fails with its own error if that is not the reason of the abort', async (t) => {
    const controller = new AbortController()
    const { signal } = controller
    const { openWriter, database } = await openFeeds(t)
    const writer = await openWriter({ signal })
    await runSql(
      `create function reject_later() returns trigger language plpgsql as
         $$ begin perform pg_advisory_xact_lock(1);
           raise exception 'no' using errcode = '23514'; end $$;
       create trigger reject_later before insert on customer
         for each row execute function reject_later()`,
      database,
    )
    const other = new pg.Client({ connectionString: database })
    await other.connect()
    await other.query('select pg_advisory_lock(1)')

    const failed = assert.rejects(writer.commit([createBatch('core', 1, lines)]), /23514/)
    await until(async () => (await listSessions(database, `wait_event = 'advisory'`)).length > 0)
    controller.abort()
    await other.end()

    await failed
  })

  it('sends no further rows after the server has rejected a copy', async (t) => {
    const pool = makePool((await openFeeds(t)).database, 'feed', { connections: 1 })
    t.after(() => pool.end())
    const client = await pool.connect()
    const copy = openCopy(client, 'copy missing_table from stdin')
    const isRejected = (error: unknown) => {
      assert.equal((error as pg.DatabaseError).code, '42P01')
      return true
    }

    await until(() => copy.write(Buffer.alloc(1000)).then(() => false, isRejected))
    client.release(true)
  })

  it('merges a batch of new transactions as it does with other lines beside them', async (t) => {
    const alone = await openFeeds(t)
    const beside = await openFeeds(t)
    const at = (time: string) => ({ postingDateTime: `2025-03-0${time}:00:00Z` })
    const setUp = [put.customer('c1'), put.account('a1', ['c1']), put.account('a2', ['c1'])]
    await alone.add(...setUp)
    await beside.add(...setUp)
    const batches = [
      [put.transaction('a1', 'x', at('1T01')), put.transaction('a1', 'y', at('1T01'))],
      [put.transaction('a2', 'x', at('1T01')), put.transaction('a1', 'z', at('2T01'))],
      // Not after the newest of its list, and not new.
      [put.transaction('a1', 'w', at('2T01')), put.transaction('a2', 'y', at('2T01'))],
      [put.transaction('a1', 'v', at('1T02')), put.transaction('a2', 'z', at('3T01'))],
      [put.transaction('a1', 'x', at('3T01')), put.transaction('a2', 'w', at('4T01'))],
      [put.transaction('a1', 'z', at('2T01')), put.transaction('a2', 'v', at('5T01'))],
      // Repeated in the batch, and without a time.
      [put.transaction('a1', 'u', at('6T01')), put.transaction('a1', 'u', at('6T02'))],
      [undated('a1', 't'), put.transaction('a2', 't', at('7T01'))],
    ]
    for (const [index, batch] of batches.entries()) {
      const { lines: _, created, ...counts } = await alone.add(...batch)
      const expected = await beside.add(...batch, put.customer(`other-${index}`))
      assert.partialDeepStrictEqual(expected, { ...counts, created: created + 1 }, `${index}`)
    }
    const unknown = [put.transaction('a1', 'new', at('9T01')), put.transaction('a3', 'new')]
    const expected = ['2 accountId banking account not found']
    assert.deepEqual(await alone.reject(...unknown), expected)
    assert.deepEqual(await beside.reject(...unknown, put.customer('c9')), expected)

    const entries = `select a.id, e.list, e.ordinal, e.id, e.time, e.has_own_time, e.record
      from entry e join account a on a.number = e.account order by 1, 2, 3`
    const stored = await runSql(entries, alone.database)
    assert.equal(stored.length, 13)
    assert.deepEqual(stored, await runSql(entries, beside.database))
  })

  it('rejects a transaction of an account of the other kind', async (t) => {
    const { add, reject } = await openFeeds(t)
    await add(put.customer('c1'), put.energyAccount('e1', ['c1']))

    assert.deepEqual(await reject(put.transaction('e1', 't1')), [
      '1 accountId banking account not found',
    ])
  })

  it('does not read the remembered batches of other feeds', async (t) => {
    const { add, database } = await openFeeds(t)
    await add(...lines)
    // The statements of the writer are planned for a table that is known to have few rows.
    await runSql('vacuum analyze feed_batch', database)
    const writer = await openFeedWriter(database, { clock: () => Temporal.Now.instant() })
    await commitOne(writer, createBatch('other', 1, [put.balance('a1')]))
    const many = 20_000
    await runSql(
      `insert into feed_batch (feed, number, digest, lines, created, changed, unchanged, deleted)
       select 'many', n, '', 0, 0, 0, 0, 0 from generate_series(1, ${many}) n`,
      database,
    )
    await until(async () => (await countRowsRead(database)) > 0)
    const before = await countRowsRead(database)

    await commitOne(writer, createBatch('other', 2, [put.balance('a1')]))
    await writer.close()
    await until(async () => (await countRowsRead(database)) > before)
    const read = (await countRowsRead(database)) - before
    assert.ok(read < many, `${read} rows`)
  })
})
