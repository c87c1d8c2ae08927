import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { it, type TestContext } from 'node:test'
import { describe } from '../support/engines.ts'
import { makeKey, signTexts } from './tokens.ts'
import {
  accountsPath,
  assertOnlyGoodPasses,
  assertPasses,
  assertRefused,
  goodClaims,
  openWorld,
  type World,
} from './world.ts'

const cooldownMs = 30_000
const refreshMs = 5 * 60_000

/** Makes time pass for the key set, and for nothing else. */
function timeMachine(t: TestContext): (ms: number) => void {
  const real = performance.now.bind(performance)
  let ahead = 0
  t.mock.method(performance, 'now', () => real() + ahead)
  return (ms) => {
    ahead += ms
  }
}

function assertUnavailable({ status, text, headers }: Awaited<ReturnType<World['ask']>>): void {
  assert.deepEqual(
    { status, text, challenge: headers['www-authenticate'] },
    { status: 503, text: '{"error":"Service unavailable"}', challenge: undefined },
  )
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

describe('the key set', () => {
  it('is fetched once for many requests', async (t) => {
    const world = await openWorld(t)

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => world.ask(world.mint(accountsPath))),
    )
    for (let turn = 0; turn < 10; turn += 1) await assertPasses(world, world.mint(accountsPath))

    assert.ok(answers.every(({ status }) => status === 200))
    assert.equal(world.keyServer.asked.length, 1)
  })

  it('is fetched again for a rotated key, on the first use of its kid', async (t) => {
    const pass = timeMachine(t)
    const world = await openWorld(t)
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(world, world.mint(accountsPath))
    pass(cooldownMs)
    world.keyServer.publish(world.key.jwk, rotated.jwk)

    await assertPasses(world, world.mint(accountsPath, {}, {}, rotated))
    await assertPasses(world, world.mint(accountsPath))

    assert.equal(world.keyServer.asked.length, 2)
  })

  it('no longer has a key that was taken out, once it was fetched again', async (t) => {
    const pass = timeMachine(t)
    const world = await openWorld(t)
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(world, world.mint(accountsPath))
    pass(cooldownMs)
    world.keyServer.publish(rotated.jwk)

    await assertPasses(world, world.mint(accountsPath, {}, {}, rotated))
    assertRefused(await world.ask(world.mint(accountsPath)))
  })

  it('is fetched again for a rotated key right after it was renewed in the background', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const world = await openWorld(t)
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(world, world.mint(accountsPath))
    timeMachine(t)(refreshMs)
    const fetched = world.nextFetch()
    t.mock.timers.tick(refreshMs)
    await fetched
    world.keyServer.publish(world.key.jwk, rotated.jwk)

    await assertPasses(world, world.mint(accountsPath, {}, {}, rotated))
  })

  it('is fetched once in the cooldown for a flood of unknown key ids', async (t) => {
    const pass = timeMachine(t)
    const world = await openWorld(t)
    await assertPasses(world, world.mint(accountsPath))
    const flood = async () => {
      const tokens = Array.from({ length: 200 }, (_, index) =>
        world.mint(accountsPath, {}, { kid: `unknown-${index}` }),
      )
      for (const answer of await Promise.all(tokens.map((token) => world.ask(token)))) {
        assertRefused(answer)
      }
    }

    pass(cooldownMs)
    await flood()
    assert.equal(world.keyServer.asked.length, 2)
    await flood()
    pass(cooldownMs - 5000)
    await flood()
    assert.equal(world.keyServer.asked.length, 2)
    pass(5000)
    await flood()
    assert.equal(world.keyServer.asked.length, 3)
    await assertPasses(world, world.mint(accountsPath))
  })

  it('is fetched once in the cooldown for a flood that comes before the first key', async (t) => {
    const world = await openWorld(t)
    const tokens = Array.from({ length: 100 }, (_, index) =>
      world.mint(accountsPath, {}, { kid: `unknown-${index}` }),
    )

    await Promise.all(tokens.map((token) => world.ask(token)))

    assert.equal(world.keyServer.asked.length, 1)
    await assertPasses(world, world.mint(accountsPath))
  })

  it('is not fetched for a token that is refused for its claims or its form', async (t) => {
    const world = await openWorld(t)

    assertRefused(await world.ask('x.y.z'))
    assertRefused(await world.ask(world.mint(accountsPath, { exp: 1 })))
    assertRefused(await world.ask(world.mint(accountsPath, { iss: 'other' })))
    assertRefused(await world.ask(world.mint(accountsPath, {}, { alg: 'none' })))

    assert.equal(world.keyServer.asked.length, 0)
  })

  it('is renewed in the background, without a request', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const world = await openWorld(t)
    const rotated = makeKey('ES256', 'k2')
    await assertPasses(world, world.mint(accountsPath))
    world.keyServer.publish(rotated.jwk)

    const fetched = world.nextFetch()
    t.mock.timers.tick(refreshMs)
    await fetched

    assert.equal(world.keyServer.asked.length, 2)
    await assertPasses(world, world.mint(accountsPath, {}, {}, rotated))
    assertRefused(await world.ask(world.mint(accountsPath)))
    assert.equal(world.keyServer.asked.length, 2)
  })

  it('serves while it is being renewed slowly', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const world = await openWorld(t)
    await assertPasses(world, world.mint(accountsPath))
    const held: ServerResponse[] = []
    world.keyServer.answer((response) => void held.push(response))

    const asked = world.keyServer.nextQuestion()
    t.mock.timers.tick(refreshMs)
    await asked

    await assertPasses(world, world.mint(accountsPath))
    for (const response of held) response.destroy()
  })

  for (const [name, keys] of Object.entries({
    'is away': undefined,
    'shows nothing usable': [{ kty: 'RSA' }],
  })) {
    it(`goes on with the keys it has while the address ${name}`, async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] })
      const pass = timeMachine(t)
      const world = await openWorld(t)
      await assertPasses(world, world.mint(accountsPath))
      if (keys) world.keyServer.publish(...keys)
      else await world.keyServer.leave()

      for (let turn = 0; turn < 3; turn += 1) {
        const fetched = world.nextFetch()
        t.mock.timers.tick(refreshMs)
        assert.ok('failure' in ((await fetched) as object))
        pass(refreshMs)
        await assertPasses(world, world.mint(accountsPath))
        assertRefused(await world.ask(world.mint(accountsPath, {}, { kid: 'unknown' })))
      }
    })
  }

  it('works again when the address comes back', async (t) => {
    const pass = timeMachine(t)
    const world = await openWorld(t)
    await world.keyServer.leave()
    assertUnavailable(await world.ask(world.mint(accountsPath)))

    await world.keyServer.comeBack()
    pass(cooldownMs)

    await assertPasses(world, world.mint(accountsPath))
  })

  it('never had and away is a 503 that spends no token', async (t) => {
    const pass = timeMachine(t)
    const world = await openWorld(t)
    await world.keyServer.leave()
    const token = world.mint(accountsPath)

    assertUnavailable(await world.ask(token))
    assertUnavailable(await world.ask(token))
    assert.deepEqual(await world.claimedIds(), [])

    await world.keyServer.comeBack()
    pass(cooldownMs)
    await assertPasses(world, token)
  })

  it('never had and away is still a 401 for what needs no key to be refused', async (t) => {
    const world = await openWorld(t)
    await world.keyServer.leave()

    assertRefused(await world.send(accountsPath), 'Bearer')
    assertRefused(await world.ask('x.y.z'))
    assertRefused(await world.ask(world.mint(accountsPath, {}, { alg: 'HS256' })))
  })
})

