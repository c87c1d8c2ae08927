import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { balance, bankingAccount, scheduledPayment, transaction } from '../support/lines.ts'
import { assertError, openCdsPlatform, savings, share } from './cds.ts'
import { nextCustomer } from './platform.ts'

const unavailable = 'cds-banking:Authorisation/UnavailableBankingAccount'
const cardNumber = '4111 1111 1111 1234'

const domestic = { payeeAccountUType: 'account', account: { bsb: 62000, accountNumber: 1 } }

/** The interface requires the details of every payee. */
const payTo = (accountId: string) => ({
  status: 'ACTIVE',
  paymentSet: {
    to: { toUType: 'accountId', accountId, payeeID: accountId, domestic },
    amount: '1',
  },
  recurrence: { reccurenceUType: 'eventBased', eventBased: { description: 'On demand' } },
})

/** The categories and times of an account and of a transaction are removed after the third party knows their IDs. */
const sharingOnEachEngine = shareOnEachEngine(async (scope) => {
  const platform = await openCdsPlatform(scope)
  const customer = nextCustomer()
  const [card, bare, foreign] = ['card', 'bare', 'foreign'].map((name) => `${customer.id}-${name}`)
  const ids = [card, bare, foreign].map(String)
  const holders = { [customer.id]: true }
  const makeAccount = (id: string, fields: object) =>
    bankingAccount(id, holders, { displayName: id, productName: 'Card', ...fields })
  await platform.provider.load([
    ...ids.map((id) => makeAccount(id, { ...savings, maskedNumber: cardNumber })),
    ...ids.map((id) => balance(id, id === foreign ? { currency: 'BTC' } : {})),
    transaction(ids[0] ?? '', 'timed'),
    transaction(ids[0] ?? '', 'untimed', { postingDateTime: undefined }),
    ...[ids[2] ?? '', 'd4'].map((target) => scheduledPayment(ids[0] ?? '', target, payTo(target))),
  ])
  const sharing = await share(platform, { customer, accounts: ids, scopes: [...scopes] })
  const list = async (): Promise<Record<string, string>[]> => {
    const { body } = await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
    return body.data.accounts
  }
  const byName = Object.fromEntries(
    (await list()).map(({ displayName, accountId }) => [displayName, accountId ?? '']),
  )
  await platform.provider.load([makeAccount(ids[1] ?? '', { maskedNumber: cardNumber })])
  return { platform, sharing, list, ids: ids.map((id) => byName[id] ?? ''), providerIds: ids }
})

const scopes = [
  'openid',
  'bank:accounts.basic:read',
  'bank:accounts.detail:read',
  'bank:transactions:read',
  'bank:regular_payments:read',
] as const

describe('data that the standards do not allow', () => {
  it('is masked if it is a number', async () => {
    const { list } = await sharingOnEachEngine()

    for (const { maskedNumber } of await list()) assert.equal(maskedNumber, 'xxxx xxxx xxxx 1234')
  })

  it('leaves an account without a category out of lists, and makes its details unavailable', async () => {
    const { sharing, list, ids } = await sharingOnEachEngine()
    const [card, bare, foreign] = ids

    const listed = await list()
    const balances = await sharing.call('/banking/accounts/balances', { headers: { 'x-v': '2' } })
    const detail = await sharing.call(`/banking/accounts/${bare}`, { headers: { 'x-v': '5' } })
    const named = await sharing.call(`/banking/accounts/${bare}/balance`)

    assert.deepEqual(
      listed.map(({ accountId }) => accountId),
      [card, foreign],
    )
    assert.deepEqual(
      balances.body.data.balances.map(({ accountId }: Record<string, string>) => accountId),
      [card],
    )
    assertError(detail, 404, unavailable)
    assert.equal(detail.body.errors[0].detail, bare)
    assert.equal(named.status, 200)
  })

  it('makes a balance of an unknown currency unavailable', async () => {
    const { sharing, ids } = await sharingOnEachEngine()
    const [card, , foreign] = ids

    const one = await sharing.call(`/banking/accounts/${foreign}/balance`)
    const selected = await sharing.call('/banking/accounts/balances', {
      method: 'POST',
      body: { data: { accountIds: [card, foreign] } },
    })

    assertError(one, 404, unavailable)
    assertError(selected, 422, unavailable)
    assert.deepEqual(
      selected.body.errors.map(({ detail }: Record<string, string>) => detail),
      [foreign],
    )
  })

  it('leaves a posted transaction without a time out of its page, and counts it', async () => {
    const { sharing, ids } = await sharingOnEachEngine()
    const path = `/banking/accounts/${ids[0]}/transactions?oldest-time=2020-01-01T00:00:00Z`

    const { body } = await sharing.call(path)

    assert.equal(body.data.transactions.length, 1)
    assert.equal(body.data.transactions[0].postingDateTime, '2025-06-01T00:00:00Z')
    assert.equal(body.meta.totalRecords, 2)
  })

  it('does not include the ID of an account that is not shared as that of a payee', async () => {
    const { sharing, ids } = await sharingOnEachEngine()

    const { body } = await sharing.call(`/banking/accounts/${ids[0]}/payments/scheduled`, {
      headers: { 'x-v': '2' },
    })

    const payees = body.data.scheduledPayments.map(
      ({ paymentSet }: { paymentSet: { to: { toUType: string; accountId?: string } }[] }) =>
        paymentSet[0]?.to,
    )
    assert.deepEqual(
      new Map(
        payees.map((to: { toUType: string; accountId?: string }) => [to.toUType, to.accountId]),
      ),
      new Map([
        ['accountId', ids[2]],
        ['domestic', undefined],
      ]),
    )
  })

  it('is logged with the names of the fields, without values and IDs', async () => {
    const { platform, sharing, ids, providerIds } = await sharingOnEachEngine()
    const start = platform.log.length

    const { headers } = await sharing.call(`/banking/accounts/${ids[1]}`, {
      headers: { 'x-v': '5' },
    })

    const id = headers.get('x-fapi-interaction-id') ?? assert.fail()
    const line = platform.log.slice(start).find((each) => each.includes('invalidData')) ?? '{}'
    const { level, operation, status, interactionId, invalidData } = JSON.parse(line)
    assert.deepEqual([level, operation, status, interactionId], [40, 'cds-account', 404, id])
    assert.deepEqual(invalidData, { 'BankingAccountDetail.productCategory': 1 })
    assert.ok(![...ids, ...providerIds, cardNumber].some((secret) => line.includes(secret)), line)
  })
})
