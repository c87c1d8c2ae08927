import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import { createDatabase, openProviderStore } from '../../src/storage/open.ts'
import { migrations } from '../../src/storage/postgres/driver/schema.ts'
import { describeOn, postgresUrl, runSql } from '../support/engines.ts'
import { run, runInProcess } from '../support/process.ts'

/** A database without tables. */
async function bareDatabase(t: TestContext): Promise<string> {
  const name = `bare_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  t.after(() => runSql(`drop database ${name} with (force)`))
  return new URL(name, await postgresUrl()).href
}

const tables = `select count(*)::int from pg_inherits where inhparent = 'entry'::regclass`

describeOn('postgres', 'a new database', () => {
  it('is created once by ten processes that start at the same time', async (t) => {
    const database = await bareDatabase(t)
    const storage = new URL('../../src/storage/open.ts', import.meta.url)
    const script = `import { createDatabase, openProviderStore } from ${JSON.stringify(storage)}
      await createDatabase(${JSON.stringify(database)})
      const store = await openProviderStore(${JSON.stringify(database)})
      console.log((await store.overview()).customers)
      await store.close()`

    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        run([process.execPath, '--input-type=module', '--eval', script]),
      ),
    )

    for (const outcome of outcomes) {
      assert.deepEqual(outcome, { status: 0, stdout: '0\n', stderr: '' })
    }
    const created = await runSql('select version, partitions from schema_version', database)
    assert.deepEqual(created, [[migrations.length, 16]])
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
    await createDatabase(database)
    await runSql('update schema_version set version = version + 1', database)

    const { status, stderr } = await runInProcess(['keys', 'list', '--database', database])

    assert.equal(status, 1)
    assert.equal(
      stderr,
      'the database was created by a newer version of Holdfast: use that version, or another database\n',
    )
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
