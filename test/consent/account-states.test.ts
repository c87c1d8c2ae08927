import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openIds } from '../../src/platform/consent/cds/account-ids.ts'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { balance, bankingAccount, energyAccount } from '../support/lines.ts'
import { until } from '../support/until.ts'
import { allScopes, openCdsPlatform, type Sharing, share } from './cds.ts'
import { type ConsentPlatform, nextCustomer, type TestCustomer } from './platform.ts'
import { readUserInfo, registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openCdsPlatform)

/** A consent to two bank accounts, with their ids for the third party. */
async function shareTwo(platform: ConsentPlatform) {
  const customer = nextCustomer()
  await platform.provider.load(customer.accounts.map((id) => balance(id)))
  const sharing = await share(platform, { customer, accounts: customer.accounts })
  return { customer, sharing, ...(await readIds(sharing)) }
}

async function readIds({ call }: Sharing) {
  const { body } = await call('/banking/accounts', { headers: { 'x-v': '3' } })
  const [first = '', second = ''] = body.data.accounts.map(
    ({ accountId }: Record<string, string>) => accountId,
  )
  return { first, second }
}

async function readStates({ store }: ConsentPlatform, { arrangementId }: Sharing) {
  const changes = await store.arrangements.listAccountChanges(arrangementId)
  return changes.map(({ accountId, state, reason }) => [accountId, state, reason])
}

const close = ({ provider }: ConsentPlatform, { id, accounts: [first] }: TestCustomer) =>
  provider.load([bankingAccount(first, { [id]: true }, { openStatus: 'CLOSED' })])

const remove = ({ provider }: ConsentPlatform, accountId: string) =>
  provider.load([{ type: 'banking.account', delete: { accountId } }])

describe('the state of an account that third parties read', () => {
  it('is restricted while the provider refuses it, and then available again', async () => {
    const platform = await platformOnEachEngine()
    const { customer, sharing, first, second } = await shareTwo(platform)
    const [account] = customer.accounts
    for (const path of ['balance', 'transactions']) {
      await platform.restrictions.set({ accountId: account }, 'blocked')
      await sharing.call(`/banking/accounts/${first}/${path}`)
      await sharing.call(`/banking/accounts/${second}/${path}`)
      await platform.restrictions.end({ accountId: account })
      await sharing.call(`/banking/accounts/${first}/${path}`)
    }

    const change = [
      [account, 'restricted', 'account_refused'],
      [account, 'available', 'served'],
    ]
    assert.deepEqual(await readStates(platform, sharing), [...change, ...change])
  })

  it('is restricted if the provider refuses it in a body', async () => {
    const platform = await platformOnEachEngine()
    const { customer, sharing, first, second } = await shareTwo(platform)
    const [account] = customer.accounts
    await platform.restrictions.set({ accountId: account }, 'harm')
    const body = { data: { accountIds: [first, second] } }

    await sharing.call('/banking/accounts/balances', { method: 'POST', body })

    assert.deepEqual(await readStates(platform, sharing), [
      [account, 'restricted', 'account_refused'],
    ])
  })

  it('is restricted for every account if the provider refuses all data of the customer', async () => {
    const platform = await platformOnEachEngine()
    const { customer, sharing } = await shareTwo(platform)
    await platform.restrictions.set({ customerId: customer.id }, 'harm')

    await sharing.call('/common/customer')

    assert.deepEqual(
      await readStates(platform, sharing),
      customer.accounts.map((id) => [id, 'restricted', 'customer_refused']),
    )
    await platform.restrictions.end({ customerId: customer.id })
    await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
    assert.deepEqual(
      (await readStates(platform, sharing)).slice(2),
      customer.accounts.map((id) => [id, 'available', 'open']),
    )
  })

  it('is closed while the provider lists it as closed, although it has data', async () => {
    const platform = await platformOnEachEngine()
    const { customer, sharing, first } = await shareTwo(platform)
    await close(platform, customer)

    await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
    const { status } = await sharing.call(`/banking/accounts/${first}/balance`)

    assert.equal(status, 200)
    assert.deepEqual(await readStates(platform, sharing), [
      [customer.accounts[0], 'closed', 'closed'],
    ])
  })

  it('is no longer held once the provider does not know it for the customer', async () => {
    const platform = await platformOnEachEngine()
    const { customer, sharing, first } = await shareTwo(platform)
    await remove(platform, customer.accounts[0])

    const { body } = await sharing.call(`/banking/accounts/${first}/balance`)

    assert.match(body.errors[0].code, /InvalidBankingAccount$/)
    assert.equal(body.errors[0].detail, first)
    assert.deepEqual(await readStates(platform, sharing), [
      [customer.accounts[0], 'no_longer_held', 'account_unknown'],
    ])
  })

  it('does not change if a third party asks for an energy account as a bank account', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const energy = `${customer.id}-energy`
    await platform.provider.load([energyAccount(energy, [customer.id])])
    const accounts = [...customer.accounts, energy]
    const sharing = await share(platform, { customer, accounts })
    const id = await makeId(platform, sharing, energy)

    const { status } = await sharing.call(`/banking/accounts/${id}/balance`)

    assert.equal(status, 404)
    assert.deepEqual(await readStates(platform, sharing), [])
  })

  it('does not change while the provider does not respond', async () => {
    const platform = await platformOnEachEngine()
    const { sharing, first } = await shareTwo(platform)
    platform.setProviderAway(true)
    try {
      const answers = [
        await sharing.call(`/banking/accounts/${first}/balance`),
        await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } }),
        await sharing.call('/common/customer'),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [503, 503, 503],
      )
    } finally {
      platform.setProviderAway(false)
    }

    assert.deepEqual(await readStates(platform, sharing), [])
  })
})

