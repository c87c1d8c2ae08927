import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { countRequests } from '../support/http.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertPasses,
  assertRejected,
  openTokenProvider,
  type TokenProvider,
} from '../support/token-provider.ts'
import { makeKey, signTexts, validClaims } from '../support/tokens.ts'
import { until } from '../support/until.ts'

const cooldownMs = 30_000
const refreshMs = 5 * 60_000
const fetchBurst = 10

/** A monotonic clock for the key set that the test controls. */
function openTime() {
  let ms = 0
  return {
    keySet: { now: () => ms },
    pass(elapsedMs: number) {
      ms += elapsedMs
    },
  }
}

function assertUnavailable({
  status,
  text,
  headers,
}: Awaited<ReturnType<TokenProvider['ask']>>): void {
  assert.deepEqual(
    { status, text, challenge: headers['www-authenticate'] },
    { status: 503, text: '{"error":"Service unavailable"}', challenge: undefined },
  )
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

/** Sends requests whose tokens each name a different unknown key. */
async function flood(provider: TokenProvider, count: number): Promise<void> {
  const tokens = Array.from({ length: count }, () =>
    provider.mint(accountsPath, {}, { kid: randomUUID() }),
  )
  for (const answer of await Promise.all(tokens.map((token) => provider.ask(token)))) {
    if (answer.status === 503) assertUnavailable(answer)
    else assertRejected(answer)
  }
}

/** Sends tokens with unknown keys, one after another, until the fetch limit is reached. */
async function exhaustFetches(provider: TokenProvider): Promise<void> {
  for (let round = 0; round < fetchBurst; round += 1) await flood(provider, 1)
}

describeOnce('the key set', () => {
  it('is fetched once for many requests', async (t) => {
    const provider = await openTokenProvider(t)

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => provider.ask(provider.mint(accountsPath))),
    )
    for (let round = 0; round < 10; round += 1)
      await assertPasses(provider, provider.mint(accountsPath))

    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(provider.keyServer.requests.length, 1)
  })

  it('is fetched again for a rotated key, on the first use of its kid', async (t) => {
    const provider = await openTokenProvider(t, openTime())
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(provider, provider.mint(accountsPath))
    provider.keyServer.publish(provider.key.jwk, rotated.jwk)

    await assertPasses(provider, provider.mint(accountsPath, {}, {}, rotated))
    await assertPasses(provider, provider.mint(accountsPath))

    assert.equal(provider.keyServer.requests.length, 2)
  })

  it('rejects a key that was removed from it, once it has been fetched again', async (t) => {
    const provider = await openTokenProvider(t, openTime())
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(provider, provider.mint(accountsPath))
    provider.keyServer.publish(rotated.jwk)

    await assertPasses(provider, provider.mint(accountsPath, {}, {}, rotated))
    assertRejected(await provider.ask(provider.mint(accountsPath)))
  })

  it('is fetched again for a rotated key right after a background refresh', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t, openTime())
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(provider, provider.mint(accountsPath))
    const fetched = provider.nextFetch()
    t.mock.timers.tick(refreshMs)
    await fetched
    provider.keyServer.publish(provider.key.jwk, rotated.jwk)

    await assertPasses(provider, provider.mint(accountsPath, {}, {}, rotated))
  })

  it('is fetched ten times and then once a second for a flood of unknown key ids', async (t) => {
    const time = openTime()
    const provider = await openTokenProvider(t, time)
    await assertPasses(provider, provider.mint(accountsPath))
    await flood(provider, 300)
    assert.ok(
      provider.keyServer.requests.length <= fetchBurst,
      `${provider.keyServer.requests.length}`,
    )
    await exhaustFetches(provider)
    assert.equal(provider.keyServer.requests.length, fetchBurst)

    for (let second = 1; second <= 5; second += 1) {
      time.pass(999)
      await flood(provider, 50)
      assert.equal(provider.keyServer.requests.length, fetchBurst + second - 1)
      time.pass(1)
      await flood(provider, 50)
      assert.equal(provider.keyServer.requests.length, fetchBurst + second)
    }
    await assertPasses(provider, provider.mint(accountsPath))
  })

  it('has a rotated key within a second of a flood of unknown key ids, without a 401 before', async (t) => {
    const time = openTime()
    const provider = await openTokenProvider(t, time)
    const rotated = makeKey('ES256', 'k2')
    const mintRotated = () => provider.mint(accountsPath, {}, {}, rotated)
    await assertPasses(provider, provider.mint(accountsPath))
    await exhaustFetches(provider)
    provider.keyServer.publish(provider.key.jwk, rotated.jwk)

    const token = mintRotated()
    const early = await provider.ask(token)
    assertUnavailable(early)
    assert.equal(early.headers['retry-after'], '1')
    time.pass(1000)
    await flood(provider, 1)

    await assertPasses(provider, token)
    await assertPasses(provider, mintRotated())
    assert.equal(provider.keyServer.requests.length, fetchBurst + 1)
  })

  it('is not fetched again during the cooldown of an unknown key id', async (t) => {
    const time = openTime()
    const provider = await openTokenProvider(t, time)
    await assertPasses(provider, provider.mint(accountsPath))
    const late = makeKey('ES256', 'late')
    const sendLate = () => provider.ask(provider.mint(accountsPath, {}, {}, late))

    assertRejected(await sendLate())
    assert.equal(provider.keyServer.requests.length, 2)
    time.pass(cooldownMs - 1)
    for (let round = 0; round < 20; round += 1) assertRejected(await sendLate())
    assert.equal(provider.keyServer.requests.length, 2)
    time.pass(1)
    assertRejected(await sendLate())
    assert.equal(provider.keyServer.requests.length, 3)

    provider.keyServer.publish(provider.key.jwk, late.jwk)
    assertRejected(await sendLate())
    assertRejected(await provider.ask(provider.mint(accountsPath, {}, { kid: 'unknown' })))
    assert.equal((await sendLate()).status, 200)
  })

  it('is fetched a few times for a flood before the first key', async (t) => {
    const provider = await openTokenProvider(t, openTime())

    await flood(provider, 100)

    assert.ok(
      provider.keyServer.requests.length <= fetchBurst,
      `${provider.keyServer.requests.length}`,
    )
    await assertPasses(provider, provider.mint(accountsPath))
  })

  it('is not fetched for a token that is rejected for its claims or its format', async (t) => {
    const provider = await openTokenProvider(t)

    assertRejected(await provider.ask('x.y.z'))
    assertRejected(await provider.ask(provider.mint(accountsPath, { exp: 1 })))
    assertRejected(await provider.ask(provider.mint(accountsPath, { iss: 'other' })))
    assertRejected(await provider.ask(provider.mint(accountsPath, {}, { alg: 'none' })))

    assert.equal(provider.keyServer.requests.length, 0)
  })

  it('is refreshed in the background, without a request', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(provider, provider.mint(accountsPath))
    provider.keyServer.publish(rotated.jwk)

    const fetched = provider.nextFetch()
    t.mock.timers.tick(refreshMs)
    await fetched

    assert.equal(provider.keyServer.requests.length, 2)
    await assertPasses(provider, provider.mint(accountsPath, {}, {}, rotated))
    assert.equal(provider.keyServer.requests.length, 2)
    assertRejected(await provider.ask(provider.mint(accountsPath)))
  })

  it('remains in use during a slow refresh', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    await assertPasses(provider, provider.mint(accountsPath))
    const pending: ServerResponse[] = []
    provider.keyServer.respondWith((response) => void pending.push(response))

    const fetched = provider.keyServer.nextRequest()
    t.mock.timers.tick(refreshMs)
    await fetched

    await assertPasses(provider, provider.mint(accountsPath))
    for (const response of pending) response.destroy()
  })

  for (const [name, keys] of Object.entries({
    'is unreachable': undefined,
    'returns no usable key': [{ kty: 'RSA' }],
  })) {
    it(`remains in use while the URL ${name}`, async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] })
      const time = openTime()
      const provider = await openTokenProvider(t, time)
      const rotated = makeKey('ES256', 'k2')
      const mintRotated = () => provider.mint(accountsPath, {}, {}, rotated)
      await assertPasses(provider, provider.mint(accountsPath))
      if (keys) provider.keyServer.publish(...keys)
      else await provider.keyServer.stop()

      for (let round = 0; round < 3; round += 1) {
        const fetched = provider.nextFetch()
        t.mock.timers.tick(refreshMs)
        assert.ok('failure' in ((await fetched) as object))
        time.pass(refreshMs)
        await assertPasses(provider, provider.mint(accountsPath))
        assertUnavailable(await provider.ask(mintRotated()))
      }
      if (!keys) await provider.keyServer.restart()
      provider.keyServer.publish(rotated.jwk)
      await assertPasses(provider, mintRotated())
    })
  }

  it('is fetched once the URL is reachable again', async (t) => {
    const time = openTime()
    const provider = await openTokenProvider(t, time)
    await provider.keyServer.stop()
    for (let turn = 0; turn < 2 * fetchBurst; turn += 1) {
      assertUnavailable(await provider.ask(provider.mint(accountsPath)))
    }

    await provider.keyServer.restart()
    time.pass(1000)

    await assertPasses(provider, provider.mint(accountsPath))
  })

  it('is a 503 if it was never fetched and is unreachable, and the token stays unused', async (t) => {
    const provider = await openTokenProvider(t, openTime())
    await provider.keyServer.stop()
    const token = provider.mint(accountsPath)

    assertUnavailable(await provider.ask(token))
    assertUnavailable(await provider.ask(token))
    assert.deepEqual(await provider.usedTokenIds(), [])

    await provider.keyServer.restart()
    await assertPasses(provider, token)
  })

  it('is still a 401 if it was never fetched, for a token that is invalid without it', async (t) => {
    const provider = await openTokenProvider(t)
    await provider.keyServer.stop()

    assertRejected(await provider.send(accountsPath), 'Bearer')
    assertRejected(await provider.ask('x.y.z'))
    assertRejected(await provider.ask(provider.mint(accountsPath, {}, { alg: 'HS256' })))
  })
})

