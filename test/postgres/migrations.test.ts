import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import { createDatabase, openProviderStore } from '../../src/storage/open.ts'
import { migrations } from '../../src/storage/postgres/driver/schema.ts'
import { asOwner, describeOn, postgresUrl } from '../support/engines.ts'
import { run, runInProcess } from '../support/process.ts'

/** A database with nothing in it, not even a schema. */
async function bareDatabase(t: TestContext): Promise<string> {
  const name = `bare_${randomBytes(8).toString('hex')}`
  await asOwner(`create database ${name}`)
  t.after(() => asOwner(`drop database ${name} with (force)`))
  return new URL(name, await postgresUrl()).href
}

const tables = `select count(*)::int from pg_inherits where inhparent = 'entry'::regclass`

describeOn('postgres', 'a new database', () => {
  it('is made once, by ten processes that start at once', async (t) => {
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
    const made = await asOwner('select version, partitions from schema_version', database)
    assert.deepEqual(made, [[migrations.length, 16]])
  })

  it('is divided as it was told at first, whatever it is told later', async (t) => {
    const database = await bareDatabase(t)

    for (const partitions of [3, 5]) {
      await createDatabase(database, { partitions })
    }

    assert.deepEqual(await asOwner(tables, database), [[3]])
  })
})

describeOn('postgres', 'a database', () => {
  it('that a newer Holdfast made is not opened, and the sentence says so', async (t) => {
    const database = await bareDatabase(t)
    await createDatabase(database)
    await asOwner('update schema_version set version = version + 1', database)

    const { status, stderr } = await runInProcess(['keys', 'list', '--database', database])

    assert.equal(status, 1)
    assert.equal(
      stderr,
      'the database was made by a newer Holdfast: use that version, or another database\n',
    )
  })

  it('that is not there is named in a sentence, without its password', async () => {
    const url = new URL('nowhere', await postgresUrl())
    url.password = 'secret'

    const { status, stderr } = await runInProcess(['keys', 'list', '--database', url.href])

    assert.equal(status, 1)
    assert.match(stderr, /^the database 127\.0\.0\.1:\d+\/nowhere cannot be used: .*exist\n$/)
    assert.doesNotMatch(stderr, /secret/)
  })

  for (const parameter of ['sslmode=prefer', 'sslmode=no-verify', 'ssl=true', 'options=-c']) {
    it(`is not opened with ${parameter}`, async () => {
      const url = `${await postgresUrl()}?${parameter}`

      await assert.rejects(openProviderStore(url), { name: 'DatabaseError' })
    })
  }
})
