import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type pg from 'pg'
import { ContractError } from '../../src/contract/index.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import {
  inTransaction,
  openQuery,
  type Query,
  runStatement,
} from '../../src/storage/postgres/driver/statements.ts'
import type { Statement } from '../../src/storage/statement.ts'
import { describeOn, newDatabase } from '../support/engines.ts'

const divide = 'select 100 / $1::integer'
const backend = 'select pg_backend_pid(), $1::text'
const terminate = 'select pg_terminate_backend(pg_backend_pid())'
const echo = {
  name: 'echo',
  text: 'select $1::text, $2::text[], $3::bigint[], $4::boolean, $5::text',
}

async function open(t: TestContext): Promise<{ pool: pg.Pool; query: Query }> {
  const pool = makePool(await newDatabase(t), 'read', { connections: 2 })
  t.after(() => pool.end())
  return { pool, query: openQuery(pool) }
}

describeOn('postgres', 'pipelined statements', () => {
  it('each return their own rows, many on one connection', async (t) => {
    const { query } = await open(t)
    const values = Array.from({ length: 40 }, (_, index) => `${index}`)

    const outcomes = await Promise.all(values.map((text) => query(backend, [text])))

    assert.deepEqual(
      outcomes.map((rows) => rows.map(([, text]) => text)),
      values.map((text) => [text]),
    )
    assert.ok(new Set(outcomes.map(([row]) => row?.[0])).size <= 2)
  })

  it('do not wait for round trips that take long', async (t) => {
    const pool = makePool(await newDatabase(t), 'read', { connections: 4 })
    t.after(() => pool.end())
    const query = openQuery(pool)
    const lock = 'select pg_advisory_lock_shared($1::bigint)::text'
    const holder = await pool.connect()
    await holder.query('select pg_advisory_lock(1)')
    const locked = [query(lock, [1])]
    await setImmediate()
    locked.push(query(lock, [1]))
    await setImmediate()

    assert.deepEqual(await query(divide, [4]), [['25']])

    await holder.query('select pg_advisory_unlock(1)')
    holder.release()
    assert.deepEqual(await Promise.all(locked), [[['']], [['']]])
  })

  it('return a long value as bytes only if it is passed on unread', async (t) => {
    const { query } = await open(t)
    const repeat = 'select null, $1::text, repeat($1::text, $2::integer), $1::text'
    const page = { isPage: true, text: repeat }
    // Characters of one to four bytes, so that chunk boundaries fall inside characters.
    const text = 'aé中😀'

    for (const times of [0, 1, 3276, 3277, 30_000, 200_000]) {
      const long = text.repeat(times)
      const [pages, rows] = await Promise.all([
        query(page, [text, times]),
        query(repeat, [text, times]),
        query(page, ['b', times]),
      ])

      assert.deepEqual(rows, [[null, text, long, text]])
      const [[none, before, bytes, after] = []] = pages as unknown as (string | Buffer | null)[][]
      assert.deepEqual([none, before, after], [null, text, text])
      assert.equal(typeof bytes === 'string', long.length * 2 < 32_768)
      assert.ok(Buffer.from(bytes ?? '').equals(Buffer.from(long)))
    }
  })

  it('fail alone at any position', async (t) => {
    const { query } = await open(t)
    for (const position of [0, 3, 7]) {
      const values = [1, 2, 4, 5, 10, 20, 25, 50].map((by, index) => (index === position ? 0 : by))

      const outcomes = await Promise.allSettled(values.map((by) => query(divide, [by])))

      for (const [index, outcome] of outcomes.entries()) {
        if (index === position) {
          assert.equal(outcome.status, 'rejected')
          assert.match(String(outcome.reason), /22012/)
        } else {
          assert.deepEqual(outcome, {
            status: 'fulfilled',
            value: [[`${100 / (values[index] ?? 1)}`]],
          })
        }
      }
    }
  })

  it('fail as unavailable if the connection breaks, and later ones succeed', async (t) => {
    const { query } = await open(t)
    const outcomes = await Promise.allSettled([query(terminate, []), query(backend, ['a'])])

    const [broken] = outcomes
    assert.equal(broken.status, 'rejected')
    assert.ok(broken.reason instanceof ContractError)
    assert.equal((await query(backend, ['b']))[0]?.[1], 'b')
  })

  it('fail alone if a value cannot be encoded', async (t) => {
    const { query, pool } = await open(t)
    const invalid = [Object.prototype, [Object.create(null)], undefined, Symbol('x'), () => 'x']

    const outcomes = await Promise.allSettled([
      query(backend, ['a']),
      ...invalid.map((value) => query(backend, [value as never])),
      query(backend, ['b']),
    ])

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', ...invalid.map(() => 'rejected'), 'fulfilled'],
    )
    for (const { reason } of outcomes as PromiseRejectedResult[]) {
      assert.ok(reason === undefined || reason instanceof TypeError)
    }
    assert.deepEqual([pool.totalCount, pool.idleCount], [1, 1])
  })

  it('fail together if one cannot be written to the connection, and later ones succeed', async (t) => {
    const { query, pool } = await open(t)
    const unwritable = { text: 5 as never }
    const runAlone = (statement: Statement) => runStatement(pool, statement, ['a'])

    const outcomes = await Promise.allSettled([
      query(unwritable, []),
      query(backend, ['a']),
      runAlone(unwritable),
      inTransaction(pool, (queryHere) => queryHere(unwritable, [])),
    ])

    assert.deepEqual(
      outcomes.map(({ status }) => status),
      Array(4).fill('rejected'),
    )
    assert.equal((await query(backend, ['b']))[0]?.[1], 'b')
    assert.equal((await runAlone(backend)).length, 1)
    assert.equal(pool.totalCount, pool.idleCount)
    assert.ok(pool.totalCount <= 2)
  })

  it('preserve every kind of value', async (t) => {
    const { query } = await open(t)
    const texts = ['', 'NULL', 'a"b', 'a\\b', '{a,b}', "'; --", 'é漢😀', ' ', 'null']

    const [row] = await query(echo, [texts.join(), texts, [1, -2], true, null])

    assert.equal(row?.[0], texts.join())
    assert.deepEqual((row?.[2] ?? '').slice(1, -1).split(','), ['1', '-2'])
    assert.deepEqual(row?.slice(3), ['t', null])
    // The database compares the elements itself.
    for (const [index, text] of texts.entries()) {
      const same = `select ($1::text[])[${index + 1}] = $2::text`
      assert.deepEqual(await query(same, [texts, text]), [['t']], text)
    }
  })
})

describeOn('postgres', 'a statement on a connection of its own', () => {
  it('fails without affecting prepared statements', async (t) => {
    const { pool } = await open(t)
    const client = await pool.connect()
    try {
      assert.deepEqual(await runStatement(client, divide, [4]), [['25']])
      await assert.rejects(runStatement(client, divide, [0]), /22012/)
      assert.deepEqual(await runStatement(client, divide, [5]), [['20']])
    } finally {
      client.release()
    }
  })

  it('runs on the connection of its transaction', async (t) => {
    const { pool } = await open(t)
    const pids = await inTransaction(pool, async (query) => [
      (await query(backend, ['a']))[0]?.[0],
      (await query(backend, ['b']))[0]?.[0],
    ])
    assert.equal(pids[0], pids[1])
  })
})
