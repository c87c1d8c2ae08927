import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openSql } from '../../src/storage/open.ts'
import {
  boolean,
  integer,
  json,
  nullable,
  optional,
  text,
  time,
  words,
} from '../../src/storage/sql.ts'
import { describe, newDatabase } from '../support/engines.ts'

const put = 'insert into attempt_limit (key, full_at) values ($1, $2)'
const count = 'select count(*) from attempt_limit'

describe('SQL of the platform', () => {
  const open = async (t: { after(work: () => Promise<void>): void }) => {
    const sql = await openSql(await newDatabase({ after: (work) => t.after(work) }))
    t.after(() => sql.close())
    return { sql, countRows: async () => (await sql.first({ rows: integer }, count))?.rows }
  }

  it('reads every value as it was written', async (t) => {
    const { sql } = await open(t)
    const when = Temporal.Instant.from('2026-05-01T10:00:00.123Z')
    const name = `\u0001\u0002 O'Neil "$1" \\ 🙂`
    await sql.run(
      `insert into third_party (id, name, profile, redirect_uris, scopes, jwks, jwks_url, created)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      ['t1', name, 'plain', '["a"]', 'a b', null, undefined, when],
    )
    assert.deepEqual(
      await sql.first(
        {
          id: text,
          name: text,
          uris: json<string[]>(),
          scopes: words,
          jwks: nullable(text),
          url: optional(text),
          created: time,
          isPlain: boolean,
          isOther: boolean,
        },
        `select id, name, redirect_uris, scopes, jwks, jwks_url, created, profile = $2, profile <> $2
         from third_party where id = $1`,
        ['t1', 'plain'],
      ),
      {
        id: 't1',
        name,
        uris: ['a'],
        scopes: ['a', 'b'],
        jwks: null,
        created: when,
        isPlain: true,
        isOther: false,
      },
    )
    const isOneOf = sql.dialect.isOneOf('name', '$1')
    const found = `select id from third_party where ${isOneOf}`
    assert.equal((await sql.all({ id: text }, found, [['other', name]])).length, 1)
    assert.equal((await sql.all({ id: text }, found, [[]])).length, 0)
    const byName = 'select id from third_party where name = $1'
    assert.equal(await sql.first({ id: text }, byName, ['\u0000']), undefined)
  })

  it('rolls back a transaction whose work fails, and none of its changes is visible before', async (t) => {
    const { sql, countRows } = await open(t)
    const failed = sql.transaction(async (transaction) => {
      await transaction.run(put, ['a', 1])
      assert.equal((await transaction.first({ rows: integer }, count))?.rows, 1)
      assert.equal(await countRows(), 0)
      throw new Error('the work fails')
    })
    await assert.rejects(failed, /the work fails/)
    assert.equal(await countRows(), 0)
    await sql.transaction((transaction) => transaction.run(put, ['a', 1]))
    assert.equal(await countRows(), 1)
  })

  it('runs statements in order, all or none', async (t) => {
    const { sql, countRows } = await open(t)
    assert.deepEqual(
      await sql.inOrder([put, ['a', 1]], [put, ['b', 1]], ['delete from attempt_limit']),
      [1, 1, 2],
    )
    await assert.rejects(sql.inOrder([put, ['a', 1]], [put, ['a', 2]]))
    assert.equal(await countRows(), 0)
  })

  it('loses no change of concurrent transactions', async (t) => {
    const { sql } = await open(t)
    await sql.run(put, ['a', 0])
    const read = `select full_at from attempt_limit where key = $1 ${sql.dialect.forUpdate}`
    const change = 'update attempt_limit set full_at = $2 where key = $1'
    const add = () =>
      sql.transaction(async (transaction) => {
        const { sum = 0 } = (await transaction.first({ sum: integer }, read, ['a'])) ?? {}
        await transaction.run(change, ['a', sum + 1])
      })
    await Promise.all(Array.from({ length: 50 }, add))
    assert.equal((await sql.first({ sum: integer }, read, ['a']))?.sum, 50)
  })
})
