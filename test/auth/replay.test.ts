import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openReplayStore } from '../../src/storage/open.ts'
import { describe, engineHere, newDatabase } from '../support/engines.ts'
import { makeKey, segmentsOf } from './tokens.ts'
import {
  accountsPath,
  assertPasses,
  assertRefused,
  balancesPath,
  claimedIds,
  onClaims,
  openWorld,
  publicUrl,
  sharedWorld,
} from './world.ts'

const tolerance = 30

describe('a token', () => {
  const open = sharedWorld()

  it('passes once', async () => {
    const world = await open()
    const token = world.mint(accountsPath)

    await assertPasses(world, token)
    assertRefused(await world.ask(token))
    assertRefused(await world.ask(token))
    await assertPasses(world, world.mint(accountsPath))
  })

  it('passes once of a hundred times at once', async () => {
    const world = await open()
    const token = world.mint(accountsPath)

    const answers = await Promise.all(Array.from({ length: 100 }, () => world.ask(token)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer)
  })

  for (const [what, path, sent, status] of [
    ['a body that is no JSON', balancesPath, { method: 'POST', body: '{' }, 400],
    [
      'a body of another kind',
      balancesPath,
      { method: 'POST', body: 'x', type: 'text/plain' },
      415,
    ],
    ['a parameter that is wrong', `${accountsPath}?page=0`, {}, 400],
    ['a customer that is unknown', accountsPath.replace('c1', 'nobody'), {}, 404],
  ] as const) {
    it(`that was used is a 401 also with ${what}`, async () => {
      const world = await open()
      const token = world.mint(path.split('?', 1)[0] ?? '')
      const { type = 'application/json', ...rest } = { type: undefined, ...sent }
      const headers = ['authorization', `Bearer ${token}`, 'content-type', type]
      const ask = () =>
        world.send(path, { ...rest, headers: 'body' in rest ? headers : headers.slice(0, 2) })

      assert.equal((await ask()).status, status)
      assertRefused(await ask())
    })
  }

  it('does not pass with the jti of another, for the same resource or for another', async () => {
    const world = await open()
    const jti = randomUUID()

    await assertPasses(world, world.mint(accountsPath, { jti }))
    assertRefused(await world.ask(world.mint(accountsPath, { jti, exp: world.now() + 999 })))
    const path = accountsPath.replace('c1', 'c2')
    assertRefused(await world.ask(world.mint(path, { jti }), path))
    await assertPasses(world, world.mint(path), path)
  })

  it('passes alone of two that have one jti and come at once', async () => {
    const world = await open()
    const jti = randomUUID()
    const tokens = [1, 2].map((extra) =>
      world.mint(accountsPath, { jti, exp: world.now() + extra }),
    )

    const answers = await Promise.all(tokens.map((token) => world.ask(token)))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
  })

  it('is not spent by a forgery with its jti, whatever is wrong with that', async () => {
    const world = await open()
    const token = world.mint(accountsPath, { jti: 'precious' })
    const [head, body] = segmentsOf(token)
    const jti = 'precious'
    const forgeries = [
      `${head}.${body}.${segmentsOf(world.mint(accountsPath))[2]}`,
      world.mint(accountsPath, { jti }, {}, makeKey('ES256', 'k1')),
      world.mint(accountsPath, { jti }, { alg: 'none' }),
      world.mint(accountsPath, { jti }, { kid: 'unknown' }),
      world.mint(accountsPath, { jti, exp: world.now() - 60 }),
      world.mint(accountsPath, { jti, iss: 'other' }),
      world.mint(accountsPath, { jti, sub: 'other' }),
      world.mint(accountsPath, { jti, aud: publicUrl }),
      world.mint(balancesPath, { jti }),
      world.mint(accountsPath, { jti, nbf: world.now() + 60 }),
    ]

    for (const forgery of forgeries) assertRefused(await world.ask(forgery))
    assert.ok(!(await world.claimedIds()).includes('precious'))
    await assertPasses(world, token)
    assert.ok((await world.claimedIds()).includes('precious'))
  })

  it('is on the disk as spent when the answer has left', async () => {
    const world = await open()

    for (let turn = 0; turn < 20; turn += 1) {
      const jti = randomUUID()
      await assertPasses(world, world.mint(accountsPath, { jti }))
      assert.ok((await world.claimedIds()).includes(jti))
    }
  })
})

describe('a spent token', () => {
  it('stays spent to the last moment, the tolerance of clocks included', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const world = await openWorld(t)
    const start = world.now()
    const token = world.mint(accountsPath, { exp: start + 60, jti: 'spent' })
    const unspent = world.mint(accountsPath, { exp: start + 60, jti: 'unspent' })
    await assertPasses(world, token)

    for (const later of [59, 60, 61, 60 + tolerance - 1, 60 + tolerance - 0.001]) {
      world.setClock(start + later)
      t.mock.timers.tick(5000)
      assertRefused(await world.ask(token))
    }
    assert.deepEqual(await world.claimedIds(), ['spent'])
    await assertPasses(world, unspent)

    world.setClock(start + 60 + tolerance)
    t.mock.timers.tick(5000)
    assertRefused(await world.ask(token))
  })

  it('with a fraction in its exp stays spent as long', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const world = await openWorld(t)
    const exp = world.now() + 10.25
    const token = world.mint(accountsPath, { exp })
    await assertPasses(world, token)

    world.setClock(exp + tolerance - 0.001)
    t.mock.timers.tick(5000)

    assertRefused(await world.ask(token))
    await assertPasses(world, world.mint(accountsPath, { exp }))
  })

  it('is forgotten when it is too old to pass', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const world = await openWorld(t)
    const start = world.now()
    await assertPasses(world, world.mint(accountsPath, { jti: 'short', exp: start + 10 }))
    await assertPasses(world, world.mint(accountsPath, { jti: 'long', exp: start + 1000 }))

    // Another process may have a clock that is a minute behind.
    world.setClock(start + 10 + tolerance + 59)
    t.mock.timers.tick(1000)
    await assertPasses(world, world.mint(accountsPath, { jti: 'other' }))
    assert.deepEqual(await world.claimedIds(), ['long', 'other', 'short'])

    world.setClock(start + 10 + tolerance + 62)
    t.mock.timers.tick(1000)
    await until(async () => (await world.claimedIds()).length === 2)
    assert.deepEqual(await world.claimedIds(), ['long', 'other'])
  })
})

