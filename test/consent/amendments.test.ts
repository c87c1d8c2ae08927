import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import pg from 'pg'
import { ContractError } from '../../src/contract/index.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import {
  createScope,
  describe,
  describeOn,
  describeOnce,
  listSessions,
  newDatabase,
  shareOnEachEngine,
} from '../support/engines.ts'
import { until } from '../support/until.ts'
import { openInterceptedStore } from './intercepted-store.ts'
import {
  type ConsentPlatform,
  identify,
  nextCustomer,
  openConsentPlatform,
  type TestCustomer,
} from './platform.ts'
import { after, makeArrangement, makeThirdParty, now, openStores } from './stores.ts'
import { cdsClaims, registerThirdParty, type TestThirdParty, type TokenSet } from './third-party.ts'

describe('an arrangement that is amended', () => {
  it('keeps its ID and gets the tokens, and the earlier agreement is kept under the other ID', async (t) => {
    const [{ arrangements, artifacts, thirdParties }, other] = await openStores(t)
    await thirdParties.add(makeThirdParty('tp'))
    const later = { accountIds: ['a3'], scopes: ['openid'], from: after(10), until: after(7200) }
    await arrangements.add(makeArrangement('r1'))
    await arrangements.add(makeArrangement('r2', later))
    const put = (model: string, key: string, grantId: string, uid?: string) => {
      const payload = JSON.stringify({ grantId })
      return artifacts.put(model, key, { payload, grantId, uid, expires: after(600) }, now)
    }
    await put('AccessToken', 'k1', 'r1')
    await put('AccessToken', 'k2', 'r2')
    await put('Grant', 'g1', 'r1', 'r1')
    await put('Grant', 'g2', 'r2', 'r2')

    assert.equal(await arrangements.amend('r1', 'r2', after(20)), true)

    const updated = after(20)
    assert.deepEqual(await other.arrangements.find('r1', updated), {
      ...makeArrangement('r1', later),
      status: 'active',
      updated,
    })
    assert.deepEqual(await other.arrangements.find('r2', updated), {
      ...makeArrangement('r2'),
      status: 'withdrawn',
      updated,
      versionOf: 'r1',
    })
    assert.deepEqual(await arrangements.listChanges('r1'), [
      { time: after(10), status: 'active', reason: 'customer' },
    ])
    assert.deepEqual(await arrangements.listChanges('r2'), [
      { time: now, status: 'active', reason: 'customer' },
      { time: updated, status: 'withdrawn', reason: 'amended' },
    ])
    assert.equal(await artifacts.find('AccessToken', 'k1', updated), undefined)
    const moved = { payload: '{"grantId":"r1"}' }
    assert.partialDeepStrictEqual(await artifacts.find('AccessToken', 'k2', updated), moved)
    assert.partialDeepStrictEqual(await artifacts.findByUid('Grant', 'r1', updated), moved)
    assert.equal(await arrangements.amend('r1', 'r2', after(30)), false)
    assert.ok(await artifacts.find('AccessToken', 'k2', after(30)))
    await arrangements.withdraw('r1', 'customer', after(30))
    assert.equal(await artifacts.find('AccessToken', 'k2', after(30)), undefined)
  })

  for (const [name, fields] of Object.entries({
    'another customer': { customerId: 'c2' },
    'another third party': { thirdPartyId: 'tp2' },
    'a sharing that is over': { until: after(20) },
  })) {
    it(`does not change for the agreement of ${name}`, async (t) => {
      const [{ arrangements, artifacts, thirdParties }] = await openStores(t)
      await thirdParties.add(makeThirdParty('tp'))
      await arrangements.add(makeArrangement('r1'))
      await arrangements.add(makeArrangement('r2', { accountIds: ['a3'], ...fields }))
      const token = { payload: '{}', grantId: 'r1', expires: after(600) }
      await artifacts.put('AccessToken', 'k1', token, now)

      assert.equal(await arrangements.amend('r1', 'r2', after(20)), false)

      const found = await arrangements.find('r1', after(20))
      assert.deepEqual(found?.accountIds, ['a1', 'a2'])
      assert.ok(await artifacts.find('AccessToken', 'k1', after(20)))
    })
  }
})

