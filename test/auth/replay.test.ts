import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { openReplayStore } from '../../src/storage/open.ts'
import { currentEngine, describe, newDatabase } from '../support/engines.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import {
  assertPasses,
  assertRejected,
  openTokenProvider,
  queryReplayRecords,
  sharedTokenProvider,
  usedTokenIds,
} from '../support/token-provider.ts'
import { makeKey, publicUrl, splitToken } from '../support/tokens.ts'
import { until } from '../support/until.ts'

const tolerance = 30

describe('a token', () => {
  const open = sharedTokenProvider()

  it('passes once', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    await assertPasses(provider, token)
    assertRejected(await provider.ask(token))
    assertRejected(await provider.ask(token))
    await assertPasses(provider, provider.mint(accountsPath))
  })

  it('passes once in a hundred concurrent requests', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    const answers = await Promise.all(Array.from({ length: 100 }, () => provider.ask(token)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) assertRejected(answer)
  })

  for (const [what, path, sent, status] of [
    ['a body that is not JSON', balancesPath, { method: 'POST', body: '{' }, 400],
    [
      'a body of another content type',
      balancesPath,
      { method: 'POST', body: 'x', type: 'text/plain' },
      415,
    ],
    ['an invalid parameter', `${accountsPath}?page=0`, {}, 400],
    ['an unknown customer', accountsPath.replace('c1', 'missing'), {}, 404],
  ] as const) {
    it(`that was used is a 401 even with ${what}`, async () => {
      const provider = await open()
      const token = provider.mint(path.split('?', 1)[0] ?? '')
      const { type = 'application/json', ...rest } = { type: undefined, ...sent }
      const headers = ['authorization', `Bearer ${token}`, 'content-type', type]
      const ask = () =>
        provider.send(path, { ...rest, headers: 'body' in rest ? headers : headers.slice(0, 2) })

      assert.equal((await ask()).status, status)
      assertRejected(await ask())
    })
  }

  it('does not pass with the jti of another, for the same resource or a different one', async () => {
    const provider = await open()
    const jti = randomUUID()

    await assertPasses(provider, provider.mint(accountsPath, { jti }))
    assertRejected(
      await provider.ask(provider.mint(accountsPath, { jti, exp: provider.now() + 999 })),
    )
    const path = accountsPath.replace('c1', 'c2')
    assertRejected(await provider.ask(provider.mint(path, { jti }), path))
    await assertPasses(provider, provider.mint(path), path)
  })

  it('passes once if two concurrent tokens have the same jti', async () => {
    const provider = await open()
    const jti = randomUUID()
    const tokens = [1, 2].map((extra) =>
      provider.mint(accountsPath, { jti, exp: provider.now() + extra }),
    )

    const answers = await Promise.all(tokens.map((token) => provider.ask(token)))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
  })

  it('is not used up by a forgery with its jti', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath, { jti: 'precious' })
    const [head, body] = splitToken(token)
    const jti = 'precious'
    const forgeries = [
      `${head}.${body}.${splitToken(provider.mint(accountsPath))[2]}`,
      provider.mint(accountsPath, { jti }, {}, makeKey('ES256', 'k1')),
      provider.mint(accountsPath, { jti }, { alg: 'none' }),
      provider.mint(accountsPath, { jti }, { kid: 'unknown' }),
      provider.mint(accountsPath, { jti, exp: provider.now() - 60 }),
      provider.mint(accountsPath, { jti, iss: 'other' }),
      provider.mint(accountsPath, { jti, sub: 'other' }),
      provider.mint(accountsPath, { jti, aud: publicUrl }),
      provider.mint(balancesPath, { jti }),
      provider.mint(accountsPath, { jti, nbf: provider.now() + 60 }),
    ]

    for (const forgery of forgeries) assertRejected(await provider.ask(forgery))
    assert.ok(!(await provider.usedTokenIds()).includes('precious'))
    await assertPasses(provider, token)
    assert.ok((await provider.usedTokenIds()).includes('precious'))
  })

  it('is recorded on disk before the response is sent', async () => {
    const provider = await open()

    for (let round = 0; round < 20; round += 1) {
      const jti = randomUUID()
      await assertPasses(provider, provider.mint(accountsPath, { jti }))
      assert.ok((await provider.usedTokenIds()).includes(jti))
    }
  })
})

