import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { ContractError } from '../../src/contract/index.ts'
import { openProviderStore } from '../../src/storage/open.ts'
import { describeOn, newDatabase } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'

/** Reads that have a connection, and reads that wait for one. */
const acceptedMax = 4 + 256

async function openStore(t: TestContext) {
  const database = await newDatabase({ after: (work) => t.after(work) })
  const data = [lines.customer('ana'), lines.bankingAccount('a1', { ana: true })]
  await loadInProcess(database, data, '2025-01-01T00:00:00Z')
  const store = await openProviderStore(database)
  t.after(() => store.close())
  const read = () =>
    store.listEntriesOfAccounts({
      customerId: 'ana',
      accountIds: ['a1'],
      list: 'transaction',
      filters: { openStatus: 'ALL' },
      page: 1,
      pageSize: 25,
    })
  return { read }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ContractError && error.code === 'unavailable'
}

describeOn('sqlite', 'reads that take several event-loop iterations', () => {
  it('are rejected above a limit, until others have finished', async (t) => {
    const { read } = await openStore(t)

    const results = await Promise.allSettled(Array.from({ length: acceptedMax + 10 }, read))
    const rejected = results.filter(({ status }) => status === 'rejected')

    assert.equal(rejected.length, 10)
    assert.ok(rejected.every((result) => isUnavailable((result as PromiseRejectedResult).reason)))
    assert.deepEqual(await read(), { items: [], total: 0 })
  })

  it('are rejected if they waited too long', async (t) => {
    const { read } = await openStore(t)
    let now = 0
    t.mock.method(performance, 'now', () => now)

    const running = Array.from({ length: 4 }, read)
    const late = read()
    now = 5001
    await Promise.all(running)

    await assert.rejects(late, isUnavailable)
    assert.deepEqual(await read(), { items: [], total: 0 })
  })
})
