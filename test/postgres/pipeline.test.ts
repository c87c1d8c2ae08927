import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import type pg from 'pg'
import { ContractError } from '../../src/contract/index.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import {
  type Ask,
  inTransaction,
  openAsking,
  rowsOf,
} from '../../src/storage/postgres/driver/statements.ts'
import { describeOn, newDatabase } from '../support/engines.ts'

const divide = { name: 'divide', text: 'select 100 / $1::integer' }
const which = { name: 'which', text: 'select pg_backend_pid(), $1::text' }
const leave = { name: 'leave', text: 'select pg_terminate_backend(pg_backend_pid())' }
const echo = {
  name: 'echo',
  text: 'select $1::text, $2::text[], $3::bigint[], $4::boolean, $5::text',
}

async function open(t: TestContext): Promise<{ pool: pg.Pool; ask: Ask }> {
  const pool = makePool(await newDatabase(t), 'read', { connections: 2 })
  t.after(() => pool.end())
  return { pool, ask: openAsking(pool) }
}

describeOn('postgres', 'statements that are asked together', () => {
  it('are answered each with its own rows, many on one connection', async (t) => {
    const { ask } = await open(t)
    const asked = Array.from({ length: 40 }, (_, index) => `${index}`)

    const answers = await Promise.all(asked.map((text) => ask(which, [text])))

    assert.deepEqual(
      answers.map((rows) => rows.map(([, text]) => text)),
      asked.map((text) => [text]),
    )
    assert.ok(new Set(answers.map(([row]) => row?.[0])).size <= 2)
  })

  it('give a long value as the bytes of its text only where it is passed on', async (t) => {
    const { ask } = await open(t)
    const repeat = 'select null, $1::text, repeat($1::text, $2::integer), $1::text'
    const page = { name: 'page', isPage: true, text: repeat }
    const row = { name: 'row', text: repeat }
    // Of one byte to four, so that some are cut wherever the connection cuts.
    const text = 'aé中😀'

    for (const times of [0, 1, 3276, 3277, 30_000, 200_000]) {
      const long = text.repeat(times)
      const [pages, rows] = await Promise.all([
        ask(page, [text, times]),
        ask(row, [text, times]),
        ask(page, ['b', times]),
      ])

      assert.deepEqual(rows, [[null, text, long, text]])
      const [[nothing, before, bytes, after] = []] = pages as unknown as (
        | string
        | Buffer
        | null
      )[][]
      assert.deepEqual([nothing, before, after], [null, text, text])
      assert.equal(typeof bytes === 'string', long.length * 2 < 32_768)
      assert.ok(Buffer.from(bytes ?? '').equals(Buffer.from(long)))
    }
  })

  it('fail alone, wherever one stands', async (t) => {
    const { ask } = await open(t)
    for (const place of [0, 3, 7]) {
      const asked = [1, 2, 4, 5, 10, 20, 25, 50].map((by, index) => (index === place ? 0 : by))

      const answers = await Promise.allSettled(asked.map((by) => ask(divide, [by])))

      for (const [index, answer] of answers.entries()) {
        if (index === place) {
          assert.equal(answer.status, 'rejected')
          assert.match(String(answer.reason), /22012/)
        } else {
          assert.deepEqual(answer, {
            status: 'fulfilled',
            value: [[`${100 / (asked[index] ?? 1)}`]],
          })
        }
      }
    }
  })

  it('are an outage where the connection breaks under them, and the next ones are not', async (t) => {
    const { ask } = await open(t)
    const answers = await Promise.allSettled([ask(leave, []), ask(which, ['a'])])

    const [broken] = answers
    assert.equal(broken.status, 'rejected')
    assert.ok(broken.reason instanceof ContractError)
    assert.equal((await ask(which, ['b']))[0]?.[1], 'b')
  })

  it('fail alone where a value cannot be encoded', async (t) => {
    const { ask, pool } = await open(t)
    const bad = [Object.prototype, [Object.create(null)], undefined, Symbol('x'), () => 'x']

    const answers = await Promise.allSettled([
      ask(which, ['a']),
      ...bad.map((value) => ask(which, [value as never])),
      ask(which, ['b']),
    ])

    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', ...bad.map(() => 'rejected'), 'fulfilled'],
    )
    for (const { reason } of answers as PromiseRejectedResult[]) {
      assert.ok(reason === undefined || reason instanceof TypeError)
    }
    assert.deepEqual([pool.totalCount, pool.idleCount], [1, 1])
  })

  it('fail together where one cannot be written to the connection, and the next ones do not', async (t) => {
    const { ask, pool } = await open(t)
    const unwritable = { name: 'unwritable', text: 5 as never }
    const rowsOn = (statement: typeof which) => rowsOf(pool, statement, ['a'])

    const answers = await Promise.allSettled([
      ask(unwritable, []),
      ask(which, ['a']),
      rowsOn(unwritable),
      inTransaction(pool, (askHere) => askHere(unwritable, [])),
    ])

    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(4).fill('rejected'),
    )
    assert.equal((await ask(which, ['b']))[0]?.[1], 'b')
    assert.equal((await rowsOn(which)).length, 1)
    assert.equal(pool.totalCount, pool.idleCount)
    assert.ok(pool.totalCount <= 2)
  })

  it('take every kind of value as it is', async (t) => {
    const { ask } = await open(t)
    const texts = ['', 'NULL', 'a"b', 'a\\b', '{a,b}', "'; --", 'é漢😀', ' ', 'null']

    const [row] = await ask(echo, [texts.join(), texts, [1, -2], true, null])

    assert.equal(row?.[0], texts.join())
    assert.deepEqual((row?.[2] ?? '').slice(1, -1).split(','), ['1', '-2'])
    assert.deepEqual(row?.slice(3), ['t', null])
    // The database counts and compares them itself.
    for (const [index, text] of texts.entries()) {
      const same = { name: `same-${index}`, text: `select ($1::text[])[${index + 1}] = $2::text` }
      assert.deepEqual(await ask(same, [texts, text]), [['t']], text)
    }
  })
})

describeOn('postgres', 'a statement on a connection of its own', () => {
  it('fails without spoiling what is prepared there', async (t) => {
    const { pool } = await open(t)
    const client = await pool.connect()
    try {
      assert.deepEqual(await rowsOf(client, divide, [4]), [['25']])
      await assert.rejects(rowsOf(client, divide, [0]), /22012/)
      assert.deepEqual(await rowsOf(client, divide, [5]), [['20']])
    } finally {
      client.release()
    }
  })

  it('is part of its transaction', async (t) => {
    const { pool } = await open(t)
    const pids = await inTransaction(pool, async (ask) => [
      (await ask(which, ['a']))[0]?.[0],
      (await ask(which, ['b']))[0]?.[0],
    ])
    assert.equal(pids[0], pids[1])
  })
})