describe('a used token', () => {
  it('is rejected until it expires, clock tolerance included', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    const start = provider.now()
    const token = provider.mint(accountsPath, { exp: start + 60, jti: 'used' })
    const unused = provider.mint(accountsPath, { exp: start + 60, jti: 'unused' })
    await assertPasses(provider, token)

    for (const later of [59, 60, 61, 60 + tolerance - 1, 60 + tolerance - 0.001]) {
      provider.setClock(start + later)
      t.mock.timers.tick(5000)
      assertRejected(await provider.ask(token))
    }
    assert.deepEqual(await provider.usedTokenIds(), ['used'])
    await assertPasses(provider, unused)

    provider.setClock(start + 60 + tolerance)
    t.mock.timers.tick(5000)
    assertRejected(await provider.ask(token))
  })

  it('with a fraction in its exp is rejected until it expires', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    const exp = provider.now() + 10.25
    const token = provider.mint(accountsPath, { exp })
    await assertPasses(provider, token)

    provider.setClock(exp + tolerance - 0.001)
    t.mock.timers.tick(5000)

    assertRejected(await provider.ask(token))
    await assertPasses(provider, provider.mint(accountsPath, { exp }))
  })

  it('is purged once it has expired', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    const start = provider.now()
    await assertPasses(provider, provider.mint(accountsPath, { jti: 'short', exp: start + 10 }))
    await assertPasses(provider, provider.mint(accountsPath, { jti: 'long', exp: start + 1000 }))

    // The clock of another process may be a minute behind.
    provider.setClock(start + 10 + tolerance + 59)
    t.mock.timers.tick(1000)
    await assertPasses(provider, provider.mint(accountsPath, { jti: 'other' }))
    assert.deepEqual(await provider.usedTokenIds(), ['long', 'other', 'short'])

    provider.setClock(start + 10 + tolerance + 62)
    t.mock.timers.tick(1000)
    await until(async () => (await provider.usedTokenIds()).length === 2)
    assert.deepEqual(await provider.usedTokenIds(), ['long', 'other'])
  })
})

describe('the replay store', () => {
  it('purges in small steps', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const database = await newDatabase(t)
    let now = Temporal.Instant.fromEpochMilliseconds(0)
    const store = await openReplayStore(database, () => now, { settleMs: 0 })
    const ids = Array.from({ length: 2500 }, (_, index) => `id-${index}`)
    await Promise.all(ids.map((id) => store.recordUse(id, 100)))
    now = Temporal.Instant.fromEpochMilliseconds(200_000)

    const count = async () => (await usedTokenIds(database)).length
    const left = [await count()]
    while (left.at(-1) !== 0) {
      await until(async () => {
        t.mock.timers.tick(100)
        return (await count()) !== left.at(-1)
      })
      left.push(await count())
    }
    await store.close()

    // PostgreSQL runs all steps one after another; none of them blocks other requests.
    const steps = currentEngine() === 'sqlite' ? left.slice(1).entries() : []
    for (const [index, count] of steps) {
      assert.ok((left[index] ?? 0) - count <= 1000, `${left}`)
    }
    assert.deepEqual([left.at(0), left.at(-1)], [2500, 0])
  })

  it('reports one first use if two stores share a database', async (t) => {
    const database = await newDatabase(t)
    const clock = () => Temporal.Instant.fromEpochMilliseconds(0)
    const stores = [await openReplayStore(database, clock), await openReplayStore(database, clock)]
    const ids = Array.from({ length: 200 }, (_, index) => `id-${index}`)

    const outcomes = await Promise.all(
      ids.flatMap((id) => stores.map((store) => store.recordUse(id, 100))),
    )
    for (const store of stores) await store.close()

    assert.equal(outcomes.filter((outcome) => outcome === 'first use').length, ids.length)
    assert.deepEqual(await usedTokenIds(database), ids.sort())
  })

  it('keeps its records when it is closed, including pending ones', async (t) => {
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

  it('survives a failed purge', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const database = await newDatabase(t)
    const store = await openReplayStore(database, () => Temporal.Instant.fromEpochMilliseconds(0))
    t.after(() => store.close())
    await queryReplayRecords(database, 'drop table token_use')

    // An exception in a timer would end the process.
    assert.doesNotThrow(() => t.mock.timers.tick(1000))
  })

  it('fails if it cannot write, and never lets the token pass', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    const token = provider.mint(accountsPath)
    await queryReplayRecords(provider.database, 'drop table token_use')

    const answer = await provider.ask(token)

    assert.ok(answer.status >= 500, String(answer.status))
    assert.doesNotMatch(answer.text, /a1|token_use|SQL/i)
  })
})
