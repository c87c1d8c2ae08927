import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { ask, getAccountIds, getRecords } from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const range = (length: number) => Array.from({ length }, (_, index) => index)
const full = range(30).map((index) => `full-${index}`)

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  ...full.flatMap((id) => [lines.bankingAccount(id, { ana: true }), lines.balance(id)]),
  lines.bankingAccount('bare', { ana: true }),
  lines.bankingAccount('bare-closed', { ana: false, ben: true }, { openStatus: 'CLOSED' }),
  lines.bankingAccount('bare-lease', { ana: true }, { productCategory: 'LEASES' }),
  lines.bankingAccount('bens', { ben: true }),
  lines.energyAccount('power', ['ana']),
  lines.bankingAccount('late', { ana: true }),
])

const noBalance = { error: 'Balance of account in query not found' }

describe('an account without a balance', () => {
  it('is listed, and C4 answers that its balance is not found', async () => {
    const here = await provider()

    const shareable = await ask(here, 'C2', {})
    const { status, body } = await ask(here, 'C4', { accounts: ['bare'] })

    assert.ok(shareable.body.accounts.some(({ id }: { id: string }) => id === 'bare'))
    assert.deepEqual([status, body], [404, { error: 'Balance not found' }])
  })

  it('is an error of B2, whichever page is requested', async () => {
    const here = await provider()

    for (const accounts of [['bare'], ['bare', ...full], [...full, 'bare']]) {
      for (const query of ['', 'page-size=3', 'page=2&page-size=15', 'page=9']) {
        const { status, body } = await ask(here, 'B2', { accounts, query })

        assert.deepEqual([status, body], [422, noBalance], query)
      }
    }
  })

  it('is no error of B2 if the filters exclude it', async () => {
    const here = await provider()
    const bare = ['bare-closed', 'bare-lease']

    for (const [query, remaining] of [
      ['open-status=OPEN&product-category=OVERDRAFTS', []],
      ['is-owned=true&product-category=OVERDRAFTS', []],
    ] as const) {
      const answer = await ask(here, 'B2', { accounts: [...bare, 'full-1'], query })
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(getRecords('B2', answer), remaining)
    }
    for (const query of ['open-status=OPEN', 'is-owned=true']) {
      const closed = await ask(here, 'B2', { accounts: ['bare-closed', 'full-1'], query })
      const both = await ask(here, 'B2', { accounts: [...bare, 'full-1'], query })
      assert.deepEqual(getAccountIds('B2', closed), ['full-1'])
      assert.deepEqual([both.status, both.body], [422, noBalance])
    }
  })

  it('is reported after an account that does not exist, and after a customer', async () => {
    const here = await provider()

    const account = await ask(here, 'B2', { accounts: ['bare', 'missing'] })
    const foreign = await ask(here, 'B2', { accounts: ['bare', 'bens'] })
    const customer = await ask(here, 'B2', { customer: 'missing', accounts: ['bare'] })

    for (const answer of [account, foreign]) {
      assert.deepEqual(answer.body, { error: 'Account in query not found' })
    }
    assert.deepEqual(customer.body, { error: 'Customer not found' })
  })

  it('does not exist for a customer who does not hold it', async () => {
    const here = await provider()

    const { body } = await ask(here, 'C4', { customer: 'ben', accounts: ['bare'] })

    assert.deepEqual(body, { error: 'Account not found' })
  })

  it('has one as soon as it is loaded, until it is deleted', async () => {
    const here = await provider()
    const read = async () => [
      (await ask(here, 'B2', { accounts: ['late'] })).status,
      (await ask(here, 'C4', { accounts: ['late'] })).status,
    ]

    const before = await read()
    await here.load([lines.balance('late')])
    const loaded = await read()
    await here.load([{ type: 'banking.balance', delete: { accountId: 'late' } }])

    assert.deepEqual(
      [before, loaded, await read()],
      [
        [422, 404],
        [200, 200],
        [422, 404],
      ],
    )
  })
})

describe('an account without contact details', () => {
  for (const account of ['bare', 'power']) {
    it(`is answered with an error about the contact, whatever its kind is: ${account}`, async () => {
      const answer = await ask(await provider(), 'contact', { accounts: [account] })

      assert.deepEqual([answer.status, answer.body], [404, { error: 'Contact not found' }])
    })
  }

  it('does not exist for a customer who does not hold it', async () => {
    const here = await provider()

    for (const account of ['bens', 'nothing']) {
      const { body } = await ask(here, 'contact', { accounts: [account] })
      assert.deepEqual(body, { error: 'Account not found' })
    }
  })
})
