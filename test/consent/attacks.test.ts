import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { openBrowser, readForm } from './browser.ts'
import {
  agree,
  type ConsentPlatform,
  email,
  identify,
  issuer,
  openConsentPlatform,
  redirectUri,
} from './platform.ts'
import {
  fetchFrom,
  registerThirdParty,
  requestedScopes,
  type TestThirdParty,
} from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)

/** A browser on the first page of a flow. */
async function openFlow(platform: ConsentPlatform, thirdParty?: TestThirdParty) {
  const party = thirdParty ?? (await registerThirdParty(platform))
  const started = await party.start({ sharing_duration: '86400' })
  const browser = platform.browse()
  await browser.open(started.url)
  assert.equal(browser.page.status, 200, browser.page.text)
  return { thirdParty: party, started, browser }
}

const isActive = async ({ config }: TestThirdParty, token = '') =>
  (await openid.tokenIntrospection(config, token)).active

describe('a pushed authorization request', () => {
  it('of the profile cds is used by one of many browsers that open it at the same time', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const { url } = await thirdParty.start()
    const other = await platform.openAnother()
    const browsers = Array.from({ length: 6 }, (_, index) =>
      openBrowser(issuer, index % 2 ? other : platform.port),
    )

    const targets = await Promise.all(browsers.map((browser) => browser.open(url)))

    assert.deepEqual(new Set(targets), new Set([undefined]))
    const statuses = browsers.map(({ page }) => page.status).sort()
    assert.deepEqual(statuses, [200, 400, 400, 400, 400, 400])
    const [rejected] = browsers.filter(({ page }) => page.status === 400)
    assert.match(rejected?.page.text ?? '', /This link cannot be used/)
  })

  for (const [name, uri] of Object.entries({
    'another host': 'https://evil.example/callback',
    'another path': 'https://budget.example/callback/more',
    'another query': `${redirectUri}?next=https://evil.example`,
    'another case': 'https://budget.example/CALLBACK',
    'a user': 'https://budget.example@evil.example/callback',
    'a fragment': `${redirectUri}#x`,
    'a port': 'https://budget.example:444/callback',
    'plain http': 'http://budget.example/callback',
  })) {
    it(`is rejected with a redirect URI with ${name}`, async () => {
      const platform = await platformOnEachEngine()
      const thirdParty = await registerThirdParty(platform)

      await assert.rejects(thirdParty.start({ redirect_uri: uri }), { status: 400 })
    })
  }

  it('is required: parameters in the URL lead to no redirect', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const browser = platform.browse()
    const query = new URLSearchParams({
      client_id: thirdParty.id,
      response_type: 'code',
      scope: 'openid',
      redirect_uri: 'https://evil.example/',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })

    const target = await browser.open(`${issuer}/oidc/authorize?${query}`)

    assert.equal(target, undefined)
    assert.equal(browser.page.status, 400)
  })

  it('of another third party cannot be used with its own client id', async () => {
    const platform = await platformOnEachEngine()
    const [first, second] = [await registerThirdParty(platform), await registerThirdParty(platform)]
    const { url } = await first.start()
    url.searchParams.set('client_id', second.id)
    const browser = platform.browse()

    const target = await browser.open(url)

    assert.equal(target, undefined)
    assert.equal(browser.page.status, 400)
  })

  for (const [name, parameters] of Object.entries({
    'a plain code challenge': { code_challenge_method: 'plain' },
    'another response type': { response_type: 'code id_token' },
    'a response mode that posts a form': { response_mode: 'form_post' },
    'no known scope': { scope: 'foo bar', nonce: '' },
    'no scope': { scope: '', nonce: '' },
    'a scope that the third party does not have': { scope: 'openid energy:billing:read' },
    'a negative duration': { sharing_duration: '-1' },
    'a duration that is not a number': { sharing_duration: '1e9' },
  })) {
    it(`is rejected with ${name}`, async () => {
      const platform = await platformOnEachEngine()
      const thirdParty = await registerThirdParty(platform)

      await assert.rejects(thirdParty.start(parameters), { status: 400 })
    })
  }

  it('of the profile cds must be a signed object and be answered in one', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const unsigned = {
      redirect_uri: redirectUri,
      scope: requestedScopes.join(' '),
      response_type: 'code',
    }

    await assert.rejects(
      openid.buildAuthorizationUrlWithPAR(thirdParty.config, unsigned, { DPoP: thirdParty.dpop }),
      { status: 400 },
    )
    await assert.rejects(thirdParty.start({ response_mode: 'query' }), { status: 400 })
    await assert.rejects(thirdParty.start({ scope: 'foo bar', nonce: '' }), { status: 400 })
  })
})

