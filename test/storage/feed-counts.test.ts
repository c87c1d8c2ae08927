import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RecordType } from '../../src/contract/index.ts'
import { createExamples, exampleKeys, put, removal, undated } from '../load/lines.ts'
import { describe } from '../support/engines.ts'
import { openFeeds } from '../support/feed.ts'

const examples = Object.values(createExamples())
const exampleRemovals = Object.entries(exampleKeys).map(([type, key]) =>
  removal(type as RecordType, key),
)
const base = [put.customer('c1'), put.customer('c2'), put.account('a1', ['c1'])]

/** Lines that are committed first, the lines of a batch, and what they do: created, changed, unchanged, deleted. */
type Case = readonly [
  name: string,
  before: readonly string[],
  lines: readonly string[],
  counts: readonly [number, number, number, number],
]

const removeAccount = removal('banking.account', { accountId: 'a1' })
const removeTransaction = removal('banking.transaction', { accountId: 'a1', transactionId: 't1' })
const restricted = { accountId: 'a1' }
const early = { postingDateTime: '2025-01-01T00:00:00Z' }
const late = { postingDateTime: '2025-05-01T00:00:00Z' }
const shared = { users: [{ id: 1, email: 'ana@example.com' }] }
const owned = (isOwned: boolean) =>
  JSON.stringify({
    type: 'banking.account',
    holders: [{ customerId: 'c1', isOwned }],
    record: { accountId: 'a1', ...shared },
  })