function* blanks() {
  for (;;) yield Buffer.alloc(64 * 1024, ' ')
}

describe('a key set that is', () => {
  const junk: Record<string, (response: ServerResponse, world: World) => void> = {
    'a 500': (response) => void response.writeHead(500).end('{"keys":[]}'),
    'a 404': (response) => void response.writeHead(404).end(),
    'a 204': (response) => void response.writeHead(204).end(),
    'no JSON': (response) => void response.end('<html>keys</html>'),
    'cut off JSON': (response) => void response.end('{"keys":['),
    'an empty body': (response) => void response.end(),
    null: (response) => void response.end('null'),
    'a list': (response) => void response.end('[]'),
    'without keys': (response) => void response.end('{}'),
    'of keys that are no list': (response) => void response.end('{"keys":{"0":{}}}'),
    'of no keys': (response) => void response.end('{"keys":[]}'),
    huge: (response, { key }) => {
      const filler = 'x'.repeat(1024 * 1024)
      response.end(JSON.stringify({ keys: [key.jwk], filler }))
    },
    'without an end': (response) => pipeline(blanks, response, () => {}),
    'behind a redirect': (response, { keyServer }) =>
      void response.writeHead(302, { location: `http://127.0.0.1:${keyServer.port}/other` }).end(),
    'behind a permanent redirect to itself': (response, { keyServer }) =>
      void response.writeHead(308, { location: keyServer.url }).end(),
    'broken off': (response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"keys":', () => response.destroy())
    },
  }
  for (const [name, respond] of Object.entries(junk)) {
    it(`${name} gives no keys, and spoils none that are held`, async (t) => {
      const pass = timeMachine(t)
      const world = await openWorld(t)
      world.keyServer.answer((response) => respond(response, world))

      assertUnavailable(await world.ask(world.mint(accountsPath)))
      assert.equal(world.keyServer.asked.length, 1)

      world.keyServer.publish(world.key.jwk)
      pass(cooldownMs)
      await assertPasses(world, world.mint(accountsPath))

      world.keyServer.answer((response) => respond(response, world))
      pass(cooldownMs)
      await assertOnlyGoodPasses(world, world.mint(accountsPath, {}, { kid: 'unknown' }))
      assert.equal(world.keyServer.asked.length, 3)
    })
  }

  for (const [name, begin] of Object.entries({
    'before its head': () => {},
    'in its body': (response: ServerResponse) => void response.write('{"keys":['),
  })) {
    it(`too slow ${name} is given up, and everybody who waits is told`, async (t) => {
      const world = await openWorld(t, { keySet: { timeoutMs: 200 } })
      const held: ServerResponse[] = []
      world.keyServer.answer((response) => {
        begin(response)
        held.push(response)
      })

      const answers = await Promise.all(
        Array.from({ length: 20 }, () => world.ask(world.mint(accountsPath))),
      )

      for (const answer of answers) assertUnavailable(answer)
      assert.equal(world.keyServer.asked.length, 1)
      for (const response of held) response.destroy()
    })
  }

  it('slow, but not too slow, makes the first requests wait and pass', async (t) => {
    const world = await openWorld(t)
    const held: ServerResponse[] = []
    world.keyServer.answer((response) => void held.push(response))
    const asked = world.keyServer.nextQuestion()

    const answers = Array.from({ length: 20 }, () => world.ask(world.mint(accountsPath)))
    await asked
    for (const response of held) response.end(JSON.stringify({ keys: [world.key.jwk] }))

    assert.ok((await Promise.all(answers)).every(({ status }) => status === 200))
    assert.equal(world.keyServer.asked.length, 1)
  })

  it('of a type that is not JSON is read all the same', async (t) => {
    const world = await openWorld(t)
    world.keyServer.answer((response) => {
      response.setHeader('content-type', 'application/jwk-set+json')
      response.end(JSON.stringify({ keys: [world.key.jwk] }))
    })
    const payload = JSON.stringify(goodClaims(accountsPath, world.now()))

    await assertPasses(world, signTexts('{"alg":"ES256","kid":"k1"}', payload, world.key))
  })
})
