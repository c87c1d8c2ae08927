import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pg from 'pg'
import type { ReplayStore } from '../../src/auth/replay-store.ts'
import type { ReplayOptions } from '../../src/storage/database.ts'
import { openReplayStore } from '../../src/storage/open.ts'
import {
  createScope,
  describe,
  describeOn,
  listSessions,
  newDatabase,
  runSql,
  type Scope,
} from '../support/engines.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertPasses,
  assertRejected,
  openTokenProvider,
  usedTokenIds,
} from '../support/token-provider.ts'
import { until } from '../support/until.ts'

const minute = 60
const tolerance = 30
const settleSeconds = 10 * minute

/** A wall clock and a monotonic clock that the test controls, in seconds. */
function openClock(start = 1_000_000) {
  let [wall, elapsed] = [start, 0]
  return {
    clock: () => Temporal.Instant.fromEpochMilliseconds(wall * 1000),
    monotonicMs: () => elapsed * 1000,
    now: () => wall,
    step(seconds: number) {
      wall += seconds
    },
    pass(seconds: number) {
      wall += seconds
      elapsed += seconds
    },
  }
}

type Clock = ReturnType<typeof openClock>

async function openStore(
  scope: Scope,
  database: string,
  { clock, monotonicMs }: Clock,
  options: ReplayOptions = {},
): Promise<ReplayStore> {
  const store = await openReplayStore(database, clock, { monotonicMs, ...options })
  scope.after(() => store.close().catch(() => {}))
  return store
}

/** Runs the timers of all stores until only these ids are left. */
async function purgeDownTo(t: TestContext, database: string, left: readonly string[]) {
  for (let round = 0; round < 20_000; round += 1) {
    t.mock.timers.tick(1000)
    const ids = await usedTokenIds(database)
    if (ids.length === left.length && ids.every((id) => left.includes(id))) return
    await setImmediate()
  }
  assert.fail(`left: ${await usedTokenIds(database)}`)
}

describe('after a clock was ahead and has been set back', () => {
  it('accepts new tokens and no used one', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    const start = provider.now()
    const used = Array.from({ length: 40 }, () => provider.mint(accountsPath, { exp: start + 300 }))
    const unused = provider.mint(accountsPath, { exp: start + 300 })
    for (const token of used) await assertPasses(provider, token)

    provider.stepClock(start + 20 * minute)
    await purgeDownTo(t, provider.database, [])
    provider.stepClock(start)

    for (const token of [...used, unused]) assertRejected(await provider.ask(token))
    await assertPasses(provider, provider.mint(accountsPath, { exp: start + 301 }))
    provider.setClock(start + 1)
    await assertPasses(provider, provider.mint(accountsPath))
  })

  it('logs the condition once, and the reason for each request', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const provider = await openTokenProvider(t)
    const start = provider.now()
    await assertPasses(provider, provider.mint(accountsPath, { exp: start + 300 }))
    provider.stepClock(start + 20 * minute)
    await purgeDownTo(t, provider.database, [])
    provider.stepClock(start)

    for (let round = 0; round < 5; round += 1) {
      assertRejected(await provider.ask(provider.mint(accountsPath, { exp: start + 299 })))
    }

    const lines = provider.log.map((line) => JSON.parse(line) as Record<string, unknown>)
    const errors = lines.filter(({ level }) => Number(level) >= 50)
    assert.equal(errors.length, 1)
    assert.equal(errors[0]?.['until'], '2025-07-01T00:05:30Z')
    assert.match(
      String(errors[0]?.['msg']),
      /a clock that was ahead caused the replay records .* to be purged/,
    )
    const reasons = lines.filter(({ reason }) => reason === 'exp is before the last purge')
    assert.equal(reasons.length, 5)
  })

  it('rejects a used token in a store that is opened later', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const right = openClock()
    const wrong = openClock(right.now() + 365 * 24 * 60 * minute)
    const exp = right.now() + 300
    const first = await openStore(scope, database, right)
    assert.equal(await first.recordUse('id', exp + tolerance), 'first use')
    await first.close()

    const ahead = await openStore(scope, database, wrong, { settleMs: 0 })
    await ahead.recordUse('later', wrong.now() + 300)
    await purgeDownTo(t, database, ['later'])
    await ahead.close()
    const restarted = await openStore(scope, database, right)

    assert.equal(await restarted.recordUse('id', exp + tolerance), 'purged')
    assert.equal(await restarted.recordUse('other', exp + tolerance + 1), 'first use')
  })

  it('rejects a used token in a store whose own clock was always right', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const right = openClock()
    const wrong = openClock(right.now() + 20 * minute)
    const keptUntil = right.now() + 300 + tolerance
    const purgedUntil: number[] = []
    const user = await openStore(scope, database, right)
    const idle = await openStore(scope, database, right)
    assert.equal(await user.recordUse('id', keptUntil), 'first use')
    assert.equal(await idle.recordUse('first', keptUntil + 6000), 'first use')

    const ahead = await openStore(scope, database, wrong, { settleMs: 0 })
    assert.equal(await ahead.recordUse('second', keptUntil + 6000), 'first use')
    await purgeDownTo(t, database, ['first', 'second'])
    const late = await openStore(scope, database, right, {
      onPurgedToken: (until) => purgedUntil.push(until),
    })

    assert.equal(await late.recordUse('id', keptUntil), 'purged')
    assert.notEqual(await idle.recordUse('id', keptUntil), 'first use')
    assert.notEqual(await user.recordUse('id', keptUntil), 'first use')
    assert.equal(await late.recordUse('new', keptUntil + 1), 'first use')
    assert.deepEqual(purgedUntil, [keptUntil])
  })
})

