import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { openClientStore } from '../../src/storage/open.ts'
import { createScope, describeOn, listSessions, newDatabase, runSql } from '../support/engines.ts'
import { until } from '../support/until.ts'

const at = (seconds: number) => Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
const client = { id: 'core', name: 'core' }

/** The planner chooses one of them from statistics, so those of two processes may differ. */
const plans = [
  'enable_bitmapscan = off, enable_seqscan = off',
  'enable_bitmapscan = off, enable_indexscan = off',
]

describeOn('postgres', 'expired tokens', () => {
  it('are deleted by two processes without a deadlock, in whatever order each reads them', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const name = new URL(database).pathname.slice(1)
    const issues = []
    for (const plan of plans) {
      await runSql(`alter database ${name} reset all`)
      for (const setting of plan.split(', ')) await runSql(`alter database ${name} set ${setting}`)
      const store = await openClientStore(database)
      scope.after(() => store.close())
      const issue = (digest: string, expires: number, now: number) =>
        store.addToken(digest, { client, scopes: [], expires: at(expires) }, 'hash', at(now))
      // Opens its connection, with these settings. In the table, the last token to expire is the first row.
      if (issues.length === 0) await issue('last', 3, 0)
      else await issue('middle', 2, 0)
      issues.push(issue)
    }
    await issues[0]?.('first', 1, 0)
    const other = new pg.Client({ connectionString: database })
    await other.connect()
    scope.after(() => other.end())
    await other.query(`begin; select from api_token where digest = 'middle' for update`)

    const issued = issues.map((issue, index) => issue(`new ${index}`, 100, 10))
    await until(async () => (await listSessions(database, `wait_event_type = 'Lock'`)).length === 2)
    await other.query('commit')
    await Promise.all(issued)

    const left = await runSql('select digest from api_token order by 1', database)
    assert.deepEqual(left.flat(), ['new 0', 'new 1'])
  })
})
