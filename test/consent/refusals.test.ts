import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import * as openid from 'openid-client'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { balance, bankingAccount, restriction } from '../support/lines.ts'
import { allScopes, assertError, openCdsPlatform, type Sharing, savings, share } from './cds.ts'
import { type ConsentPlatform, nextCustomer } from './platform.ts'
import { registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openCdsPlatform)

const unavailable = 'cds-banking:Authorisation/UnavailableBankingAccount'
const invalid = 'cds-banking:Authorisation/InvalidBankingAccount'
const forbidden = 'cds-all:GeneralError/Expected'

async function listAccountIds({ call }: Sharing): Promise<string[]> {
  const path = '/banking/accounts?page-size=1000'
  const { status, body } = await call(path, { headers: { 'x-v': '3' } })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.accounts.map(({ accountId }: Record<string, string>) => accountId)
}

const listDetails = ({ body }: { readonly body: ReturnType<JSON['parse']> }): string[] =>
  body.errors.map(({ detail }: Record<string, string>) => detail)

/** A consent of a new customer to two accounts, with their IDs for the third party. */
async function shareTwo(platform: ConsentPlatform, profile: 'plain' | 'cds' = 'plain') {
  const customer = nextCustomer()
  await platform.provider.load(customer.accounts.map((id) => balance(id)))
  const thirdParty = await registerThirdParty(platform, profile, { scopes: allScopes })
  const sharing = await share(platform, { customer, accounts: customer.accounts, thirdParty })
  const [first = '', second = ''] = await listAccountIds(sharing)
  const postBalances = (...accountIds: readonly string[]) =>
    sharing.call('/banking/accounts/balances', { method: 'POST', body: { data: { accountIds } } })
  return { customer, sharing, first, second, postBalances }
}

describe('an account that the provider refuses to share', () => {
  for (const profile of ['plain', 'cds'] as const) {
    for (const [reason, status, bodyStatus, code] of [
      ['blocked', 404, 422, unavailable],
      ['suspended', 404, 422, unavailable],
      ['harm', 403, 403, forbidden],
    ] as const) {
      it(`because of ${reason} is ${status} or ${bodyStatus} for the profile ${profile}, until that ends`, async () => {
        const platform = await platformOnEachEngine()
        const { customer, sharing, first, second, postBalances } = await shareTwo(platform, profile)
        const restricted = { accountId: customer.accounts[0] }
        await platform.restrictions.set(restricted, reason)

        for (const resource of ['balance', 'transactions']) {
          const answer = await sharing.call(`/banking/accounts/${first}/${resource}`)
          assertError(answer, status, code)
          assert.deepEqual(listDetails(answer), [first])
        }
        const answer = await postBalances(second, first)
        assertError(answer, bodyStatus, code)
        assert.deepEqual(listDetails(answer), [first])
        assert.deepEqual(await listAccountIds(sharing), [second])
        const all = await sharing.call('/banking/accounts/balances')
        assert.deepEqual([all.status, all.body.data.balances.length], [200, 1])
        const other = await sharing.call(`/banking/accounts/${second}/balance`)
        assert.equal(other.status, 200)

        await platform.restrictions.end(restricted)
        assert.equal((await postBalances(first, second)).status, 200)
        const { arrangements } = platform.store
        const found = await arrangements.find(sharing.arrangementId, Temporal.Now.instant())
        assert.deepEqual([found?.status, found?.accountIds], ['active', customer.accounts])
      })
    }
  }
})

describeOnce('several accounts in a body', () => {
  it('are all named if the provider refuses them, and no account that it does not have', async () => {
    const platform = await platformOnEachEngine()
    const { customer, sharing, first, second, postBalances } = await shareTwo(platform)
    const [restricted, other] = customer.accounts
    await platform.restrictions.set({ accountId: restricted }, 'blocked')
    await platform.restrictions.set({ accountId: other }, 'harm')

    const both = await postBalances(first, second)
    assertError(both, 403, forbidden)
    assert.deepEqual(listDetails(both), [first, second])
    assert.deepEqual(await listAccountIds(sharing), [])
    const unknown = await postBalances(first, 'unknown')
    assertError(unknown, 422, invalid)
    assert.deepEqual(listDetails(unknown), ['unknown'])

    await platform.restrictions.end({ accountId: other })
    await platform.provider.load([{ type: 'banking.account', delete: { accountId: other } }])
    const one = await postBalances(first, second)
    assertError(one, 422, unavailable)
    assert.deepEqual(listDetails(one), [first])
    assertError(await postBalances(second), 422, invalid)
  })
})

