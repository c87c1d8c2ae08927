import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { currentEngine, describe, runSql, shareOnEachEngine } from '../support/engines.ts'
import { openKeyServer } from '../support/key-server.ts'
import { agree, findPasscode, identify, nextCustomer, openConsentPlatform } from './platform.ts'
import { registerThirdParty } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)
const tables = [
  'artifact',
  'passcode',
  'attempt_limit',
  'arrangement',
  'arrangement_change',
  'account_change',
  'disclosure',
  'consent_flow',
  'outbox',
]

/** Everything that is stored in the tables of flows and tokens, as text. */
async function readTables(database: string): Promise<string> {
  if (currentEngine() === 'postgres') {
    const rows = tables.map((table) => runSql(`select t::text from ${table} t`, database))
    return (await Promise.all(rows)).flat(2).join('\n')
  }
  const file = new DatabaseSync(database.slice('sqlite:'.length), { readOnly: true })
  const rows = tables.flatMap((table) => file.prepare(`select * from ${table}`).all())
  file.close()
  return JSON.stringify(rows)
}

describe('the database of the consent role', () => {
  it('contains no token, code, passcode, cookie or e-mail address in clear', async () => {
    const platform = await platformOnEachEngine()
    await platform.store.outbox.setReceipts(true, Temporal.Now.instant())
    const thirdParty = await registerThirdParty(platform)
    const started = await thirdParty.start({ sharing_duration: '86400' })
    const browser = platform.browse()
    await browser.open(started.url)
    const customer = await identify(browser, platform)
    const during = await readTables(platform.database)
    const { value: secret = '' } =
      browser.cookies.find(({ name }) => name === 'holdfast_flow') ?? {}

    await browser.submit('accounts', { account: customer.accounts })
    const callback = (await browser.submit('confirm')) ?? started.url
    const unused = await readTables(platform.database)
    const tokens = await thirdParty.exchange(callback, started)
    const after = await readTables(platform.database)

    const passcode = findPasscode(platform.passcodes, customer.id)
    for (const [name, text] of Object.entries({
      passcode: `"${passcode}"`,
      'e-mail address': customer.email,
      'phone number': '+614',
      cookie: secret,
      request: started.url.searchParams.get('request_uri')?.split(':').at(-1) ?? '',
      code: callback.searchParams.get('code') ?? '',
      'access token': tokens.access_token,
      'refresh token': tokens.refresh_token ?? '',
    })) {
      assert.ok(text.length > 3, name)
      for (const stored of [during, unused, after]) assert.ok(!stored.includes(text), name)
    }
    assert.ok(after.includes(String(tokens['cdr_arrangement_id'])))
  })
})

describe('a third party', () => {
  it('may publish its keys at a URL', async (t) => {
    const platform = await platformOnEachEngine()
    const keyServer = await openKeyServer([])
    t.after(() => keyServer.close())
    const thirdParty = await registerThirdParty(platform, 'plain', {
      keys: { jwksUrl: keyServer.url },
    })
    keyServer.publish(thirdParty.jwk)
    const started = await thirdParty.start()
    const browser = platform.browse()
    await browser.open(started.url)

    const tokens = await thirdParty.exchange(
      await agree(browser, platform, nextCustomer()),
      started,
    )

    assert.ok(tokens.access_token)
  })
})

describe('the cookies of a flow', () => {
  it('are sent over TLS only, and cannot be read by scripts', async () => {
    const platform = await platformOnEachEngine()
    const { url } = await (await registerThirdParty(platform)).start()
    const target = `http://127.0.0.1:${platform.port}${url.pathname}${url.search}`
    const cookies = (await fetch(target, { redirect: 'manual' })).headers.getSetCookie()

    assert.ok(cookies.length >= 2)
    for (const cookie of cookies) {
      assert.match(cookie, /; secure/i)
      assert.match(cookie, /; httponly/i)
      assert.match(cookie, /; samesite=lax/i)
      assert.doesNotMatch(cookie, /; domain/i)
    }
  })
})
