import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { agree, findPasscode, nextCustomer, openConsentPlatform } from './platform.ts'
import { cdsClaims, registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)
const day = 86_400

describe('a consent flow with openid-client', () => {
  it('gives a plain third party tokens bound to its key, and the identity of the customer', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const browser = platform.browse()

    const started = await thirdParty.start({ sharing_duration: String(30 * day) })
    await browser.open(started.url)
    assert.match(browser.page.text, /Example Budget wants to see your data at Demo Bank/)
    const customer = nextCustomer()
    const tokens = await thirdParty.exchange(await agree(browser, platform, customer), started)

    assert.equal(tokens.token_type, 'dpop')
    assert.equal(tokens.expires_in, 600)
    assert.ok(tokens.refresh_token)
    const claims = tokens.claims()
    assert.deepEqual(
      [claims?.['name'], claims?.['email'], claims?.['email_verified'], claims?.['acr']],
      [`Customer ${customer.id}`, customer.email, true, 'urn:cds.au:cdr:2'],
    )
    assert.notEqual(claims?.sub, customer.id)
    const id = String(tokens['cdr_arrangement_id'])
    const arrangement = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.partialDeepStrictEqual(arrangement, {
      thirdPartyId: thirdParty.id,
      customerId: customer.id,
      accountIds: [customer.accounts[0]],
      status: 'active',
    })
  })

  it('gives a third party of the profile cds what the Consumer Data Standards require', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const browser = platform.browse()

    const started = await thirdParty.start(cdsClaims(365 * day))
    await browser.open(started.url)
    const callback = await agree(browser, platform)
    assert.deepEqual([...callback.searchParams.keys()], ['response'])
    const tokens = await thirdParty.exchange(callback, started)

    assert.equal(tokens.claims()?.['acr'], 'urn:cds.au:cdr:2')
    const id = String(tokens['cdr_arrangement_id'])
    const refreshed = await openid.refreshTokenGrant(
      thirdParty.config,
      tokens.refresh_token ?? '',
      undefined,
      { DPoP: thirdParty.dpop },
    )
    assert.equal(refreshed.refresh_token, tokens.refresh_token)
    assert.notEqual(refreshed.access_token, tokens.access_token)
    const introspection = await openid.tokenIntrospection(
      thirdParty.config,
      tokens.refresh_token ?? '',
    )
    const arrangement = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.equal(introspection['cdr_arrangement_id'], id)
    const end = Math.floor((arrangement?.until.epochMilliseconds ?? 0) / 1000)
    assert.ok(Math.abs((introspection.exp ?? 0) - end) <= 1, `${introspection.exp} and ${end}`)
  })

  it('gives different subjects of one customer to two third parties, and the same to one', async () => {
    const platform = await platformOnEachEngine()
    const customer = nextCustomer()
    const [first, second] = [await registerThirdParty(platform), await registerThirdParty(platform)]
    const subjects = []
    for (const thirdParty of [first, second, first]) {
      const started = await thirdParty.start()
      const browser = platform.browse()
      await browser.open(started.url)
      const tokens = await thirdParty.exchange(await agree(browser, platform, customer), started)
      subjects.push(tokens.claims()?.sub)
    }

    assert.equal(subjects[0], subjects[2])
    assert.notEqual(subjects[0], subjects[1])
  })

  it('shares data about the customer without accounts if only that was asked for', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const customer = nextCustomer()
    const started = await thirdParty.start({ scope: 'openid email' })
    const browser = platform.browse()
    await browser.open(started.url)
    await browser.submit('identify', { email: customer.email })
    await browser.submit('passcode', { passcode: findPasscode(platform.passcodes, customer.id) })

    assert.match(browser.page.text, /Share your data with/)
    const callback = await browser.submit('confirm')
    const tokens = await thirdParty.exchange(callback ?? browser.page.url, started)

    assert.equal(tokens.claims()?.['email'], customer.email)
    assert.equal(tokens.scope, 'openid email')
  })

  it('ends tokens at the end of the sharing', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start({ sharing_duration: '3600' })
    const browser = platform.browse()
    await browser.open(started.url)
    const tokens = await thirdParty.exchange(await agree(browser, platform), started)
    const refresh = () =>
      openid.refreshTokenGrant(thirdParty.config, tokens.refresh_token ?? '', undefined, {
        DPoP: thirdParty.dpop,
      })

    platform.pass(3300)
    // No access token outlasts the sharing.
    assert.ok(((await refresh()).expires_in ?? 0) <= 300)
    platform.pass(301)
    await assert.rejects(refresh(), { error: 'invalid_grant' })
    platform.pass(-3601)
  })
})
