import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accountContact as example } from '../../src/contract/examples/customers.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { ask, refsWithPath } from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const longest = '🦉'.repeat(256)

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  lines.customer(longest),
  ...['bank', 'withheld', 'bare', 'closed', 'lifted'].map((id) =>
    lines.bankingAccount(id, { ana: true }),
  ),
  lines.bankingAccount('bens', { ben: true }),
  lines.bankingAccount(longest, { [longest]: true }),
  lines.energyAccount('power', ['ana']),
  lines.contact('bank', 'OPEN', { ...example }),
  lines.contact('power'),
  lines.contact('bens'),
  lines.contact(longest),
  lines.contact('closed', 'CLOSED'),
  lines.contact('withheld', 'RESTRICTED'),
  lines.contact('lifted', 'RESTRICTED'),
  { type: 'account.contact', accountId: 'bare', status: 'RESTRICTED' },
  lines.balance('withheld'),
  lines.transaction('withheld', 't1'),
])

describe('the contact details of an account', () => {
  it('are holders, emails, addresses and telephones', async () => {
    const { status, headers, body } = await ask(await provider(), 'contact', { accounts: ['bank'] })

    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(body, example)
  })

  for (const account of ['power', 'closed']) {
    it(`are returned for both kinds of account and any other status: ${account}`, async () => {
      const { status, body } = await ask(await provider(), 'contact', { accounts: [account] })

      assert.equal(status, 200)
      assert.deepEqual(body, lines.contactRecord)
    })
  }

  for (const account of ['withheld', 'bare']) {
    it(`are an empty body if the status is RESTRICTED: ${account}`, async () => {
      const answer = await ask(await provider(), 'contact', { accounts: [account] })

      assert.equal(answer.status, 200)
      assert.equal(answer.text, '')
      assert.equal(answer.headers['content-length'], '0')
      assert.equal(answer.headers['content-type'], undefined)
    })
  }

  it('are the only data that the status RESTRICTED hides', async () => {
    const here = await provider()

    for (const ref of ['B2', 'B3', 'C4'] as const) {
      const answer = await ask(here, ref, { accounts: ['withheld'] })

      assert.equal(answer.status, 200)
      assert.match(answer.text, /"withheld"/)
    }
  })

  it('are returned again with another status', async () => {
    const here = await provider()

    await here.load([lines.contact('lifted')])

    const { body } = await ask(here, 'contact', { accounts: ['lifted'] })
    assert.deepEqual(body, lines.contactRecord)
  })

  for (const [name, customer, account, error] of [
    ['an unknown customer', 'missing', 'bank', 'Customer not found'],
    ['an unknown account', 'ana', 'nothing', 'Account not found'],
    ['another customer’s account', 'ana', 'bens', 'Account not found'],
    ['another customer’s withheld contact', 'ben', 'withheld', 'Account not found'],
  ] as const) {
    it(`are rejected for ${name}`, async () => {
      const answer = await ask(await provider(), 'contact', { customer, accounts: [account] })

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error })
    })
  }
})

describe('an id of more than 256 characters', () => {
  it('is invalid on contact; 256 characters of any size are valid', async () => {
    const here = await provider()

    const most = await ask(here, 'contact', { customer: longest, accounts: [longest] })
    const customer = await ask(here, 'contact', { customer: `${longest}x`, accounts: ['bank'] })
    const account = await ask(here, 'contact', { accounts: [`${longest}x`] })
    const unknown = await ask(here, 'contact', { customer: 'missing', accounts: ['x'.repeat(257)] })

    assert.equal(most.status, 200)
    assert.deepEqual(most.body, lines.contactRecord)
    for (const [answer, field] of [
      [customer, 'customerId'],
      [account, 'accountId'],
      [unknown, 'accountId'],
    ] as const) {
      assert.equal(answer.status, 400)
      assert.match(answer.body.error, new RegExp(`^${field} must be .*\\b256\\b`))
    }
  })

  for (const ref of refsWithPath.filter((ref) => ref !== 'contact')) {
    it(`is not found by ${ref}`, async () => {
      const here = await provider()
      const long = 'x'.repeat(300)

      const customer = await ask(here, ref, { customer: long, accounts: ['bank'] })
      const account = await ask(here, ref, { accounts: [long] })

      assert.equal(customer.status, 404)
      assert.deepEqual(customer.body, { error: 'Customer not found' })
      assert.equal(account.status, 404)
      assert.deepEqual(account.body, { error: 'Account not found' })
    })
  }

  for (const ref of ['B1', 'B2', 'E1', 'E3', 'C2', 'C3'] as const) {
    it(`is not found as a customer by ${ref}`, async () => {
      const answer = await ask(await provider(), ref, { customer: 'x'.repeat(300) })

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error: 'Customer not found' })
    })
  }
})
