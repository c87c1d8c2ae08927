import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  failuresMax,
  openKeySetFetch,
  retrySeconds,
} from '../../src/platform/consent/fetch-key-set.ts'
import { describe, describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { openKeyServer } from '../support/key-server.ts'
import { openConsentPlatform } from './platform.ts'
import { registerThirdParty } from './third-party.ts'

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

      for (let count = 0; count < 3 * failuresMax; count += 1) {
        await assert.rejects(thirdParty.start(), { error: 'invalid_client' })
      }

      assert.equal(server.requests.length, failuresMax)
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

    server.publish(thirdParty.jwk)
    for (let count = 0; count < 5; count += 1) await thirdParty.start()

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
    it(`${name} is repeated after a while`, async (t) => {
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

      for (let count = 0; count < failuresMax; count += 1) assert.equal(await isTried(), true)
      assert.equal(await isTried(), false)
      seconds += retrySeconds
      assert.equal(await isTried(), true)
      assert.equal(await isTried(), false)
    })
  }
})
