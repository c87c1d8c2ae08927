import assert from 'node:assert/strict'
import dns from 'node:dns'
import { it } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { SignJWT } from 'jose'
import { openKeySetFetch } from '../../src/platform/consent/fetch-key-set.ts'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { openKeyServer } from '../support/key-server.ts'
import { issuer, openConsentPlatform } from './platform.ts'
import { registerThirdParty } from './third-party.ts'

type Answer = (error: null, addresses: readonly dns.LookupAddress[]) => void

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)

describe('the URL of the keys of a third party', () => {
  for (const profile of ['plain', 'cds'] as const) {
    it(`is not fetched for every assertion while it fails, with the profile ${profile}`, async (t) => {
      const server = await openKeyServer([])
      t.after(server.close)
      const platform = await platformOnEachEngine()
      const keys = { jwksUrl: server.url }
      const thirdParty = await registerThirdParty(platform, profile, { keys })
      server.respondWith((response) => response.writeHead(500).end('<h1>Error</h1>'))

      const fetchedAfter = []
      for (const seconds of [0, 1, 2, 4]) {
        platform.pass(seconds)
        for (let count = 0; count < 3; count += 1) {
          await assert.rejects(thirdParty.start(), { error: 'invalid_client' })
        }
        fetchedAfter.push(server.requests.length)
      }

      assert.deepEqual(fetchedAfter, [1, 2, 3, 4])
    })

    it(`that fails does not end the keys that were fetched, whatever others send, with the profile ${profile}`, async (t) => {
      const server = await openKeyServer([])
      t.after(server.close)
      const platform = await platformOnEachEngine()
      const keys = { jwksUrl: server.url }
      const thirdParty = await registerThirdParty(platform, profile, { keys })
      server.publish(thirdParty.jwk)
      await thirdParty.start()
      const { keys: foreign } = await registerThirdParty(platform)
      server.respondWith((response) => response.writeHead(500).end())
      // The OpenID provider fetches keys again a minute later.
      const present = Date.now()
      t.mock.timers.enable({ apis: ['Date'], now: present + 61_000 })
      const body = new URLSearchParams({
        client_id: thirdParty.id,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      })
      const statuses = []
      for (let count = 0; count < 4; count += 1) {
        const assertion = await new SignJWT({ jti: `forged ${count}` })
          .setProtectedHeader({ alg: 'ES256', kid: 'forged' })
          .setIssuer(thirdParty.id)
          .setSubject(thirdParty.id)
          .setAudience(issuer)
          .setExpirationTime('1m')
          .sign(foreign.privateKey)
        body.set('client_assertion', assertion)
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        const sent = { method: 'POST', headers, body: body.toString() }
        statuses.push((await send(platform.port, '/oidc/par', sent)).status)
      }

      assert.deepEqual(statuses, [401, 401, 401, 401])
      assert.equal(server.requests.length, 2)
      assert.ok((await thirdParty.start()).url)
    })
  }

  it('is fetched once for many requests while it has the keys', async (t) => {
    const server = await openKeyServer([])
    t.after(server.close)
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform, 'plain', {
      keys: { jwksUrl: server.url },
    })
    server.respondWith((response) => response.destroy())
    await assert.rejects(thirdParty.start())
    platform.pass(1)

    server.publish(thirdParty.jwk)
    await Promise.all(Array.from({ length: 5 }, () => thirdParty.start()))
    for (let count = 0; count < 3; count += 1) await thirdParty.start()

    assert.equal(server.requests.length, 2)
  })
})

describeOnce('a fetch of keys', () => {
  const failures: Readonly<Record<string, (url: URL) => URL>> = {
    'of an unknown host': () => new URL('http://keys.invalid/'),
    'that is redirected': (url) => new URL('/redirect', url),
    'of a page': (url) => new URL('/page', url),
    'of too many bytes': (url) => new URL('/long', url),
  }
  for (const [name, locate] of Object.entries(failures)) {
    it(`${name} is repeated less and less often`, async (t) => {
      const server = await openKeyServer([])
      t.after(server.close)
      let seconds = 0
      const fetchKeys = openKeySetFetch(() => seconds)
      server.respondWith((response) => {
        const { url } = response.req
        if (url === '/redirect') response.writeHead(302, { location: '/page' }).end()
        else response.end(url === '/page' ? '<h1>Welcome</h1>' : ' '.repeat(100_000))
      })
      const url = locate(new URL(server.url))
      const isTried = async () => {
        const error = await fetchKeys(url, {}).catch((thrown: Error) => thrown)
        return !(error instanceof Error && /failed before/.test(error.message))
      }
      const tried = []
      for (; seconds < 190; seconds += 1) if (await isTried()) tried.push(seconds)

      assert.deepEqual(tried, [0, 1, 3, 7, 15, 31, 63, 123, 183])
    })
  }

  it('that succeeds ends the back-off', async (t) => {
    const server = await openKeyServer([])
    t.after(server.close)
    let seconds = 0
    const fetchKeys = openKeySetFetch(() => seconds)
    const fetchAt = async (time: number) => {
      seconds = time
      return (await fetchKeys(new URL(server.url), {})).status
    }
    server.respondWith((response) => response.writeHead(500).end())
    for (const time of [0, 1, 3]) assert.equal(await fetchAt(time), 500)
    await assert.rejects(fetchAt(6))

    server.publish()
    assert.deepEqual([await fetchAt(7), await fetchAt(7)], [200, 200])
    server.respondWith((response) => response.writeHead(500).end())
    assert.deepEqual([await fetchAt(8), await fetchAt(9)], [500, 500])
  })

  for (const [coding, encode] of Object.entries({
    br: brotliCompressSync,
    deflate: deflateSync,
    gzip: gzipSync,
  })) {
    it(`decodes what is stored with ${coding}, within the same limit`, async (t) => {
      const server = await openKeyServer([])
      t.after(server.close)
      const texts = ['{"keys":[]}', ' '.repeat(100_000), 'not encoded']
      server.respondWith((response) => {
        const text = texts.shift() ?? ''
        response.setHeader('content-encoding', coding)
        response.end(text.startsWith('not') ? text : encode(text))
      })
      const fetchKeys = () => openKeySetFetch()(new URL(server.url), {})

      assert.deepEqual(await (await fetchKeys()).json(), { keys: [] })
      await assert.rejects(fetchKeys(), /too large/)
      await assert.rejects(fetchKeys())
    })
  }

  it('connects to no private network', async (t) => {
    const server = await openKeyServer([])
    t.after(server.close)
    t.mock.method(dns, 'lookup', ((_name: string, _options: object, done: Answer) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])) as typeof dns.lookup)
    const { port } = new URL(server.url)
    for (const host of ['10.1.2.3', '[fd00::1]', '[::ffff:127.0.0.1]', 'keys.example']) {
      const error = { message: 'address of a private network' }
      await assert.rejects(openKeySetFetch()(new URL(`http://${host}:${port}/`), {}), error, host)
    }
    assert.equal(server.requests.length, 0)
    assert.equal((await openKeySetFetch()(new URL(`http://localhost:${port}/`), {})).status, 200)
  })
})