describeOn('postgres', 'an amendment', () => {
  it('and the removal of the third party do not wait for each other', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const store = await openConsentStore(database)
    scope.after(() => store.close())
    await store.thirdParties.add(makeThirdParty('tp'))
    // The order of the last change is not that of the IDs.
    await store.arrangements.add(makeArrangement('r2'))
    await store.arrangements.add(makeArrangement('r1', { from: after(5) }))
    const other = new pg.Client({ connectionString: database })
    await other.connect()
    scope.after(() => other.end())
    await other.query(`begin; select from arrangement where id = 'r2' for update`)
    const untilWaiting = (count: number) =>
      until(async () => (await listSessions(database, `wait_event_type = 'Lock'`)).length === count)

    const removing = store.thirdParties.remove('tp', after(20))
    await untilWaiting(1)
    const amending = store.arrangements.amend('r2', 'r1', after(20))
    await untilWaiting(2)
    await other.query('rollback')

    assert.equal(await removing, true)
    assert.equal(typeof (await amending), 'boolean')
    for (const id of ['r1', 'r2']) {
      assert.equal((await store.arrangements.find(id, after(20)))?.status, 'withdrawn')
    }
  })
})

const openPlatform = shareOnEachEngine(openConsentPlatform)

/** Walks through a consent to one account. Returns the URL at the third party. */
async function consent(
  platform: ConsentPlatform,
  thirdParty: TestThirdParty,
  customer: TestCustomer,
  account: string,
  amendedId?: string,
) {
  const { claims } = cdsClaims(86_400)
  const amended = JSON.stringify({ ...JSON.parse(claims), cdr_arrangement_id: amendedId })
  const started = await thirdParty.start({ claims: amended })
  const browser = platform.browse()
  await browser.open(started.url)
  await identify(browser, platform, customer)
  await browser.submit('accounts', { account })
  const isAnnounced = /This replaces what you agreed to share/.test(browser.page.text)
  const callback = await browser.submit('confirm')
  return { callback: callback ?? assert.fail(browser.page.text), started, isAnnounced }
}

