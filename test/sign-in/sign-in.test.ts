import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { productsPath } from '../support/platform.ts'
import {
  authorize,
  callback,
  comeBack,
  openSignInPlatform,
  origin,
  readSession,
  signIn,
  start,
} from './platform.ts'

const open = shareOnEachEngine(openSignInPlatform)

describe('a person who signs in at the identity provider', () => {
  it('has a session with the name, the subject and the scopes of the groups', async () => {
    const platform = await open()
    const browser = platform.browse()
    platform.provider.person = { sub: 'ana', name: 'Ana Example', groups: ['other', 'pricing'] }

    assert.equal(
      await signIn(browser, '/console/catalogue?text=saver'),
      '/console/catalogue?text=saver',
    )
    const session = await readSession(browser)
    assert.deepEqual(session.user, {
      id: 'ana',
      name: 'Ana Example',
      issuer: platform.provider.issuer,
    })
    assert.deepEqual(session.scopes, ['products.write'])
    const listed = await browser.request(`${origin}/v1/data-provider/cdr/product-drafts`)
    assert.equal(listed.status, 200, listed.text)
    const checks = await browser.request(`${origin}/v1/checks`)
    assert.equal(checks.status, 403, checks.text)
  })

  it('stays signed in after a restart, and at another process', async (t) => {
    const platform = await openSignInPlatform(t)
    const browser = platform.browse()
    await signIn(browser)
    const { provider, database } = platform
    const other = await openSignInPlatform(t, { provider, database })
    const cookie = [...browser.cookies(origin)].map(([name, value]) => `${name}=${value}`).join()
    await platform.close()

    const { body } = await other.send('/v1/session', { headers: { cookie } })
    assert.equal(body.session.user.id, 'ana')
  })

  it('is not signed in any more when another identity provider is configured', async (t) => {
    const platform = await openSignInPlatform(t)
    const browser = platform.browse()
    await signIn(browser)
    const other = await openSignInPlatform(t, { database: platform.database })
    const cookie = [...browser.cookies(origin)].map(([name, value]) => `${name}=${value}`).join()

    const { body } = await other.send('/v1/session', { headers: { cookie } })
    assert.equal(body.session, undefined)
  })
})

describe('the sessions of people', () => {
  it('end when the rules change that gave them their scopes', async (t) => {
    const platform = await openSignInPlatform(t)
    const browser = platform.browse()
    await signIn(browser)
    const cookie = [...browser.cookies(origin)].map(([name, value]) => `${name}=${value}`).join()
    const { provider, database } = platform
    const read = async (consoleScopes: string) => {
      const other = await openSignInPlatform(t, { provider, database, settings: { consoleScopes } })
      return (await other.send('/v1/session', { headers: { cookie } })).body.session
    }

    assert.equal(await read('products.write=others'), undefined)
    assert.ok(await read('products.write=pricing,head%2C office;operations.write=operators'))
  })
})

