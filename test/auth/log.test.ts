import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { makeKey, segmentsOf } from './tokens.ts'
import { accountsPath, assertPasses, assertRefused, openWorld, type World } from './world.ts'

/** What was logged of refusals, as objects. */
function refusals({ log }: World): Record<string, unknown>[] {
  return log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'token refused')
}

/** No piece of a token that is longer than chance. */
function assertHoldsNothingOf({ log }: World, token: string): void {
  const text = log.join('\n')
  for (const segment of segmentsOf(token)) {
    for (let at = 0; at + 12 <= segment.length; at += 1) {
      assert.ok(
        !text.includes(segment.slice(at, at + 12)),
        `${segment.slice(at, at + 12)}: ${text}`,
      )
    }
  }
}

function assertHoldsNobody({ log }: World): void {
  assert.doesNotMatch(log.join('\n'), /ana|silva|example\.com|secret-customer|a1\b|10\.00/i)
}

describe('the log', () => {
  const bad: Record<string, (world: World) => string> = {
    'its signature': (world) => {
      const [head, body] = segmentsOf(world.mint(accountsPath))
      return `${head}.${body}.${segmentsOf(world.mint(accountsPath))[2]}`
    },
    'the key of a stranger': (world) => world.mint(accountsPath, {}, {}, makeKey('ES256', 'k1')),
    'its expiry': (world) => world.mint(accountsPath, { exp: 1 }),
    'its audience': (world) =>
      world.mint(accountsPath, { aud: 'https://other.example/secret-customer' }),
    'its subject': (world) => world.mint(accountsPath, { sub: 'ana@example.com' }),
    'a jti that is too long': (world) => world.mint(accountsPath, { jti: 'j'.repeat(300) }),
    'its algorithm': (world) => world.mint(accountsPath, {}, { alg: 'HS256' }),
  }
  for (const [name, tokenOf] of Object.entries(bad)) {
    it(`says why, of whom and where for a token refused for ${name}`, async (t) => {
      const world = await openWorld(t)
      const token = tokenOf(world)

      assertRefused(await world.ask(token))

      const [refusal, ...more] = refusals(world)
      assert.deepEqual(more, [])
      assert.equal(refusal?.['keyId'], 'k1')
      assert.equal(refusal?.['issuer'], 'bank')
      assert.equal(refusal?.['operation'], 'B1')
      assert.match(String(refusal?.['reason']), /^\S.{1,60}$/)
      assertHoldsNothingOf(world, token)
      assertHoldsNobody(world)
    })
  }

  it('gives each check a reason of its own', async (t) => {
    const world = await openWorld(t)
    for (const tokenOf of Object.values(bad)) assertRefused(await world.ask(tokenOf(world)))

    const reasons = refusals(world).map(({ reason }) => reason)

    // A bad signature and a key that is another's cannot be told apart.
    assert.equal(new Set(reasons).size, reasons.length - 1, String(reasons))
  })

  it('shows the key id and the issuer that a stranger claims', async (t) => {
    const world = await openWorld(t)

    assertRefused(await world.ask(world.mint(accountsPath, { iss: 'stranger' }, { kid: 'theirs' })))

    const [refusal] = refusals(world)
    assert.equal(refusal?.['keyId'], 'theirs')
    assert.equal(refusal?.['issuer'], 'stranger')
  })

  it('says that no token was sent, and where', async (t) => {
    const world = await openWorld(t)

    assertRefused(await world.send(`${accountsPath}?page=1`), 'Bearer')

    const [refusal] = refusals(world)
    assert.equal(refusal?.['reason'], 'no token')
    assert.equal(refusal?.['operation'], 'B1')
  })

  for (const [name, spoil] of Object.entries({
    'that is no token': (token: string) => token.replaceAll('.', ''),
    'in another scheme': (token: string) => token,
    'with a segment too many': (token: string) => `${token}.${token}`,
    'that is padded': (token: string) => `${token}==`,
  })) {
    it(`holds nothing of a text ${name}`, async (t) => {
      const world = await openWorld(t)
      const token = world.mint(accountsPath)
      const scheme = name === 'in another scheme' ? 'Basic' : 'Bearer'
      const headers = ['authorization', `${scheme} ${spoil(token)}`]

      assert.equal((await world.send(accountsPath, { headers })).status, 401)

      assert.equal(refusals(world).length, 1)
      assertHoldsNothingOf(world, token)
    })
  }

  it('holds nothing of tokens that pass, are used again, or meet an outage', async (t) => {
    const world = await openWorld(t, { keySet: { cooldownMs: 0 } })
    const token = world.mint(accountsPath)

    await world.keyServer.leave()
    assert.equal((await world.ask(token)).status, 503)
    await world.keyServer.comeBack()
    await assertPasses(world, token)
    assertRefused(await world.ask(token))

    assertHoldsNothingOf(world, token)
    assertHoldsNobody(world)
  })

  it('holds no customer and no account of a path', async (t) => {
    const world = await openWorld(t)
    const path = '/v1/banking/customer/secret-customer/accounts/a1/transactions?text=Silva'

    assertRefused(await world.send(path), 'Bearer')
    assertRefused(await world.ask('x.y.z', path))

    assert.equal(refusals(world).length, 2)
    assertHoldsNobody(world)
  })

  it('is bounded by what it shows of a stranger, and one line a refusal', async (t) => {
    const world = await openWorld(t)

    assertRefused(await world.ask(world.mint(accountsPath, { iss: 'x\n'.repeat(2000) })))

    const lines = world.log.filter((line) => line.includes('token refused'))
    assert.equal(lines.length, 1)
    assert.ok((lines[0] ?? '').length < 2000)
    assert.equal(lines[0]?.trimEnd().split('\n').length, 1)
  })
})