/** The id of an account for the third party. */
async function makeId({ store }: ConsentPlatform, { arrangementId }: Sharing, accountId: string) {
  const { makeAccountId } = openIds(await store.readSecret('accounts'))
  const found = await store.arrangements.find(arrangementId, Temporal.Now.instant())
  return makeAccountId(found ?? assert.fail('no arrangement'), accountId)
}

describeOnce('a third party that asks for a missing account again and again', () => {
  it('causes few questions to the provider', async (t) => {
    let calls = 0
    const platform = await openCdsPlatform(t, (app) => {
      app.addHook('onRequest', async ({ routeOptions }) => {
        if (routeOptions.config.operation?.ref === 'C2') calls += 1
      })
    })
    const { customer, sharing, first, second } = await shareTwo(platform)
    await remove(platform, customer.accounts[0])
    await remove(platform, customer.accounts[1])
    calls = 0

    for (let count = 0; count < 5; count += 1) {
      await sharing.call(`/banking/accounts/${first}/balance`)
      await sharing.call(`/banking/accounts/${second}/balance`)
    }

    assert.equal(calls, 1)
  })
})

describe('a disclosure', () => {
  it('is recorded for each scope that a third party read, with its time', async () => {
    const platform = await platformOnEachEngine()
    const scopes = [...allScopes, 'profile', 'email']
    const thirdParty = await registerThirdParty(platform, 'plain', { scopes })
    const customer = nextCustomer()
    const sharing = await share(platform, {
      customer,
      thirdParty,
      scopes,
      accounts: customer.accounts,
    })
    const { disclosures } = platform.store
    const list = async () =>
      (await disclosures.list(sharing.arrangementId)).map(({ scope }) => scope)
    assert.deepEqual(await list(), [])

    await sharing.call('/banking/accounts', { headers: { 'x-v': '3' } })
    await sharing.call('/banking/accounts/unknown/transactions')
    await readUserInfo(thirdParty, sharing.tokens)

    await until(async () => (await list()).length === 3)
    assert.deepEqual(await list(), ['bank:accounts.basic:read', 'email', 'profile'])
    const [{ first, last } = assert.fail()] = await disclosures.list(sharing.arrangementId)
    assert.ok(Temporal.Instant.compare(first, last) <= 0)
  })
})
