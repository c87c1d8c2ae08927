import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openProviderStore } from '../../src/storage/open.ts'
import { asOwner, describeOn } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { finish, kill, runHoldfast } from '../support/process.ts'
import { linesOf, loadAt, openBank } from './bank.ts'
import { put, removal, timeless } from './lines.ts'

const timeout = 120_000
const now = Temporal.Instant.from('2026-01-01T00:00:00Z')
const people = [put.customer('c1'), put.account('a1', ['c1'])]

function bytes(lines: readonly string[]): Buffer[] {
  return lines.map((each) => Buffer.from(`${each}\n`))
}

/** Asks the database again and again. */
async function untilFound(database: string, sql: string): Promise<string[]> {
  for (;;) {
    const [row] = await asOwner(sql, database)
    if (row) return row
    await setTimeout(1)
  }
}

/** A load that waits for somebody, and the number of its session. */
const waitingLoad = `
  select pid from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`

/** Keeps every load from going on where it comes to the products, in the middle of its merge. */
async function obstruct(t: TestContext, database: string) {
  const client = new pg.Client({ connectionString: database })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin; lock table product in share mode')
  t.after(() => client.end())
  return { letGo: () => client.query('rollback') }
}

const before = [...people, put.transaction('a1', 't1'), put.product('p1')]
const after = [
  put.customer('c1', { phoneNumber: '+61 2 5550 0000' }),
  put.customer('c2'),
  put.transaction('a1', 't2'),
  put.product('p2'),
]

