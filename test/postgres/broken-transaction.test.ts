import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ContractError } from '../../src/contract/index.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { inTransaction, runStatement } from '../../src/storage/postgres/driver/statements.ts'
import { describeOn, newDatabase, runSql } from '../support/engines.ts'

describeOn('postgres', 'a connection that breaks between two statements', () => {
  it('fails the transaction as unavailable, and neither ends the process nor fails the next statement', async (t) => {
    const database = await newDatabase({ after: (work) => t.after(work) })
    const pool = makePool(database, 'write', {})
    t.after(() => pool.end())
    const backend = 'select pg_backend_pid()'

    await assert.rejects(
      inTransaction(pool, async (query) => {
        const [[pid] = []] = await query(backend, [])
        await runSql(`select pg_terminate_backend(${pid}, 5000)`, database)
        await query(backend, [])
      }),
      (error: unknown) => error instanceof ContractError && error.code === 'unavailable',
    )

    assert.equal((await runStatement(pool, backend, [])).length, 1)
  })
})
