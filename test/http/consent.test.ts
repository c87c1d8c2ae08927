import assert from 'node:assert/strict'
import { it } from 'node:test'
import { customer as example } from '../../src/contract/examples/customers.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { sharedProvider } from '../support/provider.ts'

const search = '/auth/v1/customer/search'

const provider = sharedProvider([
  { type: 'customer', record: example },
  lines.customer('one', { name: 'Ona', email: 'Shared@Example.com', phoneNumber: '+61 1' }),
  lines.customer('two', { name: 'Tom', email: 'sharED@example.COM', givenName: 'Tom' }),
  lines.customer('plus', { email: 'first.last+tag@example.com' }),
  lines.customer('percent', { email: '%@example.com' }),
  lines.customer('accent', { email: 'RENÉ@example.com' }),
  lines.customer('bare', { name: 'Bea', email: 'bea@example.com' }),
  lines.customer('unreachable', { name: 'Una', email: undefined }),
  lines.customer('mover', { email: 'old@example.com' }),
  lines.customer('search', { email: 'search@example.com' }),
  lines.customer('nothing', { email: 'nothing@example.com' }),

  lines.bankingAccount(
    'saver',
    { one: true, two: false },
    {
      productName: 'Everyday Saver',
      productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
      displayName: 'My savings',
      nickname: 'Pot',
      creationDate: '2021-01-01T00:00:00Z',
      openStatus: 'CLOSED',
    },
  ),
  lines.bankingAccount(
    'a-tie',
    { one: true },
    {
      productName: 'Tie',
      productCategory: 'BUY_NOW_PAY_LATER',
      displayName: 'Tied',
      creationDate: '2020-01-01T00:00:00Z',
    },
  ),
  lines.energyAccount('b-tie', ['one'], {
    displayName: 'Home power',
    creationDate: '2020-01-01T10:00:00+10:00',
    plans: [
      {
        nickname: 'Home',
        planOverview: { displayName: 'Steady Saver' },
        planDetail: { fuelType: 'ELECTRICITY' },
      },
    ],
  }),
  lines.energyAccount('gas', ['one'], {
    creationDate: '2019-01-01T00:00:00Z',
    plans: [{ planOverview: { displayName: 'Blue Flame' }, planDetail: { fuelType: 'GAS' } }],
  }),
  lines.bankingAccount(
    'named',
    { one: true },
    {
      displayName: 'Only displayed',
      creationDate: '2022-01-01T00:00:00Z',
    },
  ),
  lines.energyAccount('unnamed', ['one']),

  ...[
    ['saver', '10.25', '9.50'],
    ['a-tie', '-0.10', '12345678901234567890.123456789'],
    ['named', '007', '-00.50'],
  ].map(([id = '', currentBalance, availableBalance]) =>
    lines.balance(id, {
      currentBalance,
      availableBalance,
      ...(id === 'named' && { currency: 'NZD' }),
    }),
  ),
])

describe('C1, the search for customers', () => {
  it('finds a customer by email address, and returns only the id, name and phone number', async () => {
    const { post } = await provider()

    const { status, body } = await post(search, { email: example.email })

    assert.equal(status, 200)
    assert.deepEqual(body, {
      data: [{ id: example.id, name: example.name, phoneNumber: example.phoneNumber }],
    })
  })

  for (const email of ['shared@example.com', 'SHARED@EXAMPLE.COM', 'sHaReD@eXaMpLe.CoM']) {
    it(`finds all customers with the address, in any case: ${email}`, async () => {
      const { post } = await provider()

      const { body } = await post(search, { email })

      assert.deepEqual(body, {
        data: [
          { id: 'one', name: 'Ona', phoneNumber: '+61 1' },
          { id: 'two', name: 'Tom' },
        ],
      })
    })
  }

  for (const [email, id] of [
    ['first.last+TAG@example.com', 'plus'],
    ['%@example.com', 'percent'],
    ['renÉ@example.com', 'accent'],
  ]) {
    it(`matches every character literally: ${email}`, async () => {
      const { post } = await provider()

      const { body } = await post(search, { email })

      assert.deepEqual(
        body.data.map((match: { id: string }) => match.id),
        [id],
      )
    })
  }

  for (const email of [
    'unknown@example.com',
    'ared@example.com',
    'shared@example.co',
    '_@example.com',
    'rené@example.com',
  ]) {
    it(`finds no customer by another address: ${email}`, async () => {
      const { post } = await provider()

      const { status, body } = await post(search, { email })

      assert.equal(status, 200)
      assert.deepEqual(body, { data: [] })
    })
  }

  it('ignores other members of the body', async () => {
    const { post } = await provider()

    const { status, body } = await post(search, { email: 'bea@example.com', name: 'Tom' })

    assert.equal(status, 200)
    assert.deepEqual(body, { data: [{ id: 'bare', name: 'Bea' }] })
  })

  for (const [name, body, sentence] of [
    ['no address', {}, /^email is required$/],
    ['a number', { email: 1 }, /^email must be /],
    ['null', { email: null }, /^email must be /],
    ['a list', { email: ['bea@example.com'] }, /^email must be /],
    ['text that is not an email address', { email: 'bea' }, /^email must be /],
    ['an empty string', { email: '' }, /^email must be /],
    ['an address that is too long', { email: `${'x'.repeat(320)}@example.com` }, /^email must be /],
    ['a body that is a list', [{ email: 'bea@example.com' }], /body must be /],
  ] as const) {
    it(`rejects ${name}`, async () => {
      const { post } = await provider()

      const answer = await post(search, body)

      assert.equal(answer.status, 400)
      assert.match(answer.body.error, sentence)
    })
  }

  it('finds a customer by a changed address only', async () => {
    const here = await provider()

    await here.load([lines.customer('mover', { email: 'new@example.com' })])

    const old = await here.post(search, { email: 'old@example.com' })
    const now = await here.post(search, { email: 'new@example.com' })
    assert.deepEqual(old.body, { data: [] })
    assert.equal(now.body.data.length, 1)
  })

  it('no longer finds a customer whose address was removed', async () => {
    const here = await provider()
    const email = 'removed@example.com'
    await here.load([lines.customer('leaver', { email })])
    const before = await here.post(search, { email })

    await here.load([lines.customer('leaver', { email: undefined })])

    const after = await here.post(search, { email })
    assert.equal(before.body.data.length, 1)
    assert.deepEqual(after.body, { data: [] })
  })
})