describeOn('postgres', 'the merge of a load', { timeout }, () => {
  it('waits for another one, and judges by what that has committed', async (t) => {
    const bank = await openBank(t)
    const database = bank.database()
    await bank.fill([...before])
    const obstacle = await obstruct(t, database)
    const first = loadAt(database, now, bytes([put.customer('c2'), put.product('p2')]))
    await untilFound(database, waitingLoad)

    const second = loadAt(database, now, bytes([put.account('a2', ['c2']), put.product('p3')]))
    await untilFound(
      database,
      `select 1 from pg_locks where locktype = 'advisory' and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    )
    await obstacle.letGo()

    assert.deepEqual(await Promise.all([first, second]), [[], []])
    assert.equal(linesOf(await bank.dump()).length, before.length + 4)
  })

  it('keeps nobody from reading, and shows nothing before its end', async (t) => {
    const bank = await openBank(t)
    const database = bank.database()
    await bank.fill(before)
    const dump = await bank.dump()
    const store = await openProviderStore(database)
    t.after(() => store.close())
    const customer = await store.readCustomer('c1')
    const obstacle = await obstruct(t, database)

    const load = loadAt(database, now, bytes(after))
    const [pid] = await untilFound(database, waitingLoad)
    const strong = await asOwner(
      `select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation
       where l.pid = ${pid} and l.granted and c.relpersistence = 'p'
         and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')`,
      database,
    )
    const during = await bank.dump()
    const customerDuring = await store.readCustomer('c1')
    await obstacle.letGo()
    const refusals = await load

    assert.deepEqual(strong, [])
    assert.equal(during, dump)
    assert.equal(customerDuring, customer)
    assert.deepEqual(refusals, [])
    assert.notEqual(await store.readCustomer('c1'), customer)
  })

  it('leaves what was before when its process is killed', async (t) => {
    const bank = await openBank(t)
    await bank.fill(before)
    const dump = await bank.dump()
    bank.write('after.ndjson', after)
    const obstacle = await obstruct(t, bank.database())
    const load = bank.start(['load', 'after.ndjson'])
    const [pid] = await untilFound(bank.database(), waitingLoad)

    await kill(load)
    await obstacle.letGo()
    await untilFound(
      bank.database(),
      `select 1 where not exists (select from pg_stat_activity where pid = ${pid})`,
    )

    assert.equal(await bank.dump(), dump)
    await bank.fill(after)
    assert.equal(linesOf(await bank.dump()).length, before.length + 3)
  })

  it('leaves what was before when the connection is lost, and says so', async (t) => {
    const bank = await openBank(t)
    await bank.fill(before)
    const dump = await bank.dump()
    bank.write('after.ndjson', after)
    await obstruct(t, bank.database())
    const load = bank.start(['load', 'after.ndjson'])
    const result = finish(load)
    const [pid] = await untilFound(bank.database(), waitingLoad)

    await asOwner(`select pg_terminate_backend(${pid})`)

    assert.deepEqual(await result, {
      status: 1,
      stdout: '',
      stderr: 'the connection to the database was lost: what was not committed is not kept\n',
    })
    assert.equal(await bank.dump(), dump)
  })

  it('is not begun when the connection is lost while lines still come', async (t) => {
    const bank = await openBank(t)
    await bank.fill(before)
    const dump = await bank.dump()
    const load = bank.start(['load', '-'])
    const result = finish(load)
    load.stdin.on('error', () => {})
    load.stdin.write(after.map((each) => `${each}\n`).join(''))
    const [pid] = await untilFound(
      bank.database(),
      `select pid from pg_stat_activity where datname = current_database()
         and pid <> pg_backend_pid() and query like '%create temp table%' and state = 'idle'`,
    )

    await asOwner(`select pg_terminate_backend(${pid})`)
    load.stdin.end(put.product('p3'))

    assert.deepEqual(await result, {
      status: 1,
      stdout: '',
      stderr: 'the connection to the database was lost: what was not committed is not kept\n',
    })
    assert.equal(await bank.dump(), dump)
  })

  it('writes no row again that stays as it is', async (t) => {
    const bank = await openBank(t)
    const lines = [
      ...before,
      put.balance('a1'),
      put.contact('a1'),
      put.payment('a1', 's1'),
      put.debit('a1', 'd1'),
      timeless('a1', 't0'),
      removal('customer', { id: 'c9' }),
    ]
    const versions = () =>
      asOwner(
        ['customer', 'account', 'holder', 'balance', 'contact', 'entry', 'payment', 'product']
          .map((table) => `select '${table}', xmin::text, xmax::text, ctid::text from ${table}`)
          .join(' union all '),
        bank.database(),
      )
    await bank.fill(lines)
    const once = await versions()

    await bank.fill(lines)
    const twice = await versions()
    await bank.fill([
      removal('banking.account', { accountId: 'a1' }),
      ...lines.filter((each) => !each.includes('delete')),
    ])

    assert.equal(once.length, 11)
    assert.deepEqual(twice, once)
    assert.deepEqual(await versions(), once)
  })

  it('moves no entry but those that come after a new one', async (t) => {
    const bank = await openBank(t)
    const at = (day: number) => `2025-03-${10 + day}T00:00:00Z`
    const entry = (day: number) => put.transaction('a1', `t${day}`, { postingDateTime: at(day) })
    const versions = async () =>
      new Map(
        (await asOwner('select id, xmin::text || ctid::text from entry', bank.database())).map(
          ([id = '', version]) => [id, version],
        ),
      )
    await bank.fill([...people, ...[1, 2, 4, 5].map(entry)])
    const first = await versions()

    await bank.fill([entry(6)])
    const appended = await versions()
    await bank.fill([entry(3)])
    const inserted = await versions()

    assert.deepEqual(changed(first, appended), ['t6'])
    assert.deepEqual(changed(appended, inserted), ['t3', 't4', 't5', 't6'])
  })
})

function changed(one: Map<string, unknown>, other: Map<string, unknown>): string[] {
  return [...other.keys()].filter((id) => one.get(id) !== other.get(id)).sort()
}

describeOn('postgres', 'a dump', { timeout }, () => {
  it('of either database, loaded into the other, is the same again', async (t) => {
    const bank = await openBank(t)
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-dump-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const files = ['one', 'two'].map((name) => `sqlite:${join(folder, `${name}.db`)}`)
    const { stdout } = await runHoldfast(['generate', '--customers', '4', '--seed', '7'])
    const lines = [
      ...linesOf(stdout),
      timeless('b-000001-1', 't'),
      removal('customer', { id: 'x' }),
    ]

    await loadAt(files[0] ?? '', now, bytes(lines))
    const first = await dumpDatabase(files[0] ?? '')
    await bank.fill(first)
    const second = await bank.dump()
    await loadAt(files[1] ?? '', now, bytes(linesOf(second)))

    assert.ok(first.length > 100_000)
    assert.ok(second === first)
    assert.ok((await dumpDatabase(files[1] ?? '')) === first)
  })
})
