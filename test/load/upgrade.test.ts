import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openClientStore, openReplayStore } from '../../src/storage/open.ts'
import { migrations as postgresSteps } from '../../src/storage/postgres/driver/schema.ts'
import { migrations as sqliteSteps } from '../../src/storage/sqlite/driver/schema.ts'
import { currentEngine, describe, describeOn, postgresUrl, runSql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { openProvider } from '../support/provider.ts'

/** The schema versions before the keys of e-mail addresses and tokens changed. */
const earlierVersion = { sqlite: 3, postgres: 2 }

const emails = {
  sharp: 'straße@example.com',
  double: 'Strasse@example.com',
  domain: 'ana@BÜCHER.example',
  odd: 'a\u0000\u0001b@example.com',
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')
const foldAsBefore = (text: string) => text.toLowerCase().toUpperCase()
const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Rows as the earlier version wrote them. */
function createEarlierRows(): string[] {
  const customers = Object.entries(emails).map(([id, email]) => {
    const record = JSON.stringify({ id, name: 'Ana', email })
    // The engines escape control characters differently, which does not matter here.
    const key = foldAsBefore(email).replaceAll(/\p{Cc}/gu, '')
    const hashes = [sha256(foldAsBefore(email)), sha256('Ana')].map(quote)
    return `insert into customer (id, email, match, record, email_hash, name_hash) values
      ('${id}', ${quote(key)}, '{"id":"${id}"}', ${quote(record)}, ${hashes})`
  })
  const removed = ['back', 'taken'].map(
    (id) =>
      `insert into customer (id, email_hash, name_hash)
       values ('${id}', '${sha256('STRASSE@EXAMPLE.COM')}', '${sha256('Ana')}')`,
  )
  return [
    ...customers,
    ...removed,
    `insert into api_client values ('client', 'team', 'products.read', 'sha256$x', 0, null)`,
    `insert into api_token values ('digest', 'client', 'products.read', 32503680000000)`,
  ]
}

async function createEarlierDatabase(t: TestContext): Promise<string> {
  if (currentEngine() === 'sqlite') {
    const path = join(await temporaryFolder(t), 'bank.db')
    const database = new DatabaseSync(path)
    for (const step of sqliteSteps.slice(0, earlierVersion.sqlite)) database.exec(step)
    for (const sql of createEarlierRows()) database.exec(sql)
    database.exec(`pragma user_version = ${earlierVersion.sqlite}`)
    database.close()
    return `sqlite:${path}`
  }
  const name = `earlier_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  t.after(() => runSql(`drop database ${name} with (force)`))
  const url = new URL(name, await postgresUrl()).href
  const steps = postgresSteps
    .slice(0, earlierVersion.postgres)
    .map((step) => step({ partitions: 2 }))
  await runSql(
    [
      'create table schema_version (version integer not null, partitions integer not null)',
      `insert into schema_version values (${earlierVersion.postgres}, 2)`,
      ...steps,
      ...createEarlierRows(),
    ].join(';\n'),
    url,
  )
  return url
}

describe('a database of an earlier version', () => {
  it('finds customers by e-mail address after the migration', async (t) => {
    const { post } = await openProvider(t, [], { database: await createEarlierDatabase(t) })
    const found = async (email: string) => {
      const { body } = await post('/auth/v1/customer/search', { email })
      return body.data.map(({ id }: { id: string }) => id)
    }

    for (const [id, email] of Object.entries(emails)) assert.deepEqual(await found(email), [id])
    assert.deepEqual(await found('STRASSE@EXAMPLE.COM'), ['double'])
    assert.deepEqual(await found('ana@xn--bcher-kva.example'), ['domain'])
  })

  it('keeps ids reserved for existing and deleted customers', async (t) => {
    const database = await createEarlierDatabase(t)
    const file = join(await temporaryFolder(t), 'data.ndjson')
    const load = (id: string, name: string, email: string) => {
      writeFileSync(file, `${JSON.stringify({ type: 'customer', record: { id, name, email } })}\n`)
      return runInProcess(['load', file, '--database', database])
    }

    assert.equal((await load('back', 'Bo', 'strasse@Example.com')).status, 0)
    assert.equal((await load('sharp', 'Bo', 'STRAßE@example.com')).status, 0)
    assert.equal((await load('domain', 'Bo', 'ana@xn--bcher-kva.example')).status, 0)
    for (const [id, email] of [
      ['taken', 'bo@example.com'],
      ['double', 'straße@example.com'],
    ] as const) {
      const { status, stderr } = await load(id, 'Bo', email)
      assert.equal(status, 1)
      assert.match(stderr, /another person/)
    }
  })

  it('keeps the tokens of API clients until their secrets are rotated', async (t) => {
    const clients = await openClientStore(await createEarlierDatabase(t))
    t.after(() => clients.close())

    assert.equal((await clients.findToken('digest'))?.client.id, 'client')
    await clients.rotate('client', 'sha256$y', Temporal.Now.instant())
    assert.equal(await clients.findToken('digest'), undefined)
  })
})

describeOn('postgres', 'a database of an earlier version', () => {
  it('keeps its used tokens', async (t) => {
    const database = await createEarlierDatabase(t)
    await runSql("insert into claim values ('used', 4000000000)", database)

    const store = await openReplayStore(database, () => Temporal.Now.instant())
    t.after(() => store.close())

    assert.equal(await store.recordUse('used', 4_000_000_000), 'used before')
    assert.equal(await store.recordUse('new', 4_000_000_000), 'first use')
  })
})