describe('a clock that is set ahead', () => {
  it('purges nothing until it has stayed ahead for ten minutes, and is reported once', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const time = openClock()
    const steps: number[] = []
    const store = await openStore(scope, database, time, {
      onClockStep: (seconds) => steps.push(seconds),
    })
    t.mock.timers.tick(1000)
    time.pass(settleSeconds)
    t.mock.timers.tick(1000)
    const keptUntil = time.now() + 1000
    await store.recordUse('before', time.now() - 3600)
    await store.recordUse('used', keptUntil)

    time.step(20 * minute)
    for (let round = 0; round < 5; round += 1) {
      time.pass(settleSeconds / 6)
      t.mock.timers.tick(1000)
    }
    await purgeDownTo(t, database, ['used'])
    time.step(-20 * minute)

    assert.equal(await store.recordUse('used', keptUntil), 'used before')
    assert.deepEqual(steps, [20 * minute])
    time.pass(keptUntil)
    await purgeDownTo(t, database, [])
  })

  it('purges once it has stayed ahead', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const time = openClock()
    const store = await openStore(scope, database, time)
    t.mock.timers.tick(1000)
    time.pass(settleSeconds)
    t.mock.timers.tick(1000)
    await store.recordUse('used', time.now() + 300)

    time.step(20 * minute)
    t.mock.timers.tick(1000)
    time.pass(settleSeconds)

    await purgeDownTo(t, database, [])
  })

  it('does not purge right after the start of a process', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const right = openClock()
    const keptUntil = right.now() + 300
    const first = await openStore(scope, database, right)
    await first.recordUse('used', keptUntil)
    await first.close()

    const wrong = openClock(right.now() + 20 * minute)
    const second = await openStore(scope, database, wrong)
    for (let round = 0; round < 5; round += 1) {
      wrong.pass(settleSeconds / 6)
      t.mock.timers.tick(1000)
    }
    await second.close()

    assert.deepEqual(await usedTokenIds(database), ['used'])
  })
})

describeOn('postgres', 'the replay store', () => {
  it('rejects a token whose record a purge deletes while it is being recorded', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const time = openClock()
    const keptUntil = time.now() + 300
    const store = await openStore(scope, database, time)
    assert.equal(await store.recordUse('id', keptUntil), 'first use')
    const other = new pg.Client({ connectionString: database })
    await other.connect()
    scope.after(() => other.end())
    await other.query('begin')
    await other.query('delete from token_use')
    await other.query(`update replay_purge set purged_until = ${keptUntil}`)

    const outcome = store.recordUse('id', keptUntil)
    const waiting = () => listSessions(database, `wait_event_type = 'Lock'`)
    await until(async () => (await waiting()).length > 0)
    await other.query('commit')

    assert.equal(await outcome, 'purged')
  })

  it('is not purged by a clock that is ahead of the clock of the database', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const now = Math.floor(Date.now() / 1000)
    const ahead = openClock(now + 24 * 60 * minute)
    const store = await openStore(scope, database, ahead, { settleMs: 0 })
    await store.recordUse('recent', now + 60 * minute)
    await store.recordUse('old', now - 60 * minute)

    await purgeDownTo(t, database, ['recent'])

    assert.equal(await store.recordUse('recent', now + 60 * minute), 'used before')
  })

  it('stores the latest purge time of concurrent purges', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const time = openClock()
    const stores = await Promise.all(
      [1, 2, 3, 4].map(() => openStore(scope, database, time, { settleMs: 0 })),
    )
    const ids = Array.from({ length: 8000 }, (_, index) => `id-${index}`)
    const [first] = stores as [ReplayStore, ...ReplayStore[]]
    await Promise.all(ids.map((id, index) => first.recordUse(id, time.now() + index)))

    time.pass(20_000)
    await purgeDownTo(t, database, [])

    const rows = await runSql('select purged_until from replay_purge', database)
    assert.deepEqual(rows, [[`${1_000_000 + 7999}`]])
  })
})
