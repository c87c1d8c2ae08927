import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dialect } from '../../src/storage/postgres/driver/sql.ts'
import { describeOn, runSql } from '../support/engines.ts'

describeOn('postgres', 'the clock of restrictions', () => {
  it('is never ahead of the server, so that no restriction ends early', async () => {
    const ahead = `select ${dialect.now} - extract(epoch from statement_timestamp()) * 1000`

    for (let count = 0; count < 30; count += 1) {
      const [[milliseconds] = []] = await runSql(ahead)
      assert.ok(Number(milliseconds) <= 0, `${milliseconds} ms`)
    }
  })
})
