import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { openConsentStore } from '../../src/storage/open.ts'
import { cdsUrl } from '../consent/addresses.ts'
import { openBrowser, readForm } from '../consent/browser.ts'
import { openPasscodeService } from '../consent/passcode-service.ts'
import { consentLines, redirectUri } from '../consent/platform.ts'
import { registerWithCommand } from '../consent/register.ts'
import { fetchFrom } from '../consent/third-party.ts'
import { describe, newDatabase } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess, startServer } from '../support/process.ts'
import { openProvider } from '../support/provider.ts'
import { until } from '../support/until.ts'

const issuer = 'https://platform.example'

describe('a platform that is killed', () => {
  it('has stored the consent that the customer gave, and the record of each answer that was received', async (t) => {
    const database = await newDatabase(t)
    const provider = await openProvider(t, consentLines.slice(0, 8), { database })
    await runInProcess(['keys', 'add', '--database', database])
    const { id, auth } = await registerWithCommand(t, database)
    const service = await openPasscodeService(t)
    const flags = {
      database,
      issuer,
      subdomain: 'bank',
      'provider-url': provider.address,
      'passcode-url': service.url,
    }
    const startPlatform = () => startServer(t, ['serve', 'platform'], flags)
    let platform = await startPlatform()
    const config = await openid.discovery(new URL(issuer), id, undefined, auth, {
      [openid.customFetch]: (...args) => fetchFrom(platform.port)(...args),
    })
    const dpop = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'))
    const verifier = openid.randomPKCECodeVerifier()
    const request = {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid bank:accounts.basic:read',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    const url = await openid.buildAuthorizationUrlWithPAR(config, request, { DPoP: dpop })
    const openOn = (cookies: ReturnType<typeof openBrowser>['cookies']) => {
      const browser = openBrowser(issuer, platform.port)
      browser.cookies = cookies
      return browser
    }

    let browser = openOn([])
    await browser.open(url)
    await browser.submit('identify', { email: 'ana@example.com' })
    await until(() => service.posted.length > 0)
    const { url: page } = browser.page
    await browser.submit('passcode', { passcode: service.posted[0]?.body.passcode ?? '' })
    await browser.submit('accounts', { account: ['a1'] })
    const form = readForm(browser.page.text, 'confirm', {})
    const { status, location = '' } = await browser.post(page, form)
    assert.equal(status, 303)
    platform.child.kill('SIGKILL')
    await platform.ended
    platform = await startPlatform()
    browser = openOn(browser.cookies)
    const callback = (await browser.open(location)) ?? page
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await openid.authorizationCodeGrant(config, callback, checks, undefined, {
      DPoP: dpop,
    })

    const store = await openConsentStore(database)
    t.after(store.close)
    const found = await store.arrangements.find(
      String(tokens['cdr_arrangement_id']),
      Temporal.Now.instant(),
    )
    assert.deepEqual([found?.status, found?.accountIds], ['active', ['a1']])
    assert.doesNotMatch(platform.stderr(), /oidc-provider/)

    const received: string[] = []
    const call = async (): Promise<boolean> => {
      const interactionId = randomUUID()
      const headers = new Headers({ 'x-v': '3', 'x-fapi-interaction-id': interactionId })
      const { access_token: token } = tokens
      const target = cdsUrl('/banking/accounts')
      try {
        const { status: answered } = await openid.fetchProtectedResource(
          config,
          token,
          target,
          'GET',
          undefined,
          headers,
          { DPoP: dpop },
        )
        if (answered === 200) received.push(interactionId)
        return true
      } catch {
        return false
      }
    }
    const clients = Array.from({ length: 4 }, async () => {
      while (await call()) {}
    })
    await until(() => received.length >= 20)
    platform.child.kill('SIGKILL')
    await Promise.all(clients)

    const log = join(await temporaryFolder(t), 'platform.log')
    writeFileSync(log, platform.stderr())
    const verified = await runInProcess([
      ...['records', 'verify', '--heads', log, '--database', database],
    ])
    assert.equal(verified.status, 0, verified.stdout)
    const { disclosureRecords } = store
    for (const interactionId of received) {
      const blocks = await disclosureRecords.list({ interactionId, limit: 2 })
      assert.equal(blocks.length, 1)
    }
  })
})
