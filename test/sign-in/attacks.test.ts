import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseReturnPath } from '../../src/contract/sign-in.ts'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import {
  authorize,
  comeBack,
  openSignInPlatform,
  origin,
  readSession,
  signIn,
  start,
} from './platform.ts'

const open = shareOnEachEngine(openSignInPlatform)

const seconds = () => Math.floor(Date.now() / 1000)

describeOnce('a sign-in', () => {
  it('cannot be completed by a browser that did not begin it', async () => {
    const platform = await open()
    const attacker = platform.browse()
    const url = await authorize(attacker)
    const victim = platform.browse()

    assert.equal(await comeBack(victim, url), '/console?sign-in=expired')
    assert.equal(await readSession(victim), undefined)
    // Neither by one that began a sign-in of its own.
    await start(victim)
    assert.equal(await comeBack(victim, url), '/console?sign-in=expired')
    assert.equal(await readSession(victim), undefined)
  })

  it('is completed once', async () => {
    const platform = await open()
    const browser = platform.browse()
    const url = await authorize(browser)
    const cookies = new Map(browser.cookies(origin))
    const { requests } = platform.provider
    assert.equal(await comeBack(browser, url), '/console')
    const tokenRequests = () => requests.filter((path) => path === '/token').length
    const count = tokenRequests()

    assert.equal(await comeBack(browser, url), '/console?sign-in=expired')
    for (const [name, value] of cookies) browser.cookies(origin).set(name, value)
    assert.equal(await comeBack(browser, url), '/console?sign-in=expired')
    assert.equal(tokenRequests(), count)
  })

  it('does not accept the code of another sign-in', async () => {
    const platform = await open()
    const other = new URL(await authorize(platform.browse()))
    const browser = platform.browse()
    const url = new URL(await authorize(browser))
    url.searchParams.set('code', other.searchParams.get('code') ?? '')

    assert.equal(await comeBack(browser, url.href), '/console?sign-in=rejected')
    assert.equal(await readSession(browser), undefined)
  })

  it('does not accept a changed cookie, or one of another platform', async (t) => {
    const platform = await open()
    const other = await openSignInPlatform(t)
    for (const change of [
      (value: string) => value.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      (value: string) => value.slice(0, 20),
      () => Buffer.from(JSON.stringify({ proof: { state: '' } })).toString('base64url'),
      async () => {
        const foreign = other.browse()
        await start(foreign)
        return foreign.cookies(origin).get('__Host-holdfast_sign_in') ?? ''
      },
    ]) {
      const browser = platform.browse()
      const url = await authorize(browser)
      const jar = browser.cookies(origin)
      jar.set('__Host-holdfast_sign_in', await change(jar.get('__Host-holdfast_sign_in') ?? ''))
      assert.equal(await comeBack(browser, url), '/console?sign-in=expired')
    }
  })

  it('does not take longer than ten minutes', async (t) => {
    const platform = await openSignInPlatform(t)
    const browser = platform.browse()
    const url = await authorize(browser)
    platform.setClock(Temporal.Now.instant().add({ minutes: 11 }).toString())

    assert.equal(await comeBack(browser, url), '/console?sign-in=expired')
  })

  for (const [name, change] of Object.entries({
    'another issuer in the address': (url: URL) =>
      url.searchParams.set('iss', 'https://attacker.example'),
    'no issuer in the address': (url: URL) => url.searchParams.delete('iss'),
    'two codes': (url: URL) => url.searchParams.append('code', 'other'),
    'no code': (url: URL) => url.searchParams.delete('code'),
    'an error': (url: URL) => url.searchParams.set('error', 'server_error'),
  })) {
    it(`does not accept ${name}`, async () => {
      const platform = await open()
      const browser = platform.browse()
      const url = new URL(await authorize(browser))
      change(url)

      assert.equal(await comeBack(browser, url.href), '/console?sign-in=rejected')
      assert.equal(await readSession(browser), undefined)
    })
  }

  type Claims = Record<string, unknown>
  for (const [name, change] of Object.entries({
    'another audience': (claims: Claims) => ({ ...claims, aud: 'other' }),
    'another audience too': (claims: Claims) => ({ ...claims, aud: ['holdfast', 'other'] }),
    'another authorized party': (claims: Claims) => ({
      ...claims,
      aud: ['holdfast', 'other'],
      azp: 'other',
    }),
    'another issuer': (claims: Claims) => ({ ...claims, iss: 'https://attacker.example' }),
    'another nonce': (claims: Claims) => ({ ...claims, nonce: 'other' }),
    'no nonce': ({ nonce: _, ...claims }: Claims) => claims,
    'no expiry': ({ exp: _, ...claims }: Claims) => claims,
    'no subject': ({ sub: _, ...claims }: Claims) => claims,
    'an empty subject': (claims: Claims) => ({ ...claims, sub: '' }),
    'the subject of another person than UserInfo': (claims: Claims) => ({ ...claims, sub: 'bo' }),
  })) {
    it(`does not accept an ID token with ${name}`, async (t) => {
      const platform = await openSignInPlatform(t)
      platform.provider.changeIdToken = change
      const browser = platform.browse()

      assert.equal(await signIn(browser), '/console?sign-in=rejected')
      assert.equal(await readSession(browser), undefined)
    })
  }

  it('does not accept an ID token that another key signed, or none', async (t) => {
    const platform = await openSignInPlatform(t, { hasIdTokenClaims: true })
    const { sign } = platform.provider
    const unsigned = (claims: object) =>
      [{ alg: 'none' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
        .concat('.')
    for (const replace of [(claims: Claims) => sign(claims, false), unsigned]) {
      platform.provider.sign = async (claims) => replace(claims)
      platform.provider.changeIdToken = (claims) => claims
      const browser = platform.browse()
      assert.equal(await signIn(browser), '/console?sign-in=rejected')
      assert.equal(await readSession(browser), undefined)
    }
  })

  it('tolerates clocks that differ by half a minute, and names a larger difference', async (t) => {
    const platform = await openSignInPlatform(t)
    for (const [expired, arrived] of [
      [20, '/console'],
      [45, '/console?sign-in=clock'],
    ] as const) {
      platform.provider.changeIdToken = (claims) => ({ ...claims, exp: seconds() - expired })
      assert.equal(await signIn(platform.browse()), arrived)
    }
    platform.provider.changeIdToken = (claims) => ({ ...claims, nbf: seconds() + 300 })
    assert.equal(await signIn(platform.browse()), '/console?sign-in=clock')
    platform.provider.changeIdToken = undefined
    const browser = platform.browse()
    const url = await authorize(browser)
    platform.setClock(Temporal.Now.instant().subtract({ hours: 2 }).toString())
    assert.equal(await comeBack(browser, url), '/console', 'the platform is behind')
  })

  it('replaces the session that the browser had', async () => {
    const platform = await open()
    const browser = platform.browse()
    await signIn(browser)
    const name = '__Host-holdfast_session'
    const first = browser.cookies(origin).get(name) ?? ''
    platform.provider.person = { sub: 'bo', groups: [] }
    await browser.request(`${platform.provider.issuer}/session/end`)
    browser.cookies(platform.provider.issuer).clear()
    await signIn(browser)

    const second = browser.cookies(origin).get(name)
    assert.notEqual(second, first)
    assert.equal((await readSession(browser)).user.id, 'bo')
    const earlier = platform.browse()
    earlier.cookies(origin).set(name, first)
    assert.equal(await readSession(earlier), undefined)
    platform.provider.person = { sub: 'ana', groups: ['pricing'] }
  })

  it('is not begun by another site, or at another address of the platform', async () => {
    const platform = await open()
    const begin = (headers: Record<string, string>) =>
      platform.send('/v1/session/sign-in', { method: 'POST', body: {}, headers })

    assert.equal((await begin({ 'sec-fetch-site': 'cross-site' })).status, 403)
    assert.equal((await begin({ 'sec-fetch-site': 'same-site' })).status, 403)
    const elsewhere = await begin({ origin: 'https://internal.example' })
    assert.equal(elsewhere.status, 400)
    assert.equal(elsewhere.body.error, `sign in at ${origin}/console`)
  })

  it('leads to paths of the console alone', async () => {
    const platform = await open()
    for (const path of [
      'https://attacker.example/console',
      '//attacker.example/console',
      '/\\attacker.example',
      '/console\\..\\..\\attacker.example',
      '/console/../../attacker.example',
      '/console/..//attacker.example',
      '/console/%2e%2e//attacker.example',
      '/consoles',
      '/console@attacker.example',
      '/console:80',
      '/console\r\nlocation: https://attacker.example',
      '/v1/session',
      'javascript:alert(1)',
      '',
      `/console/${'x'.repeat(500)}`,
    ]) {
      assert.equal((await start(platform.browse(), path)).status, 400, path)
    }
    for (const path of ['/console', '/console/', '/console/catalogue/a%2Fb?text=a+b&page=2'])
      assert.equal(parseReturnPath(path), path)
    assert.equal(parseReturnPath('/console/a/../b'), '/console/b')
  })

  it('is limited by failures from an address, which do not keep another address out', async (t) => {
    const platform = await openSignInPlatform(t, { trustedProxies: '127.0.0.1' })
    platform.provider.person = undefined
    const arrived = new Set<string>()
    const attacker = platform.browse({ 'x-forwarded-for': '192.0.2.1' })
    for (let count = 0; count < 25; count += 1) arrived.add(await signIn(attacker))
    assert.ok(arrived.has('/console?sign-in=too_many'))

    platform.provider.person = { sub: 'ana', groups: [] }
    const other = platform.browse({ 'x-forwarded-for': '192.0.2.2' })
    assert.equal(await signIn(other), '/console')
  })
})
