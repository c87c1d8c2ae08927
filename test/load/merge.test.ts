import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import pg from 'pg'
import { openProviderStore } from '../../src/storage/open.ts'
import { currentLayout, describeOnLayouts, listSessions, runSql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { dumpDatabase } from '../support/load.ts'
import { finish, kill, runInProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { loadAt, openBank, splitLines } from './bank.ts'
import { put, removal, undated } from './lines.ts'

const now = Temporal.Instant.from('2026-01-01T00:00:00Z')
const baseLines = [put.customer('c1'), put.account('a1', ['c1'])]

function toChunks(lines: readonly string[]): Buffer[] {
  return lines.map((each) => Buffer.from(`${each}\n`))
}

/** Waits until a session of the database meets the condition; returns its process id. */
async function waitForSession(database: string, condition: string): Promise<string> {
  let found: string | undefined
  await until(async () => {
    found = (await listSessions(database, condition))[0]
    return found !== undefined
  })
  return found ?? ''
}

/** The session of a load that waits for a lock. */
const waitingLoad = `wait_event_type = 'Lock'`

/** Blocks every load in the middle of its merge, where it writes products. */
async function blockMerge(t: TestContext, database: string) {
  const client = new pg.Client({ connectionString: database })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin; lock table product in share mode')
  t.after(() => client.end())
  return { release: () => client.query('rollback') }
}

const before = [...baseLines, put.transaction('a1', 't1'), put.product('p1')]
const after = [
  put.customer('c1', { phoneNumber: '+61 2 5550 0000' }),
  put.customer('c2'),
  put.transaction('a1', 't2'),
  put.product('p2'),
]

describeOnLayouts('the merge of a load', () => {
  it('waits for another merge, and sees what that has committed', async (t) => {
    const bank = await openBank(t)
    const database = bank.database()
    await bank.fill([...before])
    const blocker = await blockMerge(t, database)
    const first = loadAt(database, now, toChunks([put.customer('c2'), put.product('p2')]))
    await waitForSession(database, waitingLoad)

    const second = loadAt(database, now, toChunks([put.account('a2', ['c2']), put.product('p3')]))
    await waitForSession(database, `wait_event = 'advisory'`)
    await blocker.release()

    for (const { errors } of await Promise.all([first, second])) assert.deepEqual(errors, [])
    assert.equal(splitLines(await bank.dump()).length, before.length + 4)
  })

  it('does not block readers, and is invisible until its commit', async (t) => {
    const bank = await openBank(t)
    const database = bank.database()
    await bank.fill(before)
    const dump = await bank.dump()
    const store = await openProviderStore(database)
    t.after(() => store.close())
    const customer = await store.readCustomer('c1')
    const blocker = await blockMerge(t, database)

    const load = loadAt(database, now, toChunks(after))
    const pid = await waitForSession(database, waitingLoad)
    const blockingLocks = await runSql(
      `select c.relname, l.mode from pg_locks l join pg_class c on c.oid = l.relation
       where l.pid = ${pid} and l.granted and c.relpersistence = 'p'
         and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')`,
      database,
    )
    // On Citus, a dump waits for loads.
    const during = currentLayout() === 'citus' ? dump : await bank.dump()
    const customerDuring = await store.readCustomer('c1')
    await blocker.release()
    const { errors } = await load

    assert.deepEqual(blockingLocks, [])
    assert.equal(during, dump)
    assert.equal(customerDuring, customer)
    assert.deepEqual(errors, [])
    assert.notEqual(await store.readCustomer('c1'), customer)
  })

  it('leaves the state before the load when its process is killed', async (t) => {
    const bank = await openBank(t)
    await bank.fill(before)
    const dump = await bank.dump()
    bank.write('after.ndjson', after)
    const blocker = await blockMerge(t, bank.database())
    const load = bank.start(['load', 'after.ndjson'])
    const pid = await waitForSession(bank.database(), waitingLoad)

    await kill(load)
    await blocker.release()
    await until(async () => (await listSessions(bank.database(), `pid = ${pid}`)).length === 0)

    assert.equal(await bank.dump(), dump)
    await bank.fill(after)
    assert.equal(splitLines(await bank.dump()).length, before.length + 3)
  })

  it('leaves the state before the load when the connection is lost, and reports so', async (t) => {
    const bank = await openBank(t)
    await bank.fill(before)
    const dump = await bank.dump()
    bank.write('after.ndjson', after)
    await blockMerge(t, bank.database())
    const load = bank.start(['load', 'after.ndjson'])
    const result = finish(load)
    const pid = await waitForSession(bank.database(), waitingLoad)

    await runSql(`select pg_terminate_backend(${pid})`, bank.database())

    assert.deepEqual(await result, {
      status: 1,
      stdout: '',
      stderr: 'the connection to the database was lost: uncommitted changes were discarded\n',
    })
    assert.equal(await bank.dump(), dump)
  })

  it('does not start when the connection is lost while lines are read', async (t) => {
    const bank = await openBank(t)
    await bank.fill(before)
    const dump = await bank.dump()
    const load = bank.start(['load', '-'])
    const result = finish(load)
    load.stdin.on('error', () => {})
    load.stdin.write(after.map((each) => `${each}\n`).join(''))
    const pid = await waitForSession(
      bank.database(),
      `query like '%create temp table%' and state = 'idle'`,
    )

    await runSql(`select pg_terminate_backend(${pid})`, bank.database())
    load.stdin.end(put.product('p3'))

    assert.deepEqual(await result, {
      status: 1,
      stdout: '',
      stderr: 'the connection to the database was lost: uncommitted changes were discarded\n',
    })
    assert.equal(await bank.dump(), dump)
  })

  it('does not rewrite unchanged rows', async (t) => {
    const bank = await openBank(t)
    const lines = [
      ...before,
      put.balance('a1'),
      put.contact('a1'),
      put.payment('a1', 's1'),
      put.debit('a1', 'd1'),
      undated('a1', 't0'),
      removal('customer', { id: 'c9' }),
    ]
    const versions = () =>
      runSql(
        ['customer', 'account', 'holder', 'balance', 'contact', 'entry', 'product']
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

    assert.equal(once.length, 10)
    assert.deepEqual(twice, once)
    assert.deepEqual(await versions(), once)
  })

  it('rewrites only entries after a new one', async (t) => {
    const bank = await openBank(t)
    const at = (day: number) => `2025-03-${10 + day}T00:00:00Z`
    const entry = (day: number) => put.transaction('a1', `t${day}`, { postingDateTime: at(day) })
    const versions = async () =>
      new Map(
        (await runSql('select id, xmin::text || ctid::text from entry', bank.database())).map(
          ([id = '', version]) => [id, version],
        ),
      )
    await bank.fill([...baseLines, ...[1, 2, 4, 5].map(entry)])
    const first = await versions()

    await bank.fill([entry(6)])
    const appended = await versions()
    await bank.fill([entry(3)])
    const inserted = await versions()

    assert.deepEqual(changed(first, appended), ['t6'])
    assert.deepEqual(changed(appended, inserted), ['t3', 't4', 't5', 't6'])
  })
})

function changed(before: Map<string, unknown>, after: Map<string, unknown>): string[] {
  return [...after.keys()].filter((id) => before.get(id) !== after.get(id)).sort()
}

describeOnLayouts('a dump', () => {
  it('is identical after a load into the other engine and back', async (t) => {
    const bank = await openBank(t)
    const folder = await temporaryFolder(t)
    const files = ['one', 'two'].map((name) => `sqlite:${join(folder, `${name}.db`)}`)
    const { stdout } = await runInProcess(['generate', '--customers', '4', '--seed', '7'])
    const lines = [
      ...splitLines(stdout),
      undated('b-000001-1', 't'),
      removal('customer', { id: 'x' }),
    ]

    await loadAt(files[0] ?? '', now, toChunks(lines))
    const first = await dumpDatabase(files[0] ?? '')
    await bank.fill(first)
    const second = await bank.dump()
    await loadAt(files[1] ?? '', now, toChunks(splitLines(second)))

    assert.ok(first.length > 100_000)
    assert.ok(second === first)
    assert.ok((await dumpDatabase(files[1] ?? '')) === first)
  })
})
