import assert from 'node:assert/strict'
import { it } from 'node:test'
import { bankingAccount as example } from '../../src/contract/examples/banking.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { ask, refs } from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const path = '/v1/banking/customer/ana/accounts'
const users = [{ id: 7, email: 'ana@example.com', isAccountHolder: true }]

const provider = sharedProvider([
  lines.customer('ana'),
  lines.customer('ben'),
  lines.customer('cy'),
  lines.customer('dot'),
  lines.customer('é :&+'),
  lines.bankingAccount(example.accountId, { ana: true }, { ...example }),
  lines.bankingAccount('joint', { ana: true, ben: false }, { users, isOwned: false }),
  lines.bankingAccount('unsaid', { ben: true, ana: false }, { users }),
  {
    type: 'banking.account',
    holders: [{ customerId: 'dot' }],
    record: { accountId: 'plain', lendingRates: { rate: 0.1 } },
  },
  lines.bankingAccount('rates', { dot: true }, { lendingRates: [{ rate: 0.1 }, { rate: 0.2 }] }),
  lines.energyAccount('power', ['ana']),
  // Neither in the order of creation nor of ids.
  ...[
    ['b-unknown', undefined],
    ['m-later', '2020-01-01T00:00:00.000000001Z'],
    ['c-tie', '2020-01-01T00:00:00Z'],
    ['a-unknown', undefined],
    ['z-first', '2019-12-31T23:00:00Z'],
    ['b-tie', '2020-01-01T10:00:00+10:00'],
    ['B-tie', '2019-12-31T19:00:00-05:00'],
    ['d-tie', '2020-01-01T00:00:00.000Z'],
    ['a-last', '2026-01-01T00:00:00Z'],
  ].map(([id = '', creationDate]) => lines.bankingAccount(id, { cy: true }, { creationDate })),
])

describe('B1, the accounts of a customer', () => {
  it('serves the whole record in an envelope of data, links and meta', async () => {
    const { get } = await provider()

    const { status, headers, body } = await get(
      `${path}?product-category=${example.productCategory}`,
    )

    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(Object.keys(body), ['data', 'links', 'meta'])
    assert.deepEqual(body.data, { accounts: [example] })
    assert.deepEqual(body.meta, { totalRecords: 1, totalPages: 1 })
  })

  it('serves isOwned for the requesting customer, regardless of the record', async () => {
    const { get } = await provider()

    const owned = async (customer: string) => {
      const { body } = await get(`/v1/banking/customer/${customer}/accounts`)
      return Object.fromEntries(
        body.data.accounts.map((account: { accountId: string; isOwned: boolean }) => [
          account.accountId,
          account.isOwned,
        ]),
      )
    }

    assert.deepEqual(await owned('ana'), { [example.accountId]: true, joint: true, unsaid: false })
    assert.deepEqual(await owned('ben'), { joint: false, unsaid: true })
  })

  it('treats a holder without isOwned as an owner', async () => {
    const { get } = await provider()

    const { body } = await get('/v1/banking/customer/dot/accounts')

    assert.equal(body.data.accounts[0].isOwned, true)
  })

  it('serves lending rates as the object or the list that was loaded', async () => {
    const { get } = await provider()

    const { body } = await get('/v1/banking/customer/dot/accounts')

    assert.deepEqual(
      body.data.accounts.map(({ lendingRates }: { lendingRates: unknown }) => lendingRates),
      [{ rate: 0.1 }, [{ rate: 0.1 }, { rate: 0.2 }]],
    )
  })

  it('orders by creation date and then by id, accounts without a creation date last', async () => {
    const { get } = await provider()

    const { body } = await get('/v1/banking/customer/cy/accounts')

    assert.deepEqual(
      body.data.accounts.map(({ accountId }: { accountId: string }) => accountId),
      [
        'z-first',
        'B-tie',
        'b-tie',
        'c-tie',
        'd-tie',
        'm-later',
        'a-last',
        'a-unknown',
        'b-unknown',
      ],
    )
  })

  it('lists no energy account', async () => {
    const { get } = await provider()

    const { text } = await get(path)

    assert.doesNotMatch(text, /power/)
  })

  it('returns an empty list for a customer without accounts', async () => {
    const { get } = await provider()

    const { status, body } = await get('/v1/banking/customer/%C3%A9%20%3A%26%2B/accounts')

    assert.equal(status, 200)
    assert.deepEqual(body, {
      data: { accounts: [] },
      links: {},
      meta: { totalRecords: 0, totalPages: 0 },
    })
  })
})

describe('deprecation', () => {
  for (const ref of ['B1', 'E1'] as const) {
    it(`is announced by ${ref}, with the operation that replaces it`, async () => {
      const here = await provider()

      const { status, headers } = await ask(here, ref, { customer: 'é :&+' })

      assert.equal(status, 200)
      assert.match(headers['deprecation'] ?? '', /^@\d+$/)
      const successor = /^<(.*)>; rel="successor-version"$/.exec(headers['link'] ?? '')?.[1] ?? ''
      const replacement = await here.get(successor)
      assert.equal(replacement.status, 200)
      assert.deepEqual(replacement.body, { accounts: [] })
    })

    it(`does not disable ${ref}, and has no sunset date`, async () => {
      const here = await provider()

      const { status, headers } = await ask(here, ref, {})

      assert.equal(status, 200)
      assert.equal(headers['sunset'], undefined)
    })
  }

  it('is announced by no other operation', async () => {
    const here = await provider()

    for (const ref of refs.filter((ref) => ref !== 'B1' && ref !== 'E1')) {
      const { headers } = await ask(here, ref, { accounts: ['joint'] })

      assert.equal(headers['deprecation'], undefined, ref)
      assert.equal(headers['link'], undefined, ref)
    }
  })
})