function* spaces() {
  for (;;) yield Buffer.alloc(64 * 1024, ' ')
}

describeOnce('a key set that is', () => {
  const invalid: Record<string, (response: ServerResponse, provider: TokenProvider) => void> = {
    'a 500': (response) => void response.writeHead(500).end('{"keys":[]}'),
    'a 404': (response) => void response.writeHead(404).end(),
    'a 204': (response) => void response.writeHead(204).end(),
    'not JSON': (response) => void response.end('<html>keys</html>'),
    'truncated JSON': (response) => void response.end('{"keys":['),
    'an empty body': (response) => void response.end(),
    null: (response) => void response.end('null'),
    'a list': (response) => void response.end('[]'),
    'without keys': (response) => void response.end('{}'),
    'an object of keys': (response) => void response.end('{"keys":{"0":{}}}'),
    'an empty list of keys': (response) => void response.end('{"keys":[]}'),
    'too large': (response, { key }) => {
      const filler = 'x'.repeat(1024 * 1024)
      response.end(JSON.stringify({ keys: [key.jwk], filler }))
    },
    endless: (response) => pipeline(spaces, response, () => {}),
    'behind a redirect': (response, { keyServer }) =>
      void response.writeHead(302, { location: `http://127.0.0.1:${keyServer.port}/other` }).end(),
    'behind a permanent redirect to itself': (response, { keyServer }) =>
      void response.writeHead(308, { location: keyServer.url }).end(),
    'cut off by a closed connection': (response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"keys":', () => response.destroy())
    },
  }
  for (const [name, respond] of Object.entries(invalid)) {
    it(`${name} provides no keys, and keeps the cached ones`, async (t) => {
      const provider = await openTokenProvider(t, openTime())
      provider.keyServer.respondWith((response) => respond(response, provider))

      assertUnavailable(await provider.ask(provider.mint(accountsPath)))
      assert.equal(provider.keyServer.requests.length, 1)

      provider.keyServer.publish(provider.key.jwk)
      await assertPasses(provider, provider.mint(accountsPath))

      provider.keyServer.respondWith((response) => respond(response, provider))
      assertUnavailable(await provider.ask(provider.mint(accountsPath, {}, { kid: 'unknown' })))
      await assertPasses(provider, provider.mint(accountsPath))
      assert.equal(provider.keyServer.requests.length, 3)
    })
  }

  for (const [name, begin] of Object.entries({
    'before its headers': () => {},
    'in its body': (response: ServerResponse) => void response.write('{"keys":['),
  })) {
    it(`too slow ${name} times out, and all waiting requests get a 503`, async (t) => {
      const timeout = new AbortController()
      const { mock } = t.mock.method(AbortSignal, 'timeout', () => timeout.signal)
      const provider = await openTokenProvider(t, { keySet: { timeoutMs: 200 } })
      const arrived = countRequests(t, accountsPath)
      const pending: ServerResponse[] = []
      provider.keyServer.respondWith((response) => {
        begin(response)
        pending.push(response)
      })

      const answers = Array.from({ length: 20 }, () => provider.ask(provider.mint(accountsPath)))
      await until(() => arrived() === answers.length && pending.length > 0)
      timeout.abort(new DOMException('The operation timed out', 'TimeoutError'))

      for (const answer of await Promise.all(answers)) assertUnavailable(answer)
      assert.equal(provider.keyServer.requests.length, 1)
      assert.deepEqual(
        mock.calls.map((call) => call.arguments),
        [[200]],
      )
      for (const response of pending) response.destroy()
    })
  }

  it('slow, but within the timeout, delays the first requests', async (t) => {
    const provider = await openTokenProvider(t)
    const pending: ServerResponse[] = []
    provider.keyServer.respondWith((response) => void pending.push(response))
    const fetched = provider.keyServer.nextRequest()

    const answers = Array.from({ length: 20 }, () => provider.ask(provider.mint(accountsPath)))
    await fetched
    for (const response of pending) response.end(JSON.stringify({ keys: [provider.key.jwk] }))

    assert.ok((await Promise.all(answers)).every(({ status }) => status === 200))
    assert.equal(provider.keyServer.requests.length, 1)
  })

  it('of another content type is accepted', async (t) => {
    const provider = await openTokenProvider(t)
    provider.keyServer.respondWith((response) => {
      response.setHeader('content-type', 'application/jwk-set+json')
      response.end(JSON.stringify({ keys: [provider.key.jwk] }))
    })
    const payload = JSON.stringify(validClaims(accountsPath, provider.now()))

    await assertPasses(provider, signTexts('{"alg":"ES256","kid":"k1"}', payload, provider.key))
  })
})
