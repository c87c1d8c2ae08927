import assert from 'node:assert/strict'
import { it } from 'node:test'
import { bankingAccount as example } from '../../src/contract/examples/banking.ts'
import { energyAccount as energyExample } from '../../src/contract/examples/energy.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { ask, formatPath, getRecords } from '../support/operations.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

const users = [{ id: 7, email: 'ana@example.com', isAccountHolder: true }]
const customers = ['ana', 'ben', 'cy']

/** Parts of the paths of other operations. */
const partsOfPaths = [
  'balances',
  'direct-debits',
  'invoices',
  'billing',
  'accounts',
  'transactions',
]

const data = [
  ...customers.map((id) => lines.customer(id)),
  lines.bankingAccount(example.accountId, { ana: true }, { ...example }),
  lines.bankingAccount('joint', { ana: true, ben: false }, { users, isOwned: false }),
  lines.bankingAccount('unsaid', { ben: true, ana: false }, { users, displayName: 'Ünsaid ' }),
  lines.bankingAccount(
    'old',
    { ben: true },
    { fees: [{ name: 'Fee', feeType: 'EVENT', amount: '2.50' }] },
  ),
  ...partsOfPaths.map((id) => lines.bankingAccount(id, { cy: true })),
  ...partsOfPaths.map((id) => lines.balance(id)),
  lines.energyAccount(energyExample.accountId, ['ana', 'ben'], { ...energyExample }),
  lines.energyAccount('plain', ['ben'], { isOwned: undefined }),
  lines.energyAccount('shared', ['ana', 'ben'], { complexAccountType: 'JOINT' }),
  ...partsOfPaths.map((id) => lines.energyAccount(`${id} of energy`, ['cy'])),
]

const provider = sharedProvider(data)
const versionThree = sharedProvider(data, { accountVersion: 3 })

/** The accounts of all customers as B1 lists them, each with the response of BX1. */
async function readBankingAccounts(here: Provider) {
  const found = []
  for (const customer of customers) {
    const list = await ask(here, 'B1', { customer })
    for (const account of getRecords('B1', list)) {
      const single = await ask(here, 'BX1', { customer, accounts: [account.accountId] })
      found.push({ customer, account, list, single })
    }
  }
  return found
}

describe('BX1, one bank account', () => {
  for (const [name, open] of [
    ['', provider],
    [' in version 3', versionThree],
  ] as const) {
    it(`is the account that B1 lists, byte for byte, for every holder${name}`, async () => {
      const found = await readBankingAccounts(await open())

      assert.equal(found.length, 6 + partsOfPaths.length)
      for (const { account, list, single } of found) {
        assert.equal(single.status, 200, single.text)
        assert.deepEqual(single.body, { data: account })
        const [, text = 'no data'] = /^\{"data":(.*)\}$/.exec(single.text) ?? []
        assert.ok(list.text.includes(text), single.text)
      }
    })
  }

  it('has the isOwned of the requesting customer', async () => {
    const found = await readBankingAccounts(await provider())

    assert.deepEqual(
      found
        .filter(({ account }) => ['joint', 'unsaid'].includes(account.accountId))
        .map(({ customer, single: { body } }) => [
          customer,
          body.data.accountId,
          body.data.isOwned,
        ]),
      [
        ['ana', 'joint', true],
        ['ana', 'unsaid', false],
        ['ben', 'joint', false],
        ['ben', 'unsaid', true],
      ],
    )
  })

  it('is converted to version 3 if the provider serves that', async () => {
    const three = await ask(await versionThree(), 'BX1', { customer: 'ben', accounts: ['old'] })
    const four = await ask(await provider(), 'BX1', { customer: 'ben', accounts: ['old'] })

    assert.equal(three.body.data.fees[0].amount, '2.50')
    assert.equal(four.body.data.fees[0].fixedAmount.amount, '2.50')
  })
})

describe('EX1, one energy account', () => {
  it('is the account that E2 returns, byte for byte, for every holder', async () => {
    const here = await provider()
    let count = 0

    for (const customer of customers) {
      const listed = getRecords('E1', await ask(here, 'E1', { customer }))
      for (const { accountId } of listed) {
        const detail = await ask(here, 'E2', { customer, accounts: [accountId] })
        const single = await ask(here, 'EX1', { customer, accounts: [accountId] })

        assert.equal(single.status, 200, single.text)
        assert.deepEqual(single.body, { data: getRecords('E2', detail)[0] })
        assert.ok(detail.text.startsWith(`{"data":{"accounts":[${single.text.slice(8, -1)}]}`))
        count += 1
      }
    }
    assert.equal(count, 5 + partsOfPaths.length)
  })

  it('has neither users nor complexAccountType', async () => {
    const { users: _users, complexAccountType: _type, ...detail } = energyExample

    const { body } = await ask(await provider(), 'EX1', { accounts: [energyExample.accountId] })

    assert.deepEqual(body, { data: detail })
  })
})

describe('a single account', () => {
  for (const [ref, account] of [
    ['BX1', 'shared'],
    ['EX1', 'joint'],
  ] as const) {
    it(`of the other kind is not found by ${ref}`, async () => {
      const { status, body } = await ask(await provider(), ref, { accounts: [account] })

      assert.equal(status, 404)
      assert.deepEqual(body, { error: 'Account not found' })
    })
  }

  for (const ref of ['B2', 'B5', 'E3', 'E5'] as const) {
    it(`with the id of the last segment of ${ref} takes no request from ${ref}, nor the reverse`, async () => {
      const here = await provider()
      const path = formatPath(ref, { customer: 'cy' })
      const isBanking = ref.startsWith('B')
      const last = path.slice(path.lastIndexOf('/') + 1)
      const accounts = [isBanking ? last : `${last} of energy`]

      const single = await here.get(path)
      const list = await ask(here, ref, { customer: 'cy', accounts })
      const neither = await here.send(path, { method: 'PUT' })

      assert.equal(single.status, isBanking ? 200 : 404)
      assert.deepEqual(
        single.body,
        isBanking ? { data: { accountId: last, isOwned: true } } : { error: 'Account not found' },
      )
      assert.equal(list.status, 200, list.text)
      assert.equal(neither.status, 405)
      assert.deepEqual(neither.headers['allow']?.split(', ').sort(), ['GET', 'POST'])
    })
  }
})
