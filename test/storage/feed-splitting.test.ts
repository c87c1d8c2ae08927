import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import type { BatchResult } from '../../src/intake/feed-writer.ts'
import { put, removal, undated } from '../load/lines.ts'
import { currentEngine, describe, type Scope, withScope } from '../support/engines.ts'
import { commitOne, createBatch, openFeeds } from '../support/feed.ts'
import { dumpDatabase } from '../support/load.ts'
import { propertyRuns } from '../support/properties.ts'

const account = fc.constantFrom('a1', 'a2')
const id = fc.constantFrom('t1', 't2', 't3')
const amount = fc.constantFrom('1.00', '2.00')
const time = fc.constantFrom('2025-01-01T00:00:00Z', '2025-02-01T00:00:00Z', '2025-03-01T00:00:00Z')

const transaction = fc
  .record({ account, id, amount, time })
  .map((at) => put.transaction(at.account, at.id, { amount: at.amount, postingDateTime: at.time }))

/** Products are excluded: only the last line of a batch for a product has an effect. */
const line = fc.oneof(
  { weight: 6, arbitrary: transaction },
  {
    weight: 2,
    arbitrary: fc
      .record({ account, id })
      .map(({ account, id }) =>
        removal('banking.transaction', { accountId: account, transactionId: id }),
      ),
  },
  fc.record({ account, amount }).map((at) => undated(at.account, 'u1', { amount: at.amount })),
  fc
    .record({ account, amount })
    .map((at) => put.debit(at.account, 'd1', { lastDebitAmount: at.amount })),
  fc
    .record({ account, amount })
    .map((at) => put.balance(at.account, { currentBalance: at.amount })),
  fc
    .record({ account, holder: fc.constantFrom('c1', 'c2') })
    .map((at) => put.account(at.account, [at.holder])),
  account.map((accountId) => removal('banking.account', { accountId })),
  account.map((accountId) => removal('banking.balance', { accountId })),
  account.map((accountId) => put.contact(accountId)),
  fc.constantFrom('c1', 'c2').map((customerId) => removal('customer', { id: customerId })),
  fc.constantFrom('c1', 'c2').map((customerId) => put.customer(customerId)),
)

const start = [
  put.customer('c1'),
  put.customer('c2'),
  put.account('a1', ['c1']),
  put.account('a2', ['c2']),
  put.transaction('a1', 't1', { postingDateTime: '2025-02-15T00:00:00Z' }),
]

/** A commit costs several times as much on PostgreSQL. */
const runs = { sqlite: 6, postgres: 2 }

describe('one batch and a batch for each of its lines', () => {
  it('have the same effect and the same counts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) =>
        withScope((scope) => compareSplit(scope, lines)),
      ),
      propertyRuns(runs[currentEngine()]),
    )
  })
})

async function compareSplit(scope: Scope, lines: readonly string[]): Promise<void> {
  const single = await openFeeds(scope)
  const whole = await openFeeds(scope)
  await single.add(...start)
  await whole.add(...start)

  const accepted: string[] = []
  const results: BatchResult[] = []
  for (const text of lines) {
    const batch = createBatch('core', results.length + 2, [text])
    const outcome = await commitOne(single.writer, batch)
    if (!('result' in outcome)) continue
    accepted.push(text)
    results.push(outcome.result)
  }
  assert.deepEqual(await whole.add(...accepted), sum(results))
  assert.equal(await dumpDatabase(whole.database), await dumpDatabase(single.database))
}

function sum(results: readonly BatchResult[]): BatchResult {
  const total = { lines: 0, created: 0, changed: 0, unchanged: 0, deleted: 0 }
  for (const result of results) {
    for (const name of Object.keys(total) as (keyof BatchResult)[]) total[name] += result[name]
  }
  return total
}

describe('batches of different feeds in one commit', () => {
  it('assign a new time to a transaction that the first removed and the second contains', async (t) => {
    const { add, setClock, writer, database } = await openFeeds(t)
    await add(...start, undated('a1', 'removed'), undated('a1', 'dated'))
    setClock('2025-09-01T00:00:00Z')
    await writer.commit([
      createBatch('one', 1, [
        removal('banking.transaction', { accountId: 'a1', transactionId: 'removed' }),
        put.transaction('a1', 'dated'),
      ]),
      createBatch('two', 1, [undated('a1', 'removed'), undated('a1', 'dated')]),
    ])
    const times = [...(await dumpDatabase(database)).matchAll(/"effectiveTime":"([^"]*)"/g)]
    assert.deepEqual(
      times.map(([, time]) => time),
      ['2025-09-01T00:00:00Z', '2025-09-01T00:00:00Z'],
    )
  })
})
