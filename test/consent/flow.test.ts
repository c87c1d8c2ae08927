import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { readForm } from './browser.ts'
import {
  agree,
  type ConsentPlatform,
  findPasscode,
  identify,
  nextCustomer,
  openConsentPlatform,
} from './platform.ts'
import { cdsClaims, readUserInfo, registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)
const day = 86_400

describe('a consent flow with openid-client', () => {
  it('leaves the session of the console in the same browser alone', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const browser = platform.browse()
    const ofConsole = { name: 'holdfast_session', value: 'of-the-console', path: '/' }
    browser.cookies = [ofConsole]
    await browser.open((await thirdParty.start()).url)

    await agree(browser, platform)

    assert.deepEqual(
      browser.cookies.find(({ name }) => name === ofConsole.name),
      ofConsole,
    )
  })

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
    const userinfo = await readUserInfo(thirdParty, tokens)
    assert.deepEqual(
      [userinfo.name, userinfo.email, userinfo.email_verified],
      [`Customer ${customer.id}`, customer.email, true],
    )
    assert.notEqual(userinfo.sub, customer.id)
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
    const introspect = (token = '') => openid.tokenIntrospection(thirdParty.config, token)
    assert.deepEqual(await introspect(refreshed.access_token), { active: false })
    const introspection = await introspect(tokens.refresh_token)
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

    assert.equal((await readUserInfo(thirdParty, tokens)).email, customer.email)
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

describe('a customer whose confirmation got no answer', () => {
  /** Confirms all accounts, and opens the page again instead of following the redirect. */
  async function confirmWithoutAnswer(platform: ConsentPlatform) {
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start({ sharing_duration: '3600' })
    const browser = platform.browse()
    await browser.open(started.url)
    const { accounts } = await identify(browser, platform)
    await browser.submit('accounts', { account: accounts })
    const { url, text } = browser.page
    const { location = '' } = await browser.post(url, readForm(text, 'confirm', {}))
    await browser.open(url)
    const list = async () => {
      const query = { thirdPartyId: thirdParty.id, limit: 10 }
      const found = await platform.store.arrangements.list(query, Temporal.Now.instant())
      return found.map(({ status, accountIds }) => [status, accountIds])
    }
    return { thirdParty, started, browser, accounts, location, list }
  }

  it('shares the accounts of the last confirmation, and no others', async () => {
    const platform = await platformOnEachEngine()
    const flow = await confirmWithoutAnswer(platform)
    const { thirdParty, started, browser, accounts } = flow

    await browser.submit('back')
    await browser.submit('accounts', { account: accounts[1] })
    assert.doesNotMatch(browser.page.text, /Everyday/)
    const callback = await browser.submit('confirm')
    const tokens = await thirdParty.exchange(callback ?? browser.page.url, started)

    const id = String(tokens['cdr_arrangement_id'])
    const found = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.deepEqual(found?.accountIds, [accounts[1]])
    assert.deepEqual(await flow.list(), [
      ['withdrawn', accounts],
      ['active', [accounts[1]]],
    ])
  })

  it('shares nothing after going back, whatever link is opened', async () => {
    const platform = await platformOnEachEngine()
    const { browser, location, list, accounts } = await confirmWithoutAnswer(platform)

    await browser.submit('back')
    const target = await browser.open(location)

    assert.equal(target?.searchParams.get('error'), 'access_denied')
    assert.deepEqual(await list(), [['withdrawn', accounts]])
  })

  it('shares nothing after cancelling, also in a flow that started again', async () => {
    const platform = await platformOnEachEngine()
    for (const isNew of [false, true]) {
      const { browser, list, accounts } = await confirmWithoutAnswer(platform)
      if (isNew) {
        browser.cookies = browser.cookies.filter(({ name }) => name !== 'holdfast_flow')
        await browser.open(browser.page.url)
      }

      const target = await browser.submit('cancel')

      assert.equal(target?.searchParams.get('error'), 'access_denied')
      assert.deepEqual(await list(), [['withdrawn', accounts]])
    }
  })

  it('shares nothing if the third party is removed at that moment', async (t) => {
    const platform = await platformOnEachEngine()
    const { thirdParty, browser, accounts, list } = await confirmWithoutAnswer(platform)
    const { arrangements, thirdParties } = platform.store
    await browser.submit('back')
    await browser.submit('accounts', { account: accounts })
    const { add } = arrangements
    t.mock.method(arrangements, 'add', async (arrangement: Parameters<typeof add>[0]) => {
      await thirdParties.remove(thirdParty.id, Temporal.Now.instant())
      await add(arrangement)
    })

    assert.equal(await browser.submit('confirm'), undefined)

    assert.match(browser.page.text, /This page has expired/)
    assert.deepEqual(
      (await list()).map(([status]) => status),
      ['withdrawn', 'withdrawn'],
    )
  })

  it('confirms again if the consent was withdrawn on another page', async () => {
    const platform = await platformOnEachEngine()
    const { thirdParty, started, browser, list } = await confirmWithoutAnswer(platform)
    const query = { thirdPartyId: thirdParty.id, limit: 1 }
    const [first] = await platform.store.arrangements.list(query, Temporal.Now.instant())
    await platform.store.arrangements.withdraw(first?.id ?? '', 'customer', Temporal.Now.instant())

    assert.equal(await browser.submit('confirm'), undefined)
    const callback = await browser.submit('confirm')

    assert.ok((await thirdParty.exchange(callback ?? browser.page.url, started)).access_token)
    assert.deepEqual(
      (await list()).map(([status]) => status),
      ['withdrawn', 'active'],
    )
  })
})

describe('a customer who uses two pages of a flow at once', () => {
  async function openConfirmPage(platform: ConsentPlatform) {
    const thirdParty = await registerThirdParty(platform)
    const { url } = await thirdParty.start({ sharing_duration: '3600' })
    const browser = platform.browse()
    await browser.open(url)
    const { accounts } = await identify(browser, platform)
    await browser.submit('accounts', { account: accounts[0] })
    const list = async () => {
      const query = { thirdPartyId: thirdParty.id, limit: 10 }
      const found = await platform.store.arrangements.list(query, Temporal.Now.instant())
      return found.map(({ status, accountIds }) => [status, accountIds])
    }
    return { browser, accounts, list }
  }

  for (const action of ['cancel', 'back']) {
    it(`shares nothing after ${action} while the confirmation is stored`, async (t) => {
      const platform = await platformOnEachEngine()
      const { browser, accounts, list } = await openConfirmPage(platform)
      const { arrangements } = platform.store
      const { add } = arrangements
      const stored = Promise.withResolvers<void>()
      const reached = Promise.withResolvers<void>()
      t.mock.method(arrangements, 'add', async (arrangement: Parameters<typeof add>[0]) => {
        reached.resolve()
        await stored.promise
        await add(arrangement)
      })
      const { url, text } = browser.page

      const confirming = browser.post(url, readForm(text, 'confirm', {}))
      await reached.promise
      const { location = '' } = await browser.post(url, readForm(text, action, {}))
      stored.resolve()
      await confirming
      const target = await browser.open(new URL(location, url))

      if (action === 'cancel') assert.equal(target?.searchParams.get('error'), 'access_denied')
      else assert.equal(target, undefined)
      assert.deepEqual(await list(), [['withdrawn', [accounts[0]]]])
    })
  }

  it('confirms only the accounts that the page shows', async () => {
    const platform = await platformOnEachEngine()
    const { browser, accounts, list } = await openConfirmPage(platform)
    const first = browser.page
    await browser.submit('back')
    await browser.submit('accounts', { account: accounts })

    const { location = '' } = await browser.post(first.url, readForm(first.text, 'confirm', {}))

    assert.equal(await browser.open(new URL(location, first.url)), undefined)
    assert.deepEqual(await list(), [])
    await browser.submit('confirm')
    assert.deepEqual(await list(), [['active', accounts]])
  })

  it('continues after the passcode was sent twice', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)
    const { url } = await thirdParty.start({ sharing_duration: '3600' })
    const browser = platform.browse()
    await browser.open(url)
    const { email, id } = nextCustomer()
    await browser.submit('identify', { email })
    const form = readForm(browser.page.text, 'passcode', {
      passcode: findPasscode(platform.passcodes, id),
    })
    const { cookies, page } = browser

    await browser.post(page.url, form)
    const signedIn = browser.cookies
    browser.cookies = cookies
    await browser.post(page.url, form)
    const hasNewCookie = browser.cookies.some((cookie) => !cookies.includes(cookie))
    if (!hasNewCookie) browser.cookies = signedIn
    await browser.open(page.url)

    assert.match(browser.page.text, /Choose the accounts/)
  })
})

describeOnce('a form', () => {
  const chunked = { 'transfer-encoding': 'chunked' }
  const openFlow = async (platform: ConsentPlatform) => {
    const thirdParty = await registerThirdParty(platform)
    const browser = platform.browse()
    await browser.open((await thirdParty.start()).url)
    return browser
  }

  it('may be long only if the customer chooses accounts, with and without Content-Length', async () => {
    const platform = await platformOnEachEngine()
    const filler = 'x'.repeat(5000)
    for (const headers of [{}, chunked]) {
      const browser = await openFlow(platform)
      const { page, cookies } = browser
      const form = readForm(page.text, 'identify', { email: filler })
      for (const sent of [[], cookies]) {
        browser.cookies = sent
        assert.equal((await browser.post(page.url, form, headers)).status, 413)
      }

      const { accounts } = await identify(browser, platform)
      await browser.submit('accounts', { account: accounts[0], filler }, headers)
      assert.match(browser.page.text, /Share your data with/)
    }
  })

  it('may be short without Content-Length', async () => {
    const browser = await openFlow(await platformOnEachEngine())

    await browser.submit('identify', { email: nextCustomer().email }, chunked)

    assert.match(browser.page.text, /Enter your one-time code/)
  })
})