describe('C2, the accounts available for sharing', () => {
  it('lists both kinds together, by creation date and then by id', async () => {
    const { get } = await provider()

    const { status, body } = await get('/auth/v1/customer/one/accounts')

    assert.equal(status, 200)
    assert.deepEqual(body, {
      accounts: [
        { id: 'gas', name: 'Blue Flame', type: 'GAS' },
        { id: 'a-tie', name: 'Tie', type: 'BUY_NOW_PAY_LATER', displayName: 'Tied' },
        { id: 'b-tie', name: 'Steady Saver', type: 'ELECTRICITY', displayName: 'Home power' },
        {
          id: 'saver',
          name: 'Everyday Saver',
          type: 'TRANS_AND_SAVINGS_ACCOUNTS',
          displayName: 'My savings',
        },
        { id: 'named', name: 'Only displayed', displayName: 'Only displayed' },
        { id: 'unnamed', name: 'unnamed' },
      ],
    })
  })

  it('lists a joint account for each of its holders', async () => {
    const { get } = await provider()

    const { body } = await get('/auth/v1/customer/two/accounts')

    assert.deepEqual(
      body.accounts.map(({ id }: { id: string }) => id),
      ['saver'],
    )
  })

  it('is an empty list for a customer without accounts', async () => {
    const { get } = await provider()

    const { status, body } = await get('/auth/v1/customer/nothing/accounts')

    assert.equal(status, 200)
    assert.deepEqual(body, { accounts: [] })
  })
})

describe('C3, the identity of a customer', () => {
  it('has all the fields of the interface', async () => {
    const { get } = await provider()

    const { status, body } = await get(`/auth/v1/customer/${example.id}`)

    assert.equal(status, 200)
    assert.deepEqual(body, example)
  })

  it('omits fields that were not loaded', async () => {
    const { get } = await provider()

    const { body } = await get('/auth/v1/customer/bare')

    assert.deepEqual(body, { id: 'bare', name: 'Bea', email: 'bea@example.com' })
  })

  it('returns a customer without an e-mail address', async () => {
    const { get } = await provider()

    const { status, body } = await get('/auth/v1/customer/unreachable')

    assert.equal(status, 200)
    assert.deepEqual(body, { id: 'unreachable', name: 'Una' })
  })

  it('returns a customer whose id is a path segment of C1', async () => {
    const { get } = await provider()

    const { status, body } = await get('/auth/v1/customer/search')

    assert.equal(status, 200)
    assert.equal(body.id, 'search')
  })
})

describe('C4, the example balance', () => {
  for (const [customer, account, text] of [
    ['one', 'saver', '{"account_id":"saver","available":9.50,"current":10.25,"currency":"AUD"}'],
    ['two', 'saver', '{"account_id":"saver","available":9.50,"current":10.25,"currency":"AUD"}'],
    [
      'one',
      'a-tie',
      '{"account_id":"a-tie","available":12345678901234567890.123456789,"current":-0.10,"currency":"AUD"}',
    ],
    ['one', 'named', '{"account_id":"named","available":-0.50,"current":7,"currency":"NZD"}'],
  ] as const) {
    it(`returns the exact numbers and the currency of ${account} to ${customer}`, async () => {
      const { get } = await provider()

      const answer = await get(`/customer/${customer}/accounts/${account}/balances`)

      assert.equal(answer.status, 200)
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(answer.text, text)
    })
  }

  for (const [name, customer, account, error] of [
    ['an unknown customer', 'missing', 'saver', 'Customer not found'],
    ['an unknown account', 'one', 'nothing', 'Account not found'],
    ['another customer’s account', 'two', 'a-tie', 'Account not found'],
    ['an energy account', 'one', 'gas', 'Account not found'],
  ] as const) {
    it(`is rejected for ${name}`, async () => {
      const { get } = await provider()

      const answer = await get(`/customer/${customer}/accounts/${account}/balances`)

      assert.equal(answer.status, 404)
      assert.deepEqual(answer.body, { error })
    })
  }
})
