import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readItem } from '../../src/intake/load.ts'
import { openConsentStore, openProviderStore, openProviderWriter } from '../../src/storage/open.ts'
import { after, makeArrangement, makeThirdParty, now } from '../consent/stores.ts'
import { describeOn, newDatabase, runSql } from '../support/engines.ts'
import { bankingAccount, customer } from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'
import { until } from '../support/until.ts'

/** The first values of the row of a query, as numbers. */
async function readNumbers(sql: string, database: string): Promise<number[]> {
  const [row = []] = await runSql(sql, database)
  return row.map(Number)
}

describeOn('postgres', 'a load in batches', () => {
  it('reads no lines of earlier batches for a batch that deletes no account', async (t) => {
    const database = await newDatabase(t)
    const writer = await openProviderWriter(database, { loadTime: now, inBatches: true })
    t.after(() => writer.close())
    let line = 0
    const writeBatch = async () => {
      line += 1
      const text = JSON.stringify(bankingAccount(`a${line}`, { ana: true }))
      const read = readItem({ line, text }, 0)
      assert.ok('item' in read)
      await writer.write([read.item])
      await writer.commit()
    }
    const counts = `select n_tup_ins, seq_tup_read from pg_stat_all_tables
      where relname = 'unresolved_line' and n_tup_ins > 2`

    // A server publishes what a session has counted after a commit, once a second.
    await until(async () => {
      await writeBatch()
      return (await readNumbers(counts, database)).length > 0
    })

    const [written, read] = await readNumbers(counts, database)
    assert.deepEqual({ read }, { read: 0 }, `${written} lines`)
  })
})

describeOn('postgres', 'a search by e-mail address', () => {
  it('reads only the customers that it returns, also by a plan from before the others existed', async (t) => {
    const database = await newDatabase(t)
    await loadInProcess(database, [
      { ...customer('c1', { email: 'own@example.com' }), emails: ['clerk@example.com'] },
      customer('c2', { email: 'clerk@example.com' }),
    ])
    const store = await openProviderStore(database, { connections: 1 })
    const search = async () => (await store.findCustomers('clerk@example.com')).length
    assert.equal(await search(), 2)

    await runSql(
      `insert into customer (id, email, match, emails, record)
         select 'other' || i, i || '@example.com', '{}', '[]', '{}' from generate_series(1, 5000) i;
       insert into further_email select number, 'agent' || number from customer`,
      database,
    )
    for (let count = 0; count < 10; count += 1) assert.equal(await search(), 2)
    assert.deepEqual(await store.findCustomers('unknown@example.com'), [])
    await store.close()

    const reads = (column: string) => `select coalesce(sum(${column}), 0) from pg_stat_user_tables
      where relname in ('customer', 'further_email')`
    await until(async () => ((await readNumbers(reads('n_tup_ins'), database))[0] ?? 0) > 5000)
    const [sequential = 0] = await readNumbers(reads('seq_scan'), database)
    // The load and the insertion above read the tables too.
    assert.ok(sequential < 11, `${sequential} sequential scans`)
  })
})

describeOn('postgres', 'an artifact of an arrangement', () => {
  it('is found without reading other arrangements, also by a plan from before they existed', async (t) => {
    const database = await newDatabase(t)
    await runSql('alter table arrangement set (autovacuum_enabled = false)', database)
    const store = await openConsentStore(database, { connections: 1 })
    const { artifacts, arrangements, thirdParties } = store
    await thirdParties.add(makeThirdParty('tp'))
    await arrangements.add(makeArrangement('g1'))
    const artifact = { payload: '{}', uid: 'u1', grantId: 'g1', expires: after(60) }
    await artifacts.put('AccessToken', 'k1', artifact, now)
    const findBoth = async () => [
      await artifacts.find('AccessToken', 'k1', now),
      await artifacts.findByUid('AccessToken', 'u1', now),
    ]
    assert.deepEqual(await findBoth(), [{ payload: '{}' }, { payload: '{}' }])

    await runSql(
      `insert into arrangement select 'other' || i, third_party, customer, accounts, scopes, starts,
         ends, status, updated from arrangement, generate_series(1, 5000) i`,
      database,
    )
    assert.deepEqual(await findBoth(), [{ payload: '{}' }, { payload: '{}' }])
    await store.close()

    // The session publishes what it has counted when it ends.
    const inserted = `select n_tup_ins from pg_stat_user_tables where relname = 'artifact'`
    await until(async () => (await readNumbers(inserted, database))[0] === 1)
    const [read = 0] = await readNumbers(
      `select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'arrangement'`,
      database,
    )
    assert.ok(read < 100, `${read} rows`)
  })
})