describe('an authorization code', () => {
  it('is accepted once, and its tokens are revoked if it is used again', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser } = await openFlow(platform)
    const callback = await agree(browser, platform)
    const tokens = await thirdParty.exchange(callback, started)
    assert.equal(await isActive(thirdParty, tokens.access_token), true)

    await assert.rejects(thirdParty.exchange(callback, started), { error: 'invalid_grant' })

    assert.equal(await isActive(thirdParty, tokens.access_token), false)
    const changes = await platform.store.arrangements.listChanges(
      String(tokens['cdr_arrangement_id']),
    )
    assert.equal(changes.at(-1)?.reason, 'code_replayed')
  })

  it('gives tokens to at most one of many concurrent requests', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser } = await openFlow(platform)
    const callback = await agree(browser, platform)

    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => thirdParty.exchange(callback, started)),
    )

    const tokens = outcomes.filter(({ status }) => status === 'fulfilled')
    assert.ok(tokens.length <= 1, `${tokens.length}`)
  })

  it('is of no use to another third party', async () => {
    const platform = await platformOnEachEngine()
    const { started, browser, thirdParty } = await openFlow(platform)
    const other = await registerThirdParty(platform)
    const callback = await agree(browser, platform)

    await assert.rejects(other.exchange(callback, started), { error: 'invalid_grant' })
    await assert.rejects(
      thirdParty.exchange(callback, { ...started, verifier: openid.randomPKCECodeVerifier() }),
      { error: 'invalid_grant' },
    )
    assert.ok((await thirdParty.exchange(callback, started)).access_token)
  })
})

describe('tokens', () => {
  it('cannot be refreshed or introspected by another third party', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser } = await openFlow(platform)
    const other = await registerThirdParty(platform)
    const { refresh_token: refreshToken = '', access_token: accessToken } =
      await thirdParty.exchange(await agree(browser, platform), started)

    const refresh = openid.refreshTokenGrant(other.config, refreshToken, undefined, {
      DPoP: other.dpop,
    })
    await assert.rejects(refresh, { error: 'invalid_grant' })
    assert.equal(await isActive(other, accessToken), false)
    await openid.tokenRevocation(other.config, refreshToken)
    assert.equal(await isActive(thirdParty, refreshToken), true)
  })

  it('of a withdrawn arrangement are refused in every process, even if they are issued at that moment', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser } = await openFlow(platform)
    const tokens = await thirdParty.exchange(await agree(browser, platform), started)
    const id = String(tokens['cdr_arrangement_id'])
    const refresh = () =>
      openid.refreshTokenGrant(thirdParty.config, tokens.refresh_token ?? '', undefined, {
        DPoP: thirdParty.dpop,
      })

    const [isWithdrawn, ...refreshed] = await Promise.all([
      platform.store.arrangements.withdraw(id, 'customer', Temporal.Now.instant()),
      ...Array.from({ length: 6 }, () => refresh().catch(() => undefined)),
    ])

    assert.equal(isWithdrawn, true)
    for (const issued of [tokens, ...refreshed]) {
      if (issued) assert.equal(await isActive(thirdParty, issued.access_token), false)
    }
    await assert.rejects(refresh(), { error: 'invalid_grant' })
  })

  it('need a new proof for each request', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser } = await openFlow(platform)
    const tokens = await thirdParty.exchange(await agree(browser, platform), started)
    const requests: RequestInit[] = []
    const record: openid.CustomFetch = (url, options) => {
      requests.push(options as RequestInit)
      return fetchFrom(platform.port)(url, options)
    }
    thirdParty.config[openid.customFetch] = record
    await openid.refreshTokenGrant(thirdParty.config, tokens.refresh_token ?? '', undefined, {
      DPoP: thirdParty.dpop,
    })
    // The client assertion is new, the proof is not.
    const [first] = requests
    thirdParty.config[openid.customFetch] = (url, options) =>
      fetchFrom(platform.port)(url, {
        ...options,
        headers: { ...options.headers, dpop: new Headers(first?.headers).get('dpop') ?? '' },
      })

    await assert.rejects(
      openid.refreshTokenGrant(thirdParty.config, tokens.refresh_token ?? '', undefined, {
        DPoP: thirdParty.dpop,
      }),
      { status: 400 },
    )
  })

  it('end with the arrangement if a plain third party revokes the refresh token', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser } = await openFlow(platform)
    const tokens = await thirdParty.exchange(await agree(browser, platform), started)

    await openid.tokenRevocation(thirdParty.config, tokens.refresh_token ?? '')

    assert.equal(await isActive(thirdParty, tokens.access_token), false)
    const id = String(tokens['cdr_arrangement_id'])
    const changes = await platform.store.arrangements.listChanges(id)
    assert.deepEqual([changes.at(-1)?.status, changes.at(-1)?.reason], ['withdrawn', 'third_party'])
  })
})