describeOnce('hundreds of accounts in a body', () => {
  const count = 300

  /** A consent to all of them, and the number of calls of B2 that a request for their balances costs. */
  async function shareAll(t: TestContext) {
    let calls = 0
    const platform = await openCdsPlatform(t, (app) => {
      app.addHook('onRequest', async ({ routeOptions }) => {
        if (routeOptions.config.operation?.ref === 'B2') calls += 1
      })
    })
    const customer = nextCustomer()
    const accounts = Array.from({ length: count }, (_, index) => `${customer.id}-${1000 + index}`)
    const holders = { [customer.id]: true }
    await platform.provider.load(
      accounts.flatMap((id) => [bankingAccount(id, holders, savings), balance(id)]),
    )
    const sharing = await share(platform, { customer, accounts })
    const accountIds = await listAccountIds(sharing)
    assert.equal(accountIds.length, count)
    const restrict = (restricted: readonly string[]) =>
      platform.provider.load(restricted.map((accountId) => restriction({ accountId }, 'blocked')))
    const remove = (removed: readonly string[]) =>
      platform.provider.load(
        removed.map((accountId) => ({ type: 'banking.account', delete: { accountId } })),
      )
    const post = async () => {
      calls = 0
      const body = { data: { accountIds } }
      const answer = await sharing.call('/banking/accounts/balances', { method: 'POST', body })
      return { answer, calls }
    }
    return { accounts, accountIds, restrict, remove, post }
  }

  it('cost one call if the provider refuses all, and few if it has not all of them', async (t) => {
    const { accounts, accountIds, restrict, remove, post } = await shareAll(t)
    await restrict(accounts)

    const all = await post()
    assertError(all.answer, 422, unavailable)
    assert.deepEqual(listDetails(all.answer), accountIds)
    assert.equal(all.calls, 1)

    const gone = [0, 170]
    await remove(gone.map((index) => accounts[index] ?? ''))
    const most = await post()
    assertError(most.answer, 422, unavailable)
    assert.deepEqual(
      listDetails(most.answer),
      accountIds.filter((_, index) => !gone.includes(index)),
    )
    assert.ok(most.calls < 40, `${most.calls} calls`)
  })

  it('cost a bounded number of calls if the provider has none of them, and those left undecided are unavailable', async (t) => {
    const { accounts, remove, post } = await shareAll(t)
    await remove(accounts)

    const { answer, calls } = await post()

    assertError(answer, 422, unavailable)
    assert.equal(calls, 64)
  })
})

describe('a customer whose data the provider refuses to share', () => {
  for (const [reason, status, ofCustomer, ofAccount] of [
    ['blocked', 404, 'cds-all:Resource/Unavailable', unavailable],
    ['harm', 403, forbidden, forbidden],
  ] as const) {
    it(`because of ${reason} is ${status} for every endpoint, and keeps tokens and consents`, async () => {
      const platform = await platformOnEachEngine()
      const { customer, sharing, first, postBalances } = await shareTwo(platform)
      const { config, dpop } = sharing.thirdParty
      await platform.restrictions.set({ customerId: customer.id }, reason)

      for (const path of ['/common/customer', '/banking/accounts', '/banking/accounts/balances']) {
        const version = path === '/banking/accounts' ? '3' : '1'
        const answer = await sharing.call(path, { headers: { 'x-v': version } })
        assertError(answer, status, ofCustomer)
        assert.deepEqual(listDetails(answer), ['the customer'])
      }
      assertError(await postBalances(first), status, ofCustomer)
      for (const resource of ['balance', 'transactions']) {
        const answer = await sharing.call(`/banking/accounts/${first}/${resource}`)
        assertError(answer, status, ofAccount)
      }
      const refreshed = await openid.refreshTokenGrant(
        config,
        sharing.tokens.refresh_token ?? '',
        undefined,
        { DPoP: dpop },
      )
      assert.equal(refreshed['cdr_arrangement_id'], sharing.arrangementId)

      await platform.restrictions.end({ customerId: customer.id })
      assert.equal((await listAccountIds(sharing)).length, 2)
    })
  }
})

describeOnce('a provider above its traffic thresholds', () => {
  it('leads to a 429 that says when to retry', async (t) => {
    const platform = await openCdsPlatform(t, (app) => {
      app.addHook('preHandler', async ({ routeOptions }, reply) => {
        if (routeOptions.config.operation?.ref !== 'C3') return undefined
        reply.status(429).headers({ 'retry-after': 0, 'x-sharing-refused': 'true' })
        return reply.send('{"error":"Too many requests"}')
      })
    })
    const sharing = await share(platform)

    const answer = await sharing.call('/common/customer')

    assertError(answer, 429, forbidden)
    assert.equal(answer.headers.get('retry-after'), '5')
    const found = await platform.store.arrangements.find(
      sharing.arrangementId,
      Temporal.Now.instant(),
    )
    assert.equal(found?.status, 'active')
  })
})
