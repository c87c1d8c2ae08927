import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import { versionWith } from '../../src/storage/migrations.ts'
import { createDatabase, openProviderStore } from '../../src/storage/open.ts'
import { migrations } from '../../src/storage/postgres/driver/schema.ts'
import { describeOn, postgresUrl, runSql } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'

/** A database without tables. */
async function bareDatabase(t: TestContext): Promise<string> {
  const name = `bare_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  t.after(() => runSql(`drop database ${name} with (force)`))
  return new URL(name, await postgresUrl()).href
}

const tables = `select count(*)::int from pg_inherits where inhparent = 'entry'::regclass`

describeOn('postgres', 'a new database', () => {
  it('is created once by ten commands that start at the same time', async (t) => {
    const database = await bareDatabase(t)

    const outcomes = await Promise.all(
      Array.from({ length: 10 }, async () => {
        await createDatabase(database, { partitions: 3 })
        const store = await openProviderStore(database)
        const { customers } = await store.overview()
        await store.close()
        return customers
      }),
    )

    assert.deepEqual(new Set(outcomes), new Set([0]))
    const created = await runSql('select version, partitions from schema_version', database)
    assert.deepEqual(created, [[versionWith(migrations), 3]])
  })

  it('has 16 partitions by default', async (t) => {
    const database = await bareDatabase(t)

    await createDatabase(database)

    assert.deepEqual(await runSql(tables, database), [[16]])
  })

  it('keeps the number of partitions that it was created with', async (t) => {
    const database = await bareDatabase(t)

    for (const partitions of [3, 5]) {
      await createDatabase(database, { partitions })
    }

    assert.deepEqual(await runSql(tables, database), [[3]])
  })
})

describeOn('postgres', 'a database', () => {
  it('of a newer version of Holdfast is rejected with a message that says so', async (t) => {
    const database = await bareDatabase(t)
    await createDatabase(database, { partitions: 2 })
    await runSql('update schema_version set version = version + 1', database)

    const { status, stderr } = await runInProcess(['keys', 'list', '--database', database])

    assert.equal(status, 1)
    assert.equal(
      stderr,
      'the database was created by a newer version of Holdfast: use that version, or another database\n',
    )
  })

  it('on a server older than PostgreSQL 15 is rejected with a message that says so', async (t) => {
    const database = await bareDatabase(t)
    // The server reports an older version: this function takes precedence over that of pg_catalog.
    await runSql(
      `create function current_setting(text) returns text language sql return '140022';
      alter database ${new URL(database).pathname.slice(1)} set search_path = public, pg_catalog`,
      database,
    )

    for (const command of [
      ['keys', 'list'],
      ['keys', 'list', '--create'],
    ]) {
      const { status, stderr } = await runInProcess([...command, '--database', database])

      assert.equal(status, 1)
      assert.equal(stderr, 'PostgreSQL 14 is not supported: use 15 or newer\n')
    }
    assert.deepEqual(await runSql(`select to_regclass('schema_version')`, database), [[null]])
  })

  it('that does not exist is named in the message, without the password', async () => {
    const url = new URL('missing', await postgresUrl())
    url.password = 'secret'

    const { status, stderr } = await runInProcess(['keys', 'list', '--database', url.href])

    assert.equal(status, 1)
    assert.match(stderr, /^the database 127\.0\.0\.1:\d+\/missing cannot be used: .*exist\n$/)
    assert.doesNotMatch(stderr, /secret/)
  })

  for (const parameter of ['sslmode=prefer', 'sslmode=no-verify', 'ssl=true', 'options=-c']) {
    it(`is not opened with the parameter ${parameter}`, async () => {
      const url = `${await postgresUrl()}?${parameter}`

      await assert.rejects(openProviderStore(url), { name: 'DatabaseError' })
    })
  }
})