describeOnce('a sign-in at the identity provider', () => {
  for (const [name, options] of Object.entries({
    'the claims are in UserInfo': {},
    'the claims are in the ID token': { hasIdTokenClaims: true },
    'the secret must be in the form': { authMethod: 'client_secret_post' },
  } as const)) {
    it(`succeeds where ${name}`, async (t) => {
      const platform = await openSignInPlatform(t, options)
      const browser = platform.browse()
      await signIn(browser)

      assert.partialDeepStrictEqual(await readSession(browser), {
        user: { id: 'ana', name: 'Ana Example' },
        scopes: ['products.write'],
      })
    })
  }

  for (const [name, groups, scopes] of [
    ['one text', 'pricing', ['products.write']],
    ['a text with a comma', ['head, office'], ['products.write']],
    ['two groups', ['operators', 'pricing'], ['products.write', 'operations.write']],
    ['no group that gives a scope', ['x', 'toString', '__proto__'], []],
    ['something else', { pricing: true }, []],
    ['lists in lists', [['pricing'], 7, null], []],
    ['nothing', undefined, []],
  ] as const) {
    it(`gives the scopes of a claim that is ${name}`, async () => {
      const platform = await open()
      const browser = platform.browse()
      platform.provider.person = { sub: 'bo', name: 'Bo', groups }
      await signIn(browser)

      assert.deepEqual((await readSession(browser)).scopes, scopes)
      const answer = await browser.request(origin + productsPath, { method: 'POST', body: {} })
      assert.equal(answer.status, 403)
    })
  }

  for (const [name, person, shown] of [
    ['no name', { sub: 'a-1' }, 'a-1'],
    ['control characters in the name', { sub: 'a-1', name: 'A\u0000\u202eB\n C' }, 'A B C'],
    ['a blank name', { sub: 'a-1', name: ' \t' }, 'a-1'],
    ['a long name', { sub: 'a-1', name: 'x'.repeat(5000) }, 'x'.repeat(200)],
  ] as const) {
    it(`shows a person with ${name}`, async () => {
      const platform = await open()
      const browser = platform.browse()
      platform.provider.person = person
      await signIn(browser)

      assert.equal((await readSession(browser)).user.name, shown)
    })
  }

  it('uses a code with PKCE, a state and a nonce, which are new each time', async () => {
    const platform = await open()
    const browser = platform.browse()
    const urls = [await start(browser), await start(browser)].map(
      ({ body }) => new URL(body.authorization_url),
    )
    for (const { searchParams } of urls) {
      assert.equal(searchParams.get('response_type'), 'code')
      assert.equal(searchParams.get('redirect_uri'), callback)
      assert.equal(searchParams.get('code_challenge_method'), 'S256')
    }
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = urls.map(({ searchParams }) => searchParams.get(name) ?? '')
      assert.ok(values.every((value) => value.length >= 43))
      assert.equal(new Set(values).size, 2)
    }
  })

  it('sets cookies for this host alone, that scripts cannot read', async () => {
    const platform = await open()
    const browser = platform.browse()
    platform.provider.person = { sub: 'ana', groups: [] }
    const started = await start(browser)
    assert.match(
      String(started.headers['set-cookie']),
      /^__Host-holdfast_sign_in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    )
    const answer = await browser.request(await authorize(browser))
    const [ended = '', begun = ''] = [answer.headers['set-cookie'] ?? []].flat()
    assert.match(ended, /^__Host-holdfast_sign_in=; Path=\/; Max-Age=0;/)
    assert.match(
      begun,
      /^__Host-holdfast_session=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  it('leaves neither names nor tokens in the log and in the database', async (t) => {
    const platform = await openSignInPlatform(t)
    const browser = platform.browse()
    platform.provider.person = {
      sub: 'subject-4711',
      name: 'Unmistakable',
      groups: ['secret-group'],
    }
    const url = await authorize(browser)
    await comeBack(browser, url)
    await comeBack(browser, url)
    platform.provider.changeUserInfo = (claims) => ({ ...claims, sub: 'subject-4712' })
    await signIn(platform.browse())

    const log = platform.log.join()
    const code = new URL(url).searchParams.get('code') ?? ''
    const secrets = ['Unmistakable', 'subject-471', 'secret-group', code, 'eyJ']
    assert.match(log, /sign-in failed/)
    for (const secret of secrets) assert.ok(!log.includes(secret), secret)
  })
})

describeOnce('a person who signs out', () => {
  it('goes on to sign out at the identity provider, which then asks for a sign-in again', async () => {
    const platform = await open()
    const browser = platform.browse()
    platform.provider.person = { sub: 'ana', groups: ['pricing'] }
    await signIn(browser)
    const { csrf_token: token } = await readSession(browser)
    const out = await browser.request(`${origin}/v1/session`, {
      method: 'DELETE',
      headers: { 'x-csrf-token': token },
    })
    assert.equal(out.status, 200, out.text)
    assert.equal(await readSession(browser), undefined)

    const page = await browser.open(out.body.sign_out_url)
    assert.equal(page.status, 200, page.text)
    const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? []
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(page.text) ?? []
    const confirmed = await browser.request(action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
    })
    assert.equal(confirmed.headers['location'], `${origin}/console`)

    platform.provider.person = undefined
    assert.equal(await signIn(browser), '/console?sign-in=denied')
  })

  it('has no such address if the identity provider has none, or one that is no web address', async (t) => {
    for (const endpoint of [undefined, 'javascript:alert(1)', 'not a URL']) {
      const platform = await openSignInPlatform(t)
      platform.provider.changeMetadata = (metadata) => ({
        ...metadata,
        end_session_endpoint: endpoint,
      })
      const browser = platform.browse()
      await signIn(browser)
      const { csrf_token: token } = await readSession(browser)
      const out = await browser.request(`${origin}/v1/session`, {
        method: 'DELETE',
        headers: { 'x-csrf-token': token },
      })
      assert.deepEqual(out.body, {})
    }
  })
})
