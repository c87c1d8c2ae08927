import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type KeySetOptions, openKeySet } from '../../src/auth/key-set.ts'
import { openKeyServer } from '../support/key-server.ts'
import { makeKey, publicRsa } from '../support/tokens.ts'

/** A key set and its server, with a timeout that no test reaches. */
async function openBoth(t: TestContext, options: Partial<KeySetOptions> = {}) {
  const keyServer = await openKeyServer([])
  t.after(() => keyServer.close())
  const outcomes: unknown[] = []
  const onFetch = (outcome: unknown) => void outcomes.push(outcome)
  const keys = openKeySet({ url: keyServer.url, timeoutMs: 600_000, onFetch, ...options })
  t.after(() => keys.close())
  return { keyServer, keys, outcomes }
}

function* spaces() {
  for (;;) yield Buffer.alloc(64 * 1024, ' ')
}

describe('a key set closes its connection', () => {
  for (const [name, status] of Object.entries({
    'that has an error status and does not end': 500,
    'that is too large': 200,
  })) {
    it(`after a response ${name}`, async (t) => {
      const { keyServer, keys, outcomes } = await openBoth(t)
      const answered = Promise.withResolvers<ServerResponse>()
      keyServer.respondWith((response) => {
        answered.resolve(response)
        response.writeHead(status)
        pipeline(spaces, response, () => {})
      })

      await assert.rejects(keys.find('ES256', 'k1'), { code: 'unavailable' })
      const response = await answered.promise
      if (!response.closed) await once(response, 'close')

      assert.equal(outcomes.length, 1)
    })
  }

  for (const [name, begin] of Object.entries({
    'before its headers': () => {},
    'in its body': (response: ServerResponse) => void response.write('{"keys":['),
  })) {
    it(`when it is closed during a response, ${name}`, async (t) => {
      const { keyServer, keys, outcomes } = await openBoth(t)
      const answered = Promise.withResolvers<ServerResponse>()
      keyServer.respondWith((response) => {
        begin(response)
        answered.resolve(response)
      })
      const found = assert.rejects(keys.find('ES256', 'k1'), { code: 'unavailable' })
      const response = await answered.promise
      const closed = once(response, 'close')

      keys.close()

      await Promise.all([found, closed])
      assert.deepEqual(outcomes, [])
    })
  }
})

describe('a key that is published while the key set is being fetched', () => {
  const [old, fresh] = [makeKey('ES256', 'old'), makeKey('ES256', 'new')]

  it('is found by all waiting requests, with one more fetch', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { keyServer, keys } = await openBoth(t, { refreshMs: 1000, now: () => 0 })
    keyServer.publish(old.jwk)
    const started = Promise.withResolvers<ServerResponse>()
    keyServer.respondWith((response) => {
      started.resolve(response)
      keyServer.publish(old.jwk, fresh.jwk)
    })
    t.mock.timers.tick(1000)
    const response = await started.promise

    const found = Promise.all([keys.find('ES256', 'new'), keys.find('ES256', 'new')])
    response.end(JSON.stringify({ keys: [old.jwk] }))

    for (const key of await found) assert.ok(key?.equals(fresh.publicKey))
    assert.equal(keyServer.requests.length, 2)
    assert.ok(await keys.find('ES256', 'old'))
    assert.equal(await keys.find('ES256', 'unknown'), undefined)
    assert.equal(keyServer.requests.length, 3)
    assert.equal(await keys.find('ES256', 'unknown'), undefined)
    assert.equal(keyServer.requests.length, 3)
  })
})

describe('a compressed key set', () => {
  const key = makeKey('ES256', 'k1')
  const respondWith = (text: string) => (response: ServerResponse) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))

  it('is read', async (t) => {
    const { keyServer, keys } = await openBoth(t)
    keyServer.respondWith(respondWith(JSON.stringify({ keys: [key.jwk] })))

    assert.ok(await keys.find('ES256', 'k1'))
  })

  it('is limited by its size without compression', async (t) => {
    const { keyServer, keys, outcomes } = await openBoth(t)
    const filler = ' '.repeat(1024 * 1024)
    keyServer.respondWith(respondWith(JSON.stringify({ keys: [key.jwk], filler })))

    await assert.rejects(keys.find('ES256', 'k1'), { code: 'unavailable' })

    assert.deepEqual(outcomes, [{ failure: 'too large' }])
  })
})

describe('a key set that cannot be fetched', () => {
  it('is reported with the reason', async (t) => {
    const { keyServer, keys, outcomes } = await openBoth(t)
    await keyServer.stop()

    await assert.rejects(keys.find('ES256', 'k1'), { code: 'unavailable' })

    assert.deepEqual(outcomes, [{ failure: 'fetch failed: ECONNREFUSED' }])
  })

  it('is reported as timed out', async (t) => {
    const { keyServer, keys, outcomes } = await openBoth(t, { timeoutMs: 20 })
    keyServer.respondWith((response) => void response.write('{"keys":['))

    await assert.rejects(keys.find('ES256', 'k1'), { code: 'unavailable' })

    assert.deepEqual(outcomes, [{ failure: 'The operation was aborted due to timeout' }])
  })

  for (const [name, members] of Object.entries({
    'an algorithm that is null': { alg: null },
    'an algorithm in a list': { alg: ['ES256'] },
    'an id that is a number': { kid: 1 },
    'an id that is null': { kid: null },
    'an RSA modulus of 8200 bits': publicRsa(8200),
    'an RSA exponent of 40 bits': publicRsa(2048, 40),
  })) {
    it(`ignores a key with ${name}, and keeps the cached keys`, async (t) => {
      const key = makeKey('ES256', 'k1')
      const { keyServer, keys, outcomes } = await openBoth(t)
      keyServer.publish(key.jwk)
      assert.ok(await keys.find('ES256', 'k1'))
      keyServer.publish({ ...key.jwk, ...members })

      await assert.rejects(keys.find('ES256', 'k2'), { code: 'unavailable' })

      assert.deepEqual(outcomes.at(-1), { failure: 'no usable key' })
      assert.ok(await keys.find('ES256', 'k1'))
    })
  }
})