describeOnce('a request that names an arrangement', () => {
  it('amends it when the code is exchanged: its ID stays, its earlier tokens end', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const customer = nextCustomer()
    const isActive = async (token = '') =>
      (await openid.tokenIntrospection(thirdParty.config, token)).active
    const first = await consent(platform, thirdParty, customer, customer.accounts[0])
    const earlier = await thirdParty.exchange(first.callback, first.started)
    const id = String(earlier['cdr_arrangement_id'])

    const second = await consent(platform, thirdParty, customer, customer.accounts[1], id)

    assert.deepEqual([first.isAnnounced, second.isAnnounced], [false, true])
    assert.equal(await isActive(earlier.refresh_token), true)
    const tokens = await thirdParty.exchange(second.callback, second.started)
    assert.equal(tokens['cdr_arrangement_id'], id)
    assert.equal(await isActive(earlier.refresh_token), false)
    const refreshed = await openid.refreshTokenGrant(
      thirdParty.config,
      tokens.refresh_token ?? '',
      undefined,
      { DPoP: thirdParty.dpop },
    )
    assert.equal(refreshed['cdr_arrangement_id'], id)
    const { arrangements } = platform.store
    const found = await arrangements.find(id, Temporal.Now.instant())
    assert.deepEqual([found?.status, found?.accountIds], ['active', [customer.accounts[1]]])
    await arrangements.withdraw(id, 'customer', Temporal.Now.instant())
    assert.equal(await isActive(tokens.refresh_token), false)
  })

  it('amends it with the same code after the database has failed', async (t) => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const customer = nextCustomer()
    const [before, chosen] = customer.accounts
    const first = await consent(platform, thirdParty, customer, before)
    const earlier = await thirdParty.exchange(first.callback, first.started)
    const id = String(earlier['cdr_arrangement_id'])
    const { callback, started } = await consent(platform, thirdParty, customer, chosen, id)
    const { arrangements } = platform.store
    const { mock } = t.mock.method(arrangements, 'amend', async () => {
      throw new ContractError('unavailable', 'the test stopped the database')
    })

    await assert.rejects(
      thirdParty.exchange(callback, started),
      ({ cause }) => (cause as Response).status === 503,
    )
    mock.restore()
    const tokens = await thirdParty.exchange(callback, started)

    assert.equal(tokens['cdr_arrangement_id'], id)
    const isActive = async (token = '') =>
      (await openid.tokenIntrospection(thirdParty.config, token)).active
    assert.equal(await isActive(tokens.refresh_token), true)
    assert.equal(await isActive(earlier.refresh_token), false)
    const found = await arrangements.find(id, Temporal.Now.instant())
    assert.deepEqual([found?.status, found?.accountIds], ['active', [chosen]])
    // The code is used now: another use ends the arrangement.
    await assert.rejects(thirdParty.exchange(callback, started), { error: 'invalid_grant' })
    assert.equal(await isActive(tokens.refresh_token), false)
  })

  it('amends it once if the code is exchanged several times at once', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const customer = nextCustomer()
    const first = await consent(platform, thirdParty, customer, customer.accounts[0])
    const { cdr_arrangement_id: id } = await thirdParty.exchange(first.callback, first.started)
    const { callback, started } = await consent(
      platform,
      thirdParty,
      customer,
      customer.accounts[1],
      String(id),
    )

    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => thirdParty.exchange(callback, started)),
    )

    const errors = results.flatMap((each) =>
      each.status === 'rejected' ? [each.reason.error] : [],
    )
    assert.ok(errors.length >= 3, String(errors))
    assert.deepEqual(new Set(errors), new Set(['invalid_grant']))
  })

  it('ends it if the code is exchanged again before an exchange has found its grant', async (t) => {
    const { openStore, intercept, restore } = openInterceptedStore()
    const platform = await openConsentPlatform(createScope(t), { openStore })
    const thirdParty = await registerThirdParty(platform, 'cds')
    const customer = nextCustomer()
    const first = await consent(platform, thirdParty, customer, customer.accounts[0])
    const earlier = await thirdParty.exchange(first.callback, first.started)
    const id = String(earlier['cdr_arrangement_id'])
    const [, chosen] = customer.accounts
    const { callback, started } = await consent(platform, thirdParty, customer, chosen, id)
    let other: TokenSet | undefined
    intercept('artifacts.findByUid', async (find) => {
      restore()
      other = await thirdParty.exchange(callback, started)
      return find()
    })

    await assert.rejects(thirdParty.exchange(callback, started), { error: 'invalid_grant' })

    assert.equal(other?.['cdr_arrangement_id'], id)
    const { arrangements } = platform.store
    const reason = (await arrangements.listChanges(id)).at(-1)?.reason
    assert.equal(reason, 'code_replayed')
    const { active } = await openid.tokenIntrospection(
      thirdParty.config,
      other?.refresh_token ?? '',
    )
    assert.equal(active, false)
  })

  it('is rejected if the third party does not have it', async () => {
    const platform = await openPlatform()
    const [owner, other] = [await registerThirdParty(platform), await registerThirdParty(platform)]
    const customer = nextCustomer()
    const { callback, started } = await consent(platform, owner, customer, customer.accounts[0])
    const { cdr_arrangement_id: id } = await owner.exchange(callback, started)

    for (const named of [id, 'unknown', 7]) {
      const claims = JSON.stringify({ cdr_arrangement_id: named })
      await assert.rejects(other.start({ claims }), { error: 'invalid_request', status: 400 })
    }
  })

  it('ends with an error if another customer is authenticated', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const [customer, stranger] = [nextCustomer(), nextCustomer()]
    const { callback, started } = await consent(
      platform,
      thirdParty,
      customer,
      customer.accounts[0],
    )
    const { cdr_arrangement_id: id } = await thirdParty.exchange(callback, started)
    const claims = JSON.stringify({ cdr_arrangement_id: id })
    const browser = platform.browse()
    await browser.open((await thirdParty.start({ claims })).url)
    await browser.submit('identify', { email: stranger.email })

    const { passcode = '' } =
      platform.passcodes.findLast(({ name }) => name === `Customer ${stranger.id}`) ?? {}
    const target = await browser.submit('passcode', { passcode })

    assert.equal(target?.searchParams.get('error'), 'invalid_request')
  })
})
