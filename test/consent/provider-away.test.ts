import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { agree, identify, nextCustomer, openConsentPlatform } from './platform.ts'
import { registerThirdParty } from './third-party.ts'

describeOnce('a consent flow while the provider does not respond', () => {
  it('shows a page that says so, and continues when it responds again', async (t) => {
    const platform = await openConsentPlatform(t)
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
  })

  it('keeps what the customer chose if the provider is away at the end', async (t) => {
    const platform = await openConsentPlatform(t)
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const { accounts } = await identify(browser, platform)
    await browser.submit('accounts', { account: accounts })
    const { url } = browser.page

    platform.setProviderAway(true)
    await browser.submit('confirm')
    assert.equal(browser.page.status, 503)
    const query = { thirdPartyId: thirdParty.id, limit: 1 }
    assert.deepEqual(await platform.store.arrangements.list(query, Temporal.Now.instant()), [])

    platform.setProviderAway(false)
    await browser.open(url)
    const callback = await browser.submit('confirm')
    assert.ok(callback?.searchParams.get('code'))
    platform.setProviderAway(true)
    const exchange = thirdParty.exchange(callback ?? url, started)
    await assert.rejects(exchange, ({ cause }) => (cause as Response).status === 503)
  })
})
