import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { digest, emailDigest } from '../../src/storage/digest.ts'
import { openClientStore, openReplayStore } from '../../src/storage/open.ts'
import { migrations as postgresSteps } from '../../src/storage/postgres/driver/schema.ts'
import { defineFunctions } from '../../src/storage/sqlite/driver/migration-functions.ts'
import { migrations as sqliteSteps } from '../../src/storage/sqlite/driver/migrations.ts'
import { callDrafts, ifMatch } from '../catalogue/draft-calls.ts'
import { minimalProduct } from '../catalogue/products.ts'
import { currentEngine, describe, describeOn, postgresUrl, runSql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { dumpDatabase } from '../support/load.ts'
import { openPlatform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { openProvider } from '../support/provider.ts'

/** The schema versions before the keys of e-mail addresses and tokens changed. */
const beforeEmailKeys = { sqlite: 3, postgres: 2 }

/** The schema versions before the id of a scheduled payment became unique within its account. */
const beforePaymentKeys = { sqlite: 8, postgres: 6 }

/** The schema versions before products had drafts. */
const beforeDrafts = { sqlite: 11, postgres: 9 }

/** The schema versions before products and drafts had summaries. */
const beforeSummaries = { sqlite: 13, postgres: 11 }

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

async function createEarlierDatabase(
  t: TestContext,
  version = beforeEmailKeys,
  rows: readonly string[] = createEarlierRows(),
): Promise<string> {
  if (currentEngine() === 'sqlite') {
    const path = join(await temporaryFolder(t), 'bank.db')
    const database = new DatabaseSync(path)
    defineFunctions(database)
    for (const step of sqliteSteps.slice(0, version.sqlite)) step(database)
    for (const sql of rows) database.exec(sql)
    database.exec(`pragma user_version = ${version.sqlite}`)
    database.close()
    chmodSync(path, 0o600)
    return `sqlite:${path}`
  }
  const name = `earlier_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  t.after(() => runSql(`drop database ${name} with (force)`))
  const url = new URL(name, await postgresUrl()).href
  const steps = postgresSteps
    .slice(0, version.postgres)
    .map((step) => step({ layout: 'partitions', partitions: 2 }))
    // The other steps convert rows, and there are none yet.
    .filter((step) => typeof step === 'string')
  await runSql(
    [
      'create table schema_version (version integer not null, partitions integer not null)',
      `insert into schema_version values (${version.postgres}, 2)`,
      ...steps,
      ...rows,
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

/** Two accounts as the earlier version wrote them: shared by two customers, without users, and with a payment each. */
function createPaymentRows(): string[] {
  const paymentOf = (account: string, id: string) =>
    quote(JSON.stringify({ scheduledPaymentId: id, from: { accountId: account } }))
  const customers = ['c1', 'c2'].map(
    (id) =>
      `insert into customer (id, email, match, record, email_hash, name_hash) values
       ('${id}', '${id}@example.com', '{}', '{"id":"${id}","name":"Ana","email":"${id}@example.com"}',
        '${emailDigest(`${id}@example.com`)}', '${digest('Ana')}')`,
  )
  const isSqlite = currentEngine() === 'sqlite'
  const accounts = ['a1', 'a2'].flatMap((id, index) => {
    const isTrue = isSqlite ? '1' : 'true'
    const record = quote(`{"accountId":"${id}","isOwned":`)
    const number = `(select number from account where id = '${id}')`
    const list = `(${number} * 8 + 2)`
    const payment = `'s${index + 1}', ${paymentOf(id, `s${index + 1}`)}`
    return [
      `insert into account (${isSqlite ? '' : 'number, '}id, kind, is_open, created, shareable, head, tail)
       values (${isSqlite ? '' : '0, '}'${id}', 1, ${isTrue}, 0, '{}', ${record}, '}')`,
      `insert into holder select c.number, ${number}, ${isTrue} from customer c`,
      ...(isSqlite
        ? [
            `insert into entry (position, list, time, id, record)
             values (${list} << 32 | 1, ${list}, 0, ${payment})`,
          ]
        : [
            `insert into entry (account, list, has_own_time, ordinal, time, id, record)
             values (${number}, 2, true, 1, 0, ${payment})`,
            `insert into payment (id, account) values ('s${index + 1}', ${number})`,
          ]),
    ]
  })
  return [...customers, ...accounts]
}

describe('a database with payments whose ids were unique across accounts', () => {
  const open = (t: TestContext) => createEarlierDatabase(t, beforePaymentKeys, createPaymentRows())
  const payment = (account: string, id: string) =>
    `{"type":"banking.scheduledPayment","record":{"scheduledPaymentId":"${id}","from":{"accountId":"${account}"}}}`
  const load = async (
    t: TestContext,
    database: string,
    lines: readonly string[],
    ...flags: readonly string[]
  ) => {
    const file = join(await temporaryFolder(t), 'data.ndjson')
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
    return runInProcess(['load', file, '--database', database, ...flags])
  }
  const dumpPayments = async (database: string) =>
    (await dumpDatabase(database)).split('\n').filter((line) => line.includes('scheduledPayment'))

  it('keeps them, and accepts the same id in another account', async (t) => {
    const database = await open(t)

    const before = await dumpPayments(database)
    const { status, stderr } = await load(t, database, [
      payment('a2', 's1'),
      '{"type":"banking.scheduledPayment","delete":{"accountId":"a2","scheduledPaymentId":"s2"}}',
    ])

    assert.deepEqual(before, [payment('a1', 's1'), payment('a2', 's2')])
    assert.deepEqual([status, stderr], [0, ''])
    assert.deepEqual(await dumpPayments(database), [payment('a1', 's1'), payment('a2', 's1')])
  })

  it('serves accounts that a load would reject now, and a dry run lists them', async (t) => {
    const database = await open(t)
    const { get } = await openProvider(t, [], { database })

    const { status, body } = await get('/v1/banking/customer/c2/accounts')
    const lines = (await dumpDatabase(database)).trim().split('\n')
    const again = await load(t, database, lines, '--dry-run')

    assert.equal(status, 200)
    assert.deepEqual(body.data.accounts, [
      { accountId: 'a1', isOwned: true },
      { accountId: 'a2', isOwned: true },
    ])
    assert.equal(again.status, 1)
    assert.match(
      again.stderr,
      / users: is required when the account has two or more holders \((first )?at .*:3\)\n/,
    )
    assert.match(again.stderr, /^2 errors in 6 lines\. Nothing was changed\.$/m)
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

describe('a product of an earlier version', () => {
  it('can have a draft after the migration', async (t) => {
    const product = JSON.stringify(minimalProduct)
    const database = await createEarlierDatabase(t, beforeDrafts, [
      `insert into product_version values ('p1', 1, 'CREATED', 0, 'load', 'holdfast load',
        '1970-01-01T00:00:00Z', '${product}', '${product}')`,
      `insert into product values ('p1', 1, 'TRANS_AND_SAVINGS_ACCOUNTS', 'Example Bank', null, null, 0)`,
    ])
    const platform = await openPlatform(t, { database })
    const drafts = callDrafts(platform)

    const saved = await drafts.save('p1', { ...minimalProduct, name: 'Draft' })
    assert.equal((await platform.read('p1'))['name'], 'Saver')
    const published = await drafts.publish('p1', ifMatch(saved))

    assert.equal(published.headers['etag'], '"2"')
    assert.equal((await platform.read('p1'))['name'], 'Draft')
  })

  it('and a draft of that version are in the list of summaries after the migration', async (t) => {
    const quoted = (fields: object) => quote(JSON.stringify({ ...minimalProduct, ...fields }))
    const current = quoted({ name: 'Söl\u0000 ß', effective_to: '1999-01-01T00:00:00Z' })
    const draft = quoted({ name: 'Later', effective_from: '2030-01-01T00:00:00+10:00' })
    const database = await createEarlierDatabase(t, beforeSummaries, [
      ...['p1', 'p2'].flatMap((id, index) => [
        `insert into product_version values ('${id}', ${index + 1}, 'CREATED', ${index}, 'load', 'holdfast load',
          '1970-01-01T00:00:00Z', ${current}, ${current})`,
        `insert into product values ('${id}', ${index + 1}, 'TRANS_AND_SAVINGS_ACCOUNTS', 'Example Bank', null,
          ${Date.parse('1999-01-01')}, 0)`,
      ]),
      ...['p2', 'p3'].map(
        (id) =>
          `insert into product_draft values ('${id}', '${id}', 0, 2, 'c', 'Ana', 'Later', ${draft})`,
      ),
    ])
    const { send, token } = await openPlatform(t, { database })
    const path = '/v1/data-provider/cdr/product-summaries?text=S%C3%96L%00%20SS&sort=name'
    const headers = { authorization: `Bearer ${token}` }

    const loaded = {
      name: 'Söl\u0000 ß',
      product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
      brand: 'Example Bank',
      state: 'RETIRED',
      effective_to: '1999-01-01T00:00:00Z',
      updated_by: 'load',
      updated_by_name: 'holdfast load',
    }
    assert.deepEqual((await send(path, { headers })).body.data.products, [
      {
        product_id: 'p1',
        ...loaded,
        version: 1,
        has_draft: false,
        updated_at: '1970-01-01T00:00:00Z',
      },
      {
        product_id: 'p2',
        ...loaded,
        version: 2,
        has_draft: true,
        updated_at: '1970-01-01T00:00:00.001Z',
      },
    ])
    const { body } = await send(path.replace(/text=.*&/, 'state=DRAFT&'), { headers })
    assert.deepEqual(body.data.products, [
      {
        product_id: 'p3',
        name: 'Later',
        product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
        brand: 'Example Bank',
        state: 'DRAFT',
        has_draft: true,
        effective_from: '2029-12-31T14:00:00Z',
        updated_at: '1970-01-01T00:00:00.002Z',
        updated_by: 'c',
        updated_by_name: 'Ana',
      },
    ])
  })
})

/** Opens a database, which migrates it. */
const openInWorker = `
  const { databaseFile, module } = require('node:worker_threads').workerData
  import(module).then(({ openDatabase }) => openDatabase(databaseFile, 'read').close())`

describeOn('sqlite', 'the migration of products', () => {
  it('needs less memory than their records', async (t) => {
    const record = quote(JSON.stringify({ ...minimalProduct, description: 'x'.repeat(250_000) }))
    const numbers = `with recursive numbers (n) as (
      select 1 union all select n + 1 from numbers where n < 100)`
    const database = await createEarlierDatabase(t, beforeSummaries, [
      `${numbers} insert into product_version select 'p' || n, 1, 'CREATED', 0, 'load', 'holdfast load',
        '1970-01-01T00:00:00Z', ${record}, ${record} from numbers`,
      `${numbers} insert into product
        select 'p' || n, 1, 'TRANS_AND_SAVINGS_ACCOUNTS', 'Example Bank', null, null, 0 from numbers`,
    ])
    const databaseFile = database.slice('sqlite:'.length)
    const module = import.meta.resolve('../../src/storage/sqlite/driver/open.ts')

    const worker = new Worker(openInWorker, {
      eval: true,
      workerData: { databaseFile, module },
      resourceLimits: { maxOldGenerationSizeMb: 48 },
    })
    await once(worker, 'exit')

    const migrated = new DatabaseSync(databaseFile, { readOnly: true })
    t.after(() => migrated.close())
    const { total } = migrated.prepare('select count(*) as total from product_summary').get() ?? {}
    assert.equal(total, 100)
  })
})
