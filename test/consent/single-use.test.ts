import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { openingsMax } from '../../src/platform/consent/pushed-requests.ts'
import { profiles } from '../../src/platform/consent/store.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { countRequests } from '../support/http.ts'
import { until } from '../support/until.ts'
import { type Browser, openBrowser, readForm } from './browser.ts'
import { openInterceptedStore } from './intercepted-store.ts'
import { lockArtifacts } from './lock-artifacts.ts'
import {
  agree,
  findPasscode,
  identify,
  issuer,
  nextCustomer,
  openConsentPlatform,
  redirectUri,
} from './platform.ts'
import { fetchFrom, registerThirdParty } from './third-party.ts'

const openPlatform = shareOnEachEngine(openConsentPlatform)

describe('a request_uri', () => {
  for (const profile of profiles) {
    it(`with prompt=none is answered once, also at the same moment (${profile})`, async () => {
      const platform = await openPlatform()
      const thirdParty = await registerThirdParty(platform, profile)
      const { url } = await thirdParty.start({ prompt: 'none' })
      const browsers = Array.from({ length: 4 }, () => platform.browse())

      const targets = await Promise.all(browsers.map((browser) => browser.open(url)))
      const later = platform.browse()
      const repeated = await later.open(url)

      const answers = targets.filter((target) => target !== undefined)
      assert.deepEqual(
        answers.map(({ origin, pathname }) => origin + pathname),
        [redirectUri],
      )
      if (profile === 'plain') {
        assert.equal(answers[0]?.searchParams.get('error'), 'login_required')
      }
      assert.equal(repeated, undefined)
      for (const { page } of [...browsers.filter((_, index) => !targets[index]), later]) {
        assert.equal(page.status, 400)
        assert.match(page.text, /This link cannot be used/)
      }
    })
  }

  it('of the profile plain can be opened until a customer signs in, then by no one', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const [preview, browser, later] = [platform.browse(), platform.browse(), platform.browse()]

    await preview.open(started.url)
    await browser.open(started.url)
    await browser.open(started.url)
    const statuses = [preview.page.status, browser.page.status]
    await identify(browser, platform)
    await later.open(started.url)
    await browser.open(started.url)

    assert.deepEqual(statuses, [200, 200])
    assert.deepEqual([later.page.status, browser.page.status], [400, 400])
    assert.match(later.page.text, /This link cannot be used/)
  })

  it('of the profile plain completes in one of two browsers that opened it before', async () => {
    const platform = await openPlatform()
    const other = await platform.openAnother()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browsers = [platform.browse(), openBrowser(issuer, other), platform.browse()]
    const customers = browsers.map(() => nextCustomer())
    for (const [index, browser] of browsers.entries()) {
      await browser.open(started.url)
      await browser.submit('identify', { email: customers[index]?.email ?? '' })
    }
    const enter = (browser: Browser, index: number) => {
      const passcode = findPasscode(platform.passcodes, customers[index]?.id ?? '')
      return browser.submit('passcode', { passcode })
    }

    await Promise.all(browsers.map(enter))

    const isAhead = ({ page }: Browser) => page.text.includes('Choose the accounts')
    const [winner = assert.fail(), ...others] = browsers.toSorted(
      (a, b) => Number(isAhead(b)) - Number(isAhead(a)),
    )
    assert.deepEqual(
      others.map(({ page }) => [page.status, page.text.includes('This request was already used')]),
      [
        [400, true],
        [400, true],
      ],
    )
    const [account = ''] = customers[browsers.indexOf(winner)]?.accounts ?? []
    await winner.submit('accounts', { account })
    const callback = (await winner.submit('confirm')) ?? assert.fail()
    assert.ok((await thirdParty.exchange(callback, started)).access_token)
    for (const browser of others) {
      await browser.open(browser.page.url)
      assert.doesNotMatch(browser.page.text, /Choose the accounts/)
    }
  })

  it('of the profile plain lets a customer sign in after it has expired, and is opened no more', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const [browser, slow, late] = [platform.browse(), platform.browse(), platform.browse()]
    await browser.open(started.url)
    await slow.open(started.url)

    platform.pass(91)
    await late.open(started.url)
    await identify(browser, platform)
    platform.pass(600)
    const { id, email } = nextCustomer()
    await slow.submit('identify', { email })
    await slow.submit('passcode', { passcode: findPasscode(platform.passcodes, id) })

    assert.equal(late.page.status, 400)
    assert.match(browser.page.text, /Choose the accounts/)
    assert.match(slow.page.text, /This request was already used/)
  })

  it('of the profile plain is opened a bounded number of times', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const { url } = await thirdParty.start()
    const statuses: number[] = []
    for (let count = 0; count < openingsMax + 2; count += 1) {
      const browser = platform.browse()
      await browser.open(url)
      statuses.push(browser.page.status)
    }

    assert.deepEqual(statuses, [...Array(openingsMax).fill(200), 400, 400])
  })

  it('leads to one answer if the customer returns several times at once', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const { accounts } = await identify(browser, platform)
    await browser.submit('accounts', { account: accounts })
    const form = readForm(browser.page.text, 'confirm', {})
    const { location = '' } = await browser.post(browser.page.url, form)
    const copies = Array.from({ length: 4 }, () => {
      const copy = openBrowser(issuer, platform.port)
      copy.cookies = browser.cookies
      return copy
    })

    const targets = await Promise.all(copies.map((copy) => copy.open(location)))

    const [callback = assert.fail(), ...others] = targets.filter((target) => target !== undefined)
    assert.deepEqual(others, [])
    assert.ok((await thirdParty.exchange(callback, started)).access_token)
  })
})

