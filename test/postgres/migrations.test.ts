import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDatabase, openProviderStore } from '../../src/storage/open.ts'
import { bareDatabase, createScope, describeOn, postgresUrl, runSql } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'

const tables = `select count(*)::int from pg_inherits where inhparent = 'entry'::regclass`

describeOn('postgres', 'a new database', () => {
  it('has 16 partitions by default', async (t) => {
    const database = await bareDatabase(createScope(t))

    await createDatabase(database)

    assert.deepEqual(await runSql(tables, database), [[16]])
  })

  it('keeps the number of partitions that it was created with', async (t) => {
    const database = await bareDatabase(createScope(t))

    for (const partitions of [3, 5]) {
      await createDatabase(database, { partitions })
    }

    assert.deepEqual(await runSql(tables, database), [[3]])
  })
})

describeOn('postgres', 'a database', () => {
  it('on a server older than PostgreSQL 15 is rejected with a message that says so', async (t) => {
    const database = await bareDatabase(createScope(t))
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
