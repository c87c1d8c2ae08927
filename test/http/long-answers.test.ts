import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { ContractError } from '../../src/contract/index.ts'
import { openProviderStore } from '../../src/storage/open.ts'
import { describeOn, newDatabase } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'

/** As many as may have a connection, and wait for one. */
const begunMax = 4 + 256

async function openStore(t: TestContext) {
  const database = await newDatabase({ after: (work) => t.after(work) })
  const data = [lines.customer('ana'), lines.bankingAccount('a1', { ana: true })]
  await loadInProcess(database, data, '2025-01-01T00:00:00Z')
  const store = await openProviderStore(database)
  t.after(() => store.close())
  const ask = () =>
    store.listEntriesOfAccounts({
      customerId: 'ana',
      accountIds: ['a1'],
      list: 'transaction',
      filters: { openStatus: 'ALL' },
      page: 1,
      pageSize: 25,
    })
  return { ask }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

describeOn('sqlite', 'answers that take several turns', () => {
  it('are begun up to a number, and beyond it refused until there is room', async (t) => {
    const { ask } = await openStore(t)

    const ends = await Promise.allSettled(Array.from({ length: begunMax + 10 }, ask))
    const refused = ends.filter(({ status }) => status === 'rejected')

    assert.equal(refused.length, 10)
    assert.ok(refused.every((end) => isUnavailable((end as PromiseRejectedResult).reason)))
    assert.deepEqual(await ask(), { items: [], total: 0 })
  })

  it('are given up where they waited too long', async (t) => {
    const { ask } = await openStore(t)
    let now = 0
    t.mock.method(performance, 'now', () => now)

    const begun = Array.from({ length: 4 }, ask)
    const late = ask()
    now = 5001
    await Promise.all(begun)

    await assert.rejects(late, isUnavailable)
    assert.deepEqual(await ask(), { items: [], total: 0 })
  })
})