describe('a code', () => {
  it('can be exchanged again by a client that disconnected because the database was slow', async (t) => {
    // The clock of the shared platform is ahead, so that its tokens expire within a second.
    const platform = await openConsentPlatform(t)
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const callback = await agree(browser, platform)
    const countAborted = () => platform.log.filter((line) => JSON.parse(line).status === 499).length
    const before = countAborted()
    const countTokenRequests = countRequests(t, '/oidc/token')
    const release = await lockArtifacts(t, platform)
    const abort = new AbortController()
    const send = fetchFrom(platform.port)
    const { config } = thirdParty
    config[openid.customFetch] = (url, options) => send(url, { ...options, signal: abort.signal })

    const first = assert.rejects(thirdParty.exchange(callback, started))
    await until(() => countTokenRequests() > 0)
    abort.abort()
    await first
    await until(() => countAborted() > before)
    await release()
    config[openid.customFetch] = send
    const tokens = await thirdParty.exchange(callback, started)

    assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, true)
  })

  it('stays exchanged if an earlier request of a client that disconnected continues later', async (t) => {
    const calls = openInterceptedStore()
    const platform = await openConsentPlatform(t, { openStore: calls.openStore })
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const callback = await agree(browser, platform)
    const [arrived, exchanged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let codes = 0
    calls.intercept('artifacts.find', async (make, [model]) => {
      if (model === 'AuthorizationCode') codes += 1
      if (model !== 'AuthorizationCode' || codes > 1) return make()
      arrived.resolve()
      await exchanged.promise
      return make()
    })
    let isEnded = false
    const abort = new AbortController()
    const send = fetchFrom(platform.port)
    const { config } = thirdParty
    config[openid.customFetch] = (url, options) => send(url, { ...options, signal: abort.signal })

    const first = assert.rejects(thirdParty.exchange(callback, started))
    await arrived.promise
    abort.abort()
    await first
    await until(() => platform.log.some((line) => JSON.parse(line).status === 499))
    config[openid.customFetch] = send
    const tokens = await thirdParty.exchange(callback, started)
    calls.intercept('flows.appendToConsent', (make) => {
      isEnded = true
      return make()
    })
    exchanged.resolve()
    await until(() => isEnded)

    assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, true)
  })
})
