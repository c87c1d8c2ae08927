import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openSql } from '../../src/storage/open.ts'
import { createScope, describeOn, newDatabase } from '../support/engines.ts'
import { openLossyProxy } from '../support/lossy-proxy.ts'
import { until } from '../support/until.ts'

const add = `insert into attempt_limit (key, full_at) values ('k', 1)`
const change = `update attempt_limit set full_at = full_at + 1 where key = 'k'`

describeOn('postgres', 'a transaction whose client disappears', () => {
  it('releases its locks when its time is over', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const proxy = await openLossyProxy(scope, database)
    const lost = await openSql(proxy.database, { timeoutMs: 1000 })
    scope.after(() => lost.close())
    const other = await openSql(database)
    scope.after(() => other.close())
    await other.run(add)

    const disappeared = lost.transaction(async (transaction) => {
      await transaction.run(change)
      proxy.lose()
      await transaction.run(change)
    })

    await assert.rejects(disappeared, { code: 'unavailable' })
    await until(() =>
      other.run(change).then(
        (count) => count === 1,
        () => false,
      ),
    )
  })
})
