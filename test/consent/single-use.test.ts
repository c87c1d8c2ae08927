import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { profiles } from '../../src/platform/consent/store.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { countRequests } from '../support/http.ts'
import { until } from '../support/until.ts'
import { openBrowser, readForm } from './browser.ts'
import { lockArtifacts } from './lock-artifacts.ts'
import { agree, identify, issuer, openConsentPlatform, redirectUri } from './platform.ts'
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
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)
    const callback = await agree(browser, platform)
    const isAborted = () => platform.log.some((line) => JSON.parse(line).status === 499)
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
    await until(isAborted)
    await release()
    config[openid.customFetch] = send
    const tokens = await thirdParty.exchange(callback, started)

    assert.equal((await openid.tokenIntrospection(config, tokens.access_token)).active, true)
  })
})
