import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeSigningKey } from '../../src/auth/signing.ts'
import { createClient } from '../../src/client/client.ts'
import { openCustomers, ProviderUnavailable } from '../../src/platform/consent/customers.ts'
import type { FlowStep } from '../../src/platform/consent/flow-store.ts'
import { respondWith } from '../client/respond.ts'
import { createScope, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { isUnavailable } from './during-outage.ts'
import {
  agree,
  type ConsentPlatform,
  identify,
  nextCustomer,
  openConsentPlatform,
} from './platform.ts'
import { readUserInfo, registerThirdParty } from './third-party.ts'

const platformOnce = shareOnEachEngine(openConsentPlatform)

/** The failed steps of the flow of a third party, once the exchange of its code is recorded. */
async function listFailures({ store }: ConsentPlatform, id: string): Promise<string[]> {
  let steps: readonly FlowStep[] = []
  await until(async () => {
    const found = await store.flows.list({ limit: 100 }, Temporal.Now.instant())
    steps = found.find(({ thirdPartyId }) => thirdPartyId === id)?.steps ?? []
    const last = steps.at(-1)
    return last?.step === 'token' && last.outcome === 'succeeded'
  })
  const failed = steps.filter(({ outcome }) => outcome === 'failed')
  return failed.map(({ step, reason }) => `${step} ${reason}`)
}

describeOnce('a consent flow while the provider does not respond', () => {
  it('shows a page that says so, and continues when it responds again', async () => {
    const platform = await platformOnce()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const customer = nextCustomer()

    platform.setProviderAway(true)
    await browser.submit('identify', { email: customer.email })
    assert.equal(browser.page.status, 503)
    assert.match(browser.page.text, /Demo Bank does not respond at the moment. Nothing was shared/)
    assert.match(browser.page.text, /<a href="">Try again<\/a>.*Reference/s)

    platform.setProviderAway(false)
    await browser.open(browser.page.url)
    const tokens = await thirdParty.exchange(await agree(browser, platform, customer), started)
    assert.ok(tokens.access_token)
    assert.deepEqual(await listFailures(platform, thirdParty.id), ['identify provider_unreachable'])
  })

  it('can be cancelled at the accounts, which the provider has', async () => {
    const platform = await platformOnce()
    const thirdParty = await registerThirdParty(platform)
    const browser = platform.browse()
    await browser.open((await thirdParty.start()).url)
    await identify(browser, platform)

    platform.setProviderAway(true)
    await browser.open(browser.page.url)
    assert.equal(browser.page.status, 503)
    const target = await browser.submit('cancel')
    platform.setProviderAway(false)

    assert.equal(target?.searchParams.get('error'), 'access_denied')
  })

  it('continues with the accounts that the customer chose, and with a code', async () => {
    const platform = await platformOnce()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const { accounts } = await identify(browser, platform)
    await browser.submit('accounts', { account: accounts })
    const { url } = browser.page

    platform.setProviderAway(true)
    await browser.open(url)
    assert.match(browser.page.text, /Everyday.*Holiday/s)
    const callback = (await browser.submit('confirm')) ?? url
    const tokens = await thirdParty.exchange(callback, started)
    await assert.rejects(readUserInfo(thirdParty, tokens), isUnavailable)

    platform.setProviderAway(false)
    assert.ok((await readUserInfo(thirdParty, tokens)).name)
    const id = String(tokens['cdr_arrangement_id'])
    const found = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.deepEqual([found?.status, found?.accountIds], ['active', accounts])
    assert.deepEqual(await listFailures(platform, thirdParty.id), [])
  })

  it('does not wait as long as the provider asks for', async (t) => {
    const { url: providerUrl, seen } = await respondWith(createScope(t), () => ({
      status: 503,
      body: '{"error":"Service unavailable"}',
      headers: { 'retry-after': '30' },
    }))
    const { id, algorithm, privateKey } = await makeSigningKey('ES256', Temporal.Now.instant())
    const key = { ...privateKey, kid: id, alg: algorithm }
    const client = createClient({ providerUrl, subdomain: 'bank', key })
    const customers = openCustomers(async () => client, 500)

    await assert.rejects(customers.search('a@example.com'), ProviderUnavailable)
    await assert.rejects(customers.listAccounts('c1', 100), ProviderUnavailable)
    await assert.rejects(customers.read('c1'), ProviderUnavailable)

    // No attempt was repeated.
    assert.ok(seen.length <= 3, `${seen.length}`)
  })
})