describe('the pages', () => {
  for (const [name, headers] of Object.entries({
    'another origin': { origin: 'https://evil.example' },
    'a null origin': { origin: 'null' },
    'another site': { 'sec-fetch-site': 'cross-site' },
    'a subdomain': { 'sec-fetch-site': 'same-site' },
  })) {
    it(`reject a form from ${name}`, async () => {
      const platform = await platformOnEachEngine()
      const { browser } = await openFlow(platform)
      const sent = platform.passcodes.length

      await browser.submit('identify', { email }, headers)

      assert.equal(browser.page.status, 403)
      assert.equal(platform.passcodes.length, sent)
    })
  }

  it('reject a form without its token, or with that of another flow', async () => {
    const platform = await platformOnEachEngine()
    const [mine, other] = [await openFlow(platform), await openFlow(platform)]
    const token = readForm(other.browser.page.text, 'identify', {}).get('token') ?? ''
    const { url } = mine.browser.page

    for (const wrong of ['', token]) {
      const fields = new URLSearchParams({ email, action: 'identify', token: wrong })
      assert.equal((await mine.browser.post(url, fields)).status, 403)
    }
  })

  it('do not accept an account that was not offered', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const { accounts } = await identify(browser, platform)

    // Of another customer, and unknown.
    for (const account of ['a3', 'x']) {
      await browser.submit('accounts', { account: [accounts[0], account] })
      assert.equal(browser.page.status, 422, account)
      assert.match(browser.page.text, /Select accounts from the list/)
    }
  })

  it('use a new secret after the authentication: one that was known before is of no use', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const before = browser.cookies
    await identify(browser, platform)
    const attacker = platform.browse()
    attacker.cookies = before

    await attacker.open(browser.page.url)

    assert.match(attacker.page.text, /Your e-mail address/)
    assert.doesNotMatch(attacker.page.text, /Everyday/)
  })

  it('authenticate the customer again in the next flow of the same browser', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, browser } = await openFlow(platform)
    await agree(browser, platform)

    const { url } = await thirdParty.start()
    await browser.open(url)

    assert.match(browser.page.text, /Your e-mail address/)
  })

  it('start again or end when a cookie was tampered with', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    await identify(browser, platform)
    const { cookies, page } = browser
    const tamper = (name: string) =>
      cookies.map((cookie) =>
        cookie.name === name ? { ...cookie, value: `${cookie.value.slice(0, -2)}AA` } : cookie,
      )

    browser.cookies = tamper('holdfast_flow')
    await browser.open(page.url)
    assert.match(browser.page.text, /Your e-mail address/)
    for (const name of ['holdfast_interaction', 'holdfast_interaction.sig']) {
      browser.cookies = tamper(name)
      await browser.open(page.url)
      assert.equal(browser.page.status, 400, name)
      assert.match(browser.page.text, /This page has expired/)
    }
  })

  it('show a flow to the browser that started it only', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    const stranger = platform.browse()

    await stranger.open(browser.page.url)

    assert.equal(stranger.page.status, 400)
  })
})

describeOnce('the limits of the pages', () => {
  it('count an IPv6 address as its /64 network', async () => {
    const platform = await platformOnEachEngine()
    const { browser } = await openFlow(platform)
    await browser.submit('identify', { email })
    const form = readForm(browser.page.text, 'passcode', { passcode: '000000' })
    const tryFrom = async (address: string) =>
      (await browser.post(browser.page.url, form, { 'x-forwarded-for': address })).status

    for (let host = 1; host <= 60; host += 1) await tryFrom(`2001:db8:0:64::${host}`)

    assert.equal(await tryFrom('2001:db8:0:64::ffff'), 429)
    assert.notEqual(await tryFrom('2001:db8:0:65::1'), 429)
  })
})
