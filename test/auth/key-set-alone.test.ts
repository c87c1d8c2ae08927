import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { type KeySetOptions, openKeySet } from '../../src/auth/key-set.ts'
import { openKeyServer } from '../support/key-server.ts'
import { makeKey } from '../support/tokens.ts'

/** A key set by itself, patient enough that nothing ends on its own. */
async function openBoth(t: TestContext, options: Partial<KeySetOptions> = {}) {
  const keyServer = await openKeyServer([])
  t.after(() => keyServer.close())
  const outcomes: unknown[] = []
  const onFetch = (outcome: unknown) => void outcomes.push(outcome)
  const keys = openKeySet({ url: keyServer.url, timeoutMs: 600_000, onFetch, ...options })
  t.after(() => keys.close())
  return { keyServer, keys, outcomes }
}

function* blanks() {
  for (;;) yield Buffer.alloc(64 * 1024, ' ')
}

describe('the connection of a key set is let go', { timeout: 30_000 }, () => {
  for (const [name, status] of Object.entries({
    'that is no success and does not end': 500,
    'that is too large': 200,
  })) {
    it(`for an answer ${name}`, async (t) => {
      const { keyServer, keys, outcomes } = await openBoth(t)
      const answered = Promise.withResolvers<ServerResponse>()
      keyServer.respondWith((response) => {
        answered.resolve(response)
        response.writeHead(status)
        pipeline(blanks, response, () => {})
      })

      await assert.rejects(keys.find('ES256', 'k1'), { code: 'unavailable' })
      const response = await answered.promise
      if (!response.closed) await once(response, 'close')

      assert.equal(outcomes.length, 1)
    })
  }

  for (const [name, begin] of Object.entries({
    'before its head': () => {},
    'in its body': (response: ServerResponse) => void response.write('{"keys":['),
  })) {
    it(`when it is closed while an answer is awaited, ${name}`, async (t) => {
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

describe('a key that is published while the key set is being fetched', { timeout: 30_000 }, () => {
  const [old, fresh] = [makeKey('ES256', 'old'), makeKey('ES256', 'new')]

  it('is found by everybody who waits for it, with one more question', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { keyServer, keys } = await openBoth(t, { refreshMs: 1000, now: () => 0 })
    keyServer.publish(old.jwk)
    const underWay = Promise.withResolvers<ServerResponse>()
    keyServer.respondWith((response) => {
      underWay.resolve(response)
      keyServer.publish(old.jwk, fresh.jwk)
    })
    t.mock.timers.tick(1000)
    const response = await underWay.promise

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

describe('a key set that cannot be had', { timeout: 30_000 }, () => {
  it('is told with the reason, not only that it failed', async (t) => {
    const { keyServer, keys, outcomes } = await openBoth(t)
    await keyServer.stop()

    await assert.rejects(keys.find('ES256', 'k1'), { code: 'unavailable' })

    assert.deepEqual(outcomes, [{ failure: 'fetch failed: ECONNREFUSED' }])
  })

  for (const [name, says] of Object.entries({
    'an algorithm that is null': { alg: null },
    'an algorithm in a list': { alg: ['ES256'] },
    'an id that is a number': { kid: 1 },
    'an id that is null': { kid: null },
  })) {
    it(`has no key in one with ${name}, and does not lose those it has to it`, async (t) => {
      const key = makeKey('ES256', 'k1')
      const { keyServer, keys, outcomes } = await openBoth(t)
      keyServer.publish(key.jwk)
      assert.ok(await keys.find('ES256', 'k1'))
      keyServer.publish({ ...key.jwk, ...says })

      await assert.rejects(keys.find('ES256', 'k2'), { code: 'unavailable' })

      assert.deepEqual(outcomes.at(-1), { failure: 'no usable key' })
      assert.ok(await keys.find('ES256', 'k1'))
    })
  }
})
