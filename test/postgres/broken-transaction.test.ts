import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ContractError } from '../../src/contract/index.ts'
import { makePool } from '../../src/storage/postgres/driver/pool.ts'
import { inTransaction, rowsOf } from '../../src/storage/postgres/driver/statements.ts'
import { asOwner, describeOn, newDatabase } from '../support/engines.ts'

describeOn('postgres', 'a connection that breaks between two statements', () => {
  it('is an outage to the transaction, and nothing to the process and the next one', async (t) => {
    const database = await newDatabase({ after: (work) => t.after(work) })
    const pool = makePool(database, 'write', {})
    t.after(() => pool.end())
    const who = { name: 'who', text: 'select pg_backend_pid()' }

    await assert.rejects(
      inTransaction(pool, async (ask) => {
        const [[pid] = []] = await ask(who, [])
        await asOwner(`select pg_terminate_backend(${pid}, 5000)`, database)
        await ask(who, [])
      }),
      (error: unknown) => error instanceof ContractError && error.code === 'unavailable',
    )

    assert.equal((await rowsOf(pool, who, [])).length, 1)
  })
})
