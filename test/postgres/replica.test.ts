import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { openProviderStore } from '../../src/storage/open.ts'
import { describeOn, runSql } from '../support/engines.ts'
import { loadInProcess } from '../support/load.ts'
import { inTime } from '../support/patience.ts'
import { makePostgres, superuser } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const customer = (name: string) => ({
  type: 'customer',
  record: { id: 'c1', name, email: 'a@example.com' },
})

/** A primary and a streaming replica. */
async function openPair(t: TestContext) {
  const primary = await makePostgres()
  t.after(() => primary.remove())
  await primary.start()
  const load = (name: string) =>
    loadInProcess(primary.url(), [customer(name)], '2025-01-01T00:00:00Z')
  await load('first')
  await primary.stop()
  const replica = await makePostgres({
    settings: { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${superuser}` },
    async prepare(folder) {
      execFileSync('cp', ['-a', `${primary.folder}/.`, folder])
      writeFileSync(join(folder, 'standby.signal'), '')
    },
  })
  t.after(() => replica.remove())
  await primary.start()
  await replica.start()
  return { primary, replica, load }
}

/** How many connections of a server last ran a read of a customer. */
const readsOnReplica = `select count(*)::text from pg_stat_activity
  where application_name = 'holdfast' and query like '%left join customer o on o.id = $1%'`

describeOn('postgres', 'a replica', () => {
  it('is read while it is up to date, and not while it lags or is unreachable', async (t) => {
    const { primary, replica, load } = await openPair(t)
    const store = await openProviderStore(primary.url(), {
      replica: replica.url(),
      replicaLagMax: 1,
    })
    t.after(() => store.close())
    const name = async () => JSON.parse(String(await store.readCustomer('c1'))).name
    const isRead = async () => (await runSql(readsOnReplica, replica.url()))[0]?.[0] !== '0'
    /** Every read until the replica is read has this name. */
    const untilRead = (expected: string) =>
      until(async () => {
        assert.equal(await name(), expected)
        return isRead()
      })

    await untilRead('first')

    await runSql('select pg_wal_replay_pause()', replica.url())
    await load('second')
    await until(async () => (await name()) === 'second')

    await runSql('select pg_wal_replay_resume()', replica.url())
    await runSql(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'holdfast'`,
      replica.url(),
    )
    await untilRead('second')

    await replica.stop('crash')
    for (let turn = 0; turn < 20; turn += 1) assert.equal(await inTime(name()), 'second')
    await replica.start()
    await untilRead('second')
  })
})
