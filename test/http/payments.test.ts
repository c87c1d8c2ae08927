import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import { ask, getRecords } from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const identical = {
  type: 'banking.directDebit',
  record: { accountId: 'identical', lastDebitAmount: '5' },
}

const many = Array.from({ length: 30 }, (_, index) => `many-${(index * 7) % 30}`)

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  ...['a1', 'a2', 'none', 'from', 'to', 'identical'].map((id) =>
    lines.bankingAccount(id, { ana: true }),
  ),
  ...['p1', 'p2', 'p3'].map((id) => lines.scheduledPayment('from', id)),
  ...[identical, identical, { ...identical, id: 'd1' }, { ...identical, id: 'd2' }],
  lines.bankingAccount('bens', { ben: true }),
  lines.energyAccount('power', ['ana']),
  ...['c', 'a', '10', 'b', '9'].map((id) => lines.scheduledPayment('a1', id)),
  ...['z', 'd'].map((id) => lines.scheduledPayment('a2', id)),
  lines.scheduledPayment('bens', 'bens', {
    paymentSet: { to: { toUType: 'accountId', accountId: 'a1', payeeID: 'a1' } },
  }),
  ...['c', 'a', '10', 'b', '9'].map((id) => lines.directDebit('a1', id)),
  ...['a', 'z'].map((id) => lines.directDebit('a2', id)),
  lines.directDebit('bens', 'bens'),
  ...many.flatMap((id) => [lines.bankingAccount(id, { ana: true }), lines.directDebit(id, 'd')]),
])

function paymentIds(answer: Answer): string[] {
  return answer.body.data.scheduledPayments.map(
    ({ scheduledPaymentId }: { scheduledPaymentId: string }) => scheduledPaymentId,
  )
}

function debitIds(answer: Answer): string[] {
  return getRecords('B5', answer).map(
    ({ accountId, authorisedEntity }) => `${accountId} ${authorisedEntity.description}`,
  )
}

describe('B4, the scheduled payments of an account', () => {
  it('lists outgoing payments by id, and no incoming ones', async () => {
    const answer = await ask(await provider(), 'B4', { accounts: ['a1'] })

    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
    assert.deepEqual(Object.keys(answer.body.data), ['scheduledPayments'])
    assert.deepEqual(paymentIds(answer), ['10', '9', 'a', 'b', 'c'])
    assert.deepEqual(answer.body.meta, { totalRecords: 5, totalPages: 1 })
  })

  it('is paged', async () => {
    const answer = await ask(await provider(), 'B4', {
      accounts: ['a1'],
      query: 'page=2&page-size=2',
    })

    assert.deepEqual(paymentIds(answer), ['a', 'b'])
    assert.deepEqual(answer.body.meta, { totalRecords: 5, totalPages: 3 })
    assert.deepEqual(answer.body.links, {
      first: 'page=1&page-size=2',
      last: 'page=3&page-size=2',
      next: 'page=3&page-size=2',
      prev: 'page=1&page-size=2',
    })
  })

  it('may be empty', async () => {
    const answer = await ask(await provider(), 'B4', { accounts: ['none'] })

    assert.equal(answer.status, 200)
    assert.deepEqual(paymentIds(answer), [])
  })

  for (const [name, customer, account, error] of [
    ['an unknown customer', 'missing', 'a1', 'Customer not found'],
    ['an unknown account', 'ana', 'nothing', 'Account not found'],
    ['another customer’s account', 'ana', 'bens', 'Account not found'],
    ['an energy account', 'ana', 'power', 'Account not found'],
  ] as const) {
    it(`is rejected for ${name}`, async () => {
      const answer = await ask(await provider(), 'B4', { customer, accounts: [account] })

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error })
    })
  }

  it('lists payments of two accounts with the same id', async () => {
    const here = await provider()

    await here.load([lines.scheduledPayment('to', 'p2', { nickname: 'Other' })])

    const from = await ask(here, 'B4', { accounts: ['from'] })
    const to = await ask(here, 'B4', { accounts: ['to'] })
    const both = await ask(here, 'B6', { accounts: ['to', 'from'] })
    assert.deepEqual(paymentIds(from), ['p1', 'p2', 'p3'])
    assert.deepEqual(paymentIds(to), ['p2'])
    assert.equal(to.body.data.scheduledPayments[0].nickname, 'Other')
    assert.deepEqual(paymentIds(both), ['p2', 'p1', 'p2', 'p3'])
  })
})

describe('B5, the direct debits of accounts', () => {
  it('lists account by account in the requested order, and by key within each', async () => {
    const answer = await ask(await provider(), 'B5', { accounts: ['a2', 'none', 'a1'] })

    assert.deepEqual(debitIds(answer), ['a2 a', 'a2 z', 'a1 10', 'a1 9', 'a1 a', 'a1 b', 'a1 c'])
    assert.deepEqual(answer.body.meta, { totalRecords: 7, totalPages: 1 })
  })

  it('has pages that span several accounts', async () => {
    const here = await provider()

    const middle = await ask(here, 'B5', { accounts: ['a2', 'a1'], query: 'page=1&page-size=3' })
    const next = await ask(here, 'B5', { accounts: ['a2', 'a1'], query: middle.body.links.next })

    assert.deepEqual(debitIds(middle), ['a2 a', 'a2 z', 'a1 10'])
    assert.deepEqual(debitIds(next), ['a1 9', 'a1 a', 'a1 b'])
  })

  it('lists those of many accounts in the same order', async () => {
    const here = await provider()
    const pages = [1, 2].map((page) => `page=${page}&page-size=20`)
    const answers = await Promise.all(
      pages.map((query) => ask(here, 'B5', { accounts: many, query })),
    )

    assert.deepEqual(
      answers.flatMap(debitIds),
      many.map((id) => `${id} d`),
    )
  })

  it('stores identical records once, and separately if they have different keys', async () => {
    const answer = await ask(await provider(), 'B5', { accounts: ['identical'] })

    assert.equal(answer.body.meta.totalRecords, 3)
    assert.deepEqual(getRecords('B5', answer), [
      identical.record,
      identical.record,
      identical.record,
    ])
  })
})

describe('B6, the scheduled payments of accounts', () => {
  it('lists account by account in the requested order, and by id within each', async () => {
    const answer = await ask(await provider(), 'B6', { accounts: ['a2', 'none', 'a1'] })

    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['data', 'links', 'meta'])
    assert.deepEqual(Object.keys(answer.body.data), ['scheduledPayments'])
    assert.deepEqual(paymentIds(answer), ['d', 'z', '10', '9', 'a', 'b', 'c'])
  })

  it('returns the same as B4 for one account', async () => {
    const here = await provider()

    const one = await ask(here, 'B4', { accounts: ['a1'] })
    const many = await ask(here, 'B6', { accounts: ['a1'] })

    assert.deepEqual(many.body, one.body)
  })
})