const cases: readonly Case[] = [
  ['each type is created', [], examples, [12, 0, 0, 0]],
  ['each type is unchanged', examples, examples, [0, 0, 12, 0]],
  ['what was deleted with its account does not count', examples, exampleRemovals, [0, 0, 7, 5]],
  ['each type is deleted', examples, exampleRemovals.toReversed(), [0, 0, 0, 12]],
  [
    'each type is changed',
    [...examples, put.product('p2')],
    [
      put.customer('c1', { phoneNumber: '+61491570006' }),
      put.account('a1', ['c1'], { nickname: 'other' }),
      put.energyAccount('e1', ['c1'], { displayName: 'other' }),
      put.balance('a1', { currentBalance: '77.00' }),
      put.transaction('a1', 't1', { amount: '77.00' }),
      put.product('p1', { name: 'other', last_updated: '2026-03-01T10:00:00+10:00' }),
    ],
    [0, 6, 0, 0],
  ],
  ['a deletion of what does not exist changes nothing', [], exampleRemovals, [0, 0, 12, 0]],
  [
    'an account of the other kind is not deleted',
    base,
    [removal('energy.account', { accountId: 'a1' })],
    [0, 0, 1, 0],
  ],
  [
    'a customer that was deleted is created again',
    [put.customer('c1'), removal('customer', { id: 'c1' })],
    [put.customer('c1')],
    [1, 0, 0, 0],
  ],
  [
    'digests of a removed customer change nothing',
    [],
    [
      JSON.stringify({
        type: 'customer',
        delete: { id: 'c9' },
        was: { email: 'A'.repeat(43), name: 'B'.repeat(43) },
      }),
    ],
    [0, 0, 1, 0],
  ],
  [
    'a new holder changes an account',
    base,
    [put.account('a1', ['c1', 'c2'], shared)],
    [0, 1, 0, 0],
  ],
  ['isOwned of a holder changes an account', [...base, owned(true)], [owned(false)], [0, 1, 0, 0]],
  [
    'a transaction is created, repeated, changed, deleted twice and created again',
    base,
    [
      put.transaction('a1', 't1'),
      put.transaction('a1', 't1'),
      put.transaction('a1', 't1', { amount: '7.00' }),
      removeTransaction,
      removeTransaction,
      put.transaction('a1', 't1'),
    ],
    [2, 1, 2, 1],
  ],
  [
    'the time of a transaction changes, also back',
    [...base, put.transaction('a1', 't1', late), put.transaction('a1', 't2', late)],
    [
      put.transaction('a1', 't1', early),
      put.transaction('a1', 't1', early),
      put.transaction('a1', 't1', late),
      put.transaction('a1', 't1', late),
    ],
    [0, 2, 2, 0],
  ],
  [
    'late transactions are created, unchanged, changed and deleted like others',
    [...base, put.transaction('a1', 'newest', late)],
    [
      put.transaction('a1', 't1', early),
      put.transaction('a1', 't1', early),
      put.transaction('a1', 't1', { ...early, amount: '7.00' }),
      removeTransaction,
      put.transaction('a1', 't1', early),
    ],
    [2, 1, 1, 1],
  ],
  [
    'a late transaction is repeated after the newest was deleted',
    [...base, put.transaction('a1', 'newest', late)],
    [
      put.transaction('a1', 't1', early),
      removal('banking.transaction', { accountId: 'a1', transactionId: 'newest' }),
      put.transaction('a1', 't1', early),
      put.transaction('a1', 't1', late),
    ],
    [1, 1, 1, 1],
  ],
  [
    'a transaction without a time is unchanged later',
    [...base, undated('a1', 't1')],
    [undated('a1', 't1'), undated('a1', 't1', { amount: '7.00' })],
    [0, 1, 1, 0],
  ],
  [
    'many transactions of which some exist',
    [...base, put.transaction('a1', 't7', early), put.transaction('a1', 't50', late)],
    Array.from({ length: 100 }, (_, index) => put.transaction('a1', `t${index}`, late)),
    [98, 1, 1, 0],
  ],
  [
    'an account is deleted and created again with its records',
    [...base, put.balance('a1'), put.contact('a1'), put.transaction('a1', 't1')],
    [
      removeAccount,
      ...base,
      put.balance('a1'),
      put.contact('a1'),
      put.transaction('a1', 't1'),
      removeAccount,
      removeAccount,
      put.account('a1', ['c1']),
      removeTransaction,
    ],
    [5, 0, 4, 2],
  ],
  [
    'a restriction is created, repeated, changed, deleted twice and created again',
    base,
    [
      put.restriction(restricted),
      put.restriction(restricted),
      put.restriction(restricted, { reason: 'harm' }),
      removal('restriction', restricted),
      removal('restriction', restricted),
      put.restriction(restricted),
    ],
    [2, 1, 2, 1],
  ],
  [
    'a restriction outlives its account',
    [...base, put.restriction(restricted)],
    [removeAccount, put.account('a1', ['c1']), removal('restriction', restricted)],
    [1, 0, 0, 2],
  ],
  [
    'the restrictions of an account and of a customer with the same id are two',
    [...base, put.account('c1', ['c1']), put.restriction({ accountId: 'c1' })],
    [put.restriction({ customerId: 'c1' }), removal('restriction', { accountId: 'c1' })],
    [1, 0, 0, 1],
  ],
  [
    'contacts change with their status',
    [...base, put.contact('a1')],
    [put.contact('a1').replace('OPEN', 'CLOSED'), put.contact('a1').replace('OPEN', 'CLOSED')],
    [0, 1, 1, 0],
  ],
  [
    'only the last line of a product counts by its effect',
    [put.product('p1'), put.product('p2')],
    [
      put.product('p1', { name: 'other', last_updated: '2026-03-01T10:00:00+10:00' }),
      removal('product', { product_id: 'p1' }),
      put.product('p2', { name: 'other', last_updated: '2026-03-01T10:00:00+10:00' }),
      put.product('p2'),
      put.product('p3'),
      removal('product', { product_id: 'p4' }),
    ],
    [1, 0, 4, 1],
  ],
]

describe('the counts of a batch', () => {
  for (const [name, before, lines, [created, changed, unchanged, deleted]] of cases) {
    it(name, async (t) => {
      const { add } = await openFeeds(t)
      await add(...before)
      const expected = { lines: lines.length, created, changed, unchanged, deleted }
      assert.deepEqual(await add(...lines), expected)
    })
  }

  it('contain nothing of a rejected batch', async (t) => {
    const { add, reject } = await openFeeds(t)
    await add(...base)
    await reject(
      put.transaction('a1', 't1'),
      put.customer('c3'),
      put.product('p1'),
      put.balance('missing'),
    )
    assert.deepEqual(await add(put.transaction('a1', 't1'), put.customer('c3')), {
      lines: 2,
      created: 2,
      changed: 0,
      unchanged: 0,
      deleted: 0,
    })
  })
})