describe('the record of spent tokens', () => {
  it('forgets in small steps', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const database = await newDatabase(t)
    let now = Temporal.Instant.fromEpochMilliseconds(0)
    const store = await openReplayStore(database, () => now, { settleMs: 0 })
    const ids = Array.from({ length: 2500 }, (_, index) => `id-${index}`)
    await Promise.all(ids.map((id) => store.recordUse(id, 100)))
    now = Temporal.Instant.fromEpochMilliseconds(200_000)

    const count = async () => (await claimedIds(database)).length
    const left = [await count()]
    while (left.at(-1) !== 0) {
      await until(async () => {
        t.mock.timers.tick(200)
        return (await count()) !== left.at(-1)
      })
      left.push(await count())
    }
    await store.close()

    // PostgreSQL takes one step after another until all is done, and holds up nobody with any of them.
    const steps = engineHere() === 'sqlite' ? left.slice(1).entries() : []
    for (const [index, count] of steps) {
      assert.ok((left[index] ?? 0) - count <= 1000, `${left}`)
    }
    assert.deepEqual([left.at(0), left.at(-1)], [2500, 0])
  })

  it('gives an id to one of two stores over one database', async (t) => {
    const database = await newDatabase(t)
    const clock = () => Temporal.Instant.fromEpochMilliseconds(0)
    const stores = [await openReplayStore(database, clock), await openReplayStore(database, clock)]
    const ids = Array.from({ length: 200 }, (_, index) => `id-${index}`)

    const won = await Promise.all(
      ids.flatMap((id) => stores.map((store) => store.recordUse(id, 100))),
    )
    for (const store of stores) await store.close()

    assert.equal(won.filter((outcome) => outcome === 'first use').length, ids.length)
    assert.deepEqual(await claimedIds(database), ids.sort())
  })

  it('outlives the store, and is committed by its closing', async (t) => {
    const database = await newDatabase(t)
    const clock = () => Temporal.Instant.fromEpochMilliseconds(0)
    const first = await openReplayStore(database, clock)
    const pending = first.recordUse('id', 100)
    await first.close()

    const second = await openReplayStore(database, clock)
    const again = await second.recordUse('id', 100)
    await second.close()

    assert.deepEqual([await pending, again], ['first use', 'used before'])
  })

  it('survives a purge that fails', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const database = await newDatabase(t)
    const store = await openReplayStore(database, () => Temporal.Instant.fromEpochMilliseconds(0))
    t.after(() => store.close())
    await onClaims(database, 'drop table token_use')

    // What a timer throws ends the process.
    assert.doesNotThrow(() => t.mock.timers.tick(1000))
  })

  it('takes what it cannot write for a failure, never for a pass', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const world = await openWorld(t)
    const token = world.mint(accountsPath)
    await onClaims(world.database, 'drop table token_use')

    const answer = await world.ask(token)

    assert.ok(answer.status >= 500, String(answer.status))
    assert.doesNotMatch(answer.text, /a1|token_use|SQL/i)
  })
})

/** What a timer starts is not done when the timer is. */
/** Far more than it takes, and fewer than for ever. */
const turnsMax = 20_000

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn += 1) {
    if (await isSo()) return
    await setImmediate()
  }
  assert.fail('it never came')
}
