import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it, type TestContext } from 'node:test'
import { exportJWK, generateKeyPair } from 'jose'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { openKeyServer } from '../support/key-server.ts'
import { openConsentPlatform } from './platform.ts'
import { revokeArrangement } from './revoke-arrangement.ts'
import { registerThirdParty } from './third-party.ts'

const openPlatform = shareOnEachEngine(openConsentPlatform)

async function makeKey(kid: string) {
  const keys = await generateKeyPair('ES256', { extractable: true })
  return { keys, jwk: { ...(await exportJWK(keys.publicKey)), kid, alg: 'ES256', use: 'sig' } }
}

type Key = Awaited<ReturnType<typeof makeKey>>

/** A third party with a server for its keys. */
async function openThirdParty(t: TestContext) {
  const platform = await openPlatform()
  const server = await openKeyServer([])
  t.after(server.close)
  const { id } = await registerThirdParty(platform, 'plain', { keys: { jwksUrl: server.url } })
  return {
    server,
    pass: platform.pass,
    /** 422 is the answer to an authenticated third party: the arrangement does not exist. */
    async revoke(key: Key): Promise<number> {
      const form = { cdr_arrangement_id: randomUUID() }
      const { status, body } = await revokeArrangement(platform.port, { id, ...key }, form)
      if (status === 401) assert.equal(body.error, 'invalid_client')
      return status
    },
  }
}

async function repeat(count: number, send: () => Promise<number>): Promise<number[]> {
  const statuses = []
  for (let done = 0; done < count; done += 1) statuses.push(await send())
  return statuses
}

function passMinute(t: TestContext): void {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 })
}

describeOnce('the keys for the arrangement revocation endpoint', () => {
  it('are fetched once for many assertions', async (t) => {
    const { server, revoke } = await openThirdParty(t)
    const key = await makeKey('k1')
    server.publish(key.jwk)

    const together = await Promise.all(Array.from({ length: 5 }, () => revoke(key)))
    passMinute(t)

    assert.deepEqual([...together, await revoke(key)], [422, 422, 422, 422, 422, 422])
    assert.equal(server.requests.length, 1)
  })

  it('are fetched less and less often while their URL fails', async (t) => {
    const { server, revoke, pass } = await openThirdParty(t)
    const key = await makeKey('k1')
    server.respondWith((response) => response.writeHead(500).end('{}'))

    const fetchedAfter = []
    for (const seconds of [0, 1, 2, 4]) {
      pass(seconds)
      assert.deepEqual(await repeat(3, () => revoke(key)), [401, 401, 401])
      fetchedAfter.push(server.requests.length)
    }

    assert.deepEqual(fetchedAfter, [1, 2, 3, 4])
  })

  it('stay in use when their URL fails later, whatever others send', async (t) => {
    const { server, revoke } = await openThirdParty(t)
    const [key, forged] = [await makeKey('k1'), await makeKey('forged')]
    server.publish(key.jwk)
    await revoke(key)
    server.respondWith((response) => response.writeHead(500).end('{}'))
    passMinute(t)

    assert.deepEqual(await repeat(3, () => revoke(forged)), [401, 401, 401])
    assert.equal(server.requests.length, 2)
    assert.equal(await revoke(key), 422)
  })

  for (const [name, kid] of [
    ['an unknown key', 'forged'],
    ['a wrong signature', 'k1'],
  ] as const) {
    it(`are fetched once a minute for assertions with ${name}`, async (t) => {
      const { server, revoke } = await openThirdParty(t)
      const [key, forged] = [await makeKey('k1'), await makeKey(kid)]
      server.publish(key.jwk)
      await revoke(key)

      assert.deepEqual(await repeat(3, () => revoke(forged)), [401, 401, 401])
      assert.equal(server.requests.length, 1)
      passMinute(t)
      assert.deepEqual(await repeat(3, () => revoke(forged)), [401, 401, 401])
      assert.equal(server.requests.length, 2)
      assert.equal(await revoke(key), 422)
    })

    it(`are fetched again if they were replaced: ${name}`, async (t) => {
      const { server, revoke } = await openThirdParty(t)
      const [key, next] = [await makeKey('k1'), await makeKey(kid)]
      server.publish(key.jwk)
      await revoke(key)
      server.publish(next.jwk)
      passMinute(t)

      assert.equal(await revoke(next), 422)
      assert.equal(await revoke(key), 401)
    })
  }

  it('may have no ids, and are all tried', async (t) => {
    const { server, revoke } = await openThirdParty(t)
    const keys = await Promise.all(['1', '2', '3'].map(makeKey))
    const withoutId = keys.map(({ keys, jwk: { kid: _, ...jwk } }) => ({ keys, jwk }) as Key)
    server.publish(...withoutId.slice(0, 2).map(({ jwk }) => jwk))

    const statuses = []
    for (const key of withoutId) statuses.push(await revoke(key))

    assert.deepEqual(statuses, [422, 422, 401])
  })

  for (const [name, publish] of Object.entries<(key: Key) => unknown>({
    'a private key': ({ keys }) => exportJWK(keys.privateKey),
    'a key for encryption': ({ jwk }) => ({ ...jwk, use: 'enc' }),
    'a key of another algorithm': ({ jwk }) => ({ ...jwk, alg: 'ES384' }),
    'an invalid key': ({ jwk }) => ({ ...jwk, x: 'AA' }),
    'part of a key': ({ jwk }) => ({ ...jwk, x: undefined }),
    'a secret': () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'k1' }),
    'no key': () => 'k1',
  })) {
    it(`must be public keys for signatures, and not ${name}`, async (t) => {
      const { server, revoke } = await openThirdParty(t)
      const key = await makeKey('k1')
      server.publish(await publish(key))

      assert.equal(await revoke(key), 401)
      assert.equal(server.requests.length, 1)
    })
  }
})
