import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import pg from 'pg'
import { openSharedClock } from '../../src/platform/consent/shared-clock.ts'
import { secretNames } from '../../src/platform/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import {
  createScope,
  currentEngine,
  describe,
  describeOn,
  listSessions,
  newDatabase,
  shareOnEachEngine,
} from '../support/engines.ts'
import { until } from '../support/until.ts'
import { after, now, openStores } from './stores.ts'

const candidates = [{ customerId: 'c1', hash: 'h' }]
const challenge = { candidates, expires: after(300) }
const triesMax = 3

const storesOnEachEngine = shareOnEachEngine(openStores)

describe('a passcode challenge', () => {
  it('counts concurrent tries of several processes before they are compared', async () => {
    const key = randomUUID()
    const stores = await storesOnEachEngine()
    await stores[0].passcodes.issue(key, challenge, now, now)

    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores[index % 2 ? 1 : 0].passcodes.takeTry(key, triesMax, after(1)),
      ),
    )

    const allowed = tries.filter((result) => result !== undefined)
    assert.deepEqual(allowed.map(({ triesLeft }) => triesLeft).sort(), [0, 1, 2])
    assert.deepEqual(allowed[0]?.candidates, candidates)
  })

  it('is used once', async () => {
    const key = randomUUID()
    const stores = await storesOnEachEngine()
    await stores[0].passcodes.issue(key, challenge, now, now)

    const uses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => stores[index % 2 ? 1 : 0].passcodes.use(key)),
    )

    assert.equal(uses.filter(Boolean).length, 1)
    assert.equal(await stores[1].passcodes.takeTry(key, triesMax, after(1)), undefined)
    assert.equal(await stores[1].passcodes.use('unknown'), false)
  })

  it('expires', async () => {
    const key = randomUUID()
    const [{ passcodes }] = await storesOnEachEngine()
    await passcodes.issue(key, challenge, now, now)

    assert.ok(await passcodes.takeTry(key, triesMax, after(299)))
    assert.equal(await passcodes.takeTry(key, triesMax, after(300)), undefined)
    assert.equal(await passcodes.takeTry('unknown', triesMax, now), undefined)
  })

  it('is replaced after the time to resend, with new tries', async () => {
    const key = randomUUID()
    const [{ passcodes }] = await storesOnEachEngine()
    await passcodes.issue(key, challenge, now, now)
    for (let count = 0; count < triesMax; count += 1) await passcodes.takeTry(key, triesMax, now)
    const other = { candidates: [{ customerId: 'c1', hash: 'h2' }], expires: after(330) }

    assert.equal(await passcodes.isIssuedAfter(key, after(-1)), true)
    assert.equal(await passcodes.issue(key, other, after(29), after(-1)), false)
    assert.equal(await passcodes.takeTry(key, triesMax, after(29)), undefined)
    assert.equal(await passcodes.isIssuedAfter(key, now), false)
    assert.equal(await passcodes.issue(key, other, after(30), now), true)

    const taken = await passcodes.takeTry(key, triesMax, after(329))
    assert.deepEqual(taken, { ...other, triesLeft: 2 })
  })
})

describe('an attempt limit', () => {
  it('allows its capacity over all processes, and one more with each refill', async () => {
    const key = randomUUID()
    const stores = await storesOnEachEngine()
    const limit = { capacity: 5, refillMs: 10_000 }
    const take = async (seconds: number, count: number) => {
      const taken = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          stores[index % 2 ? 1 : 0].limits.take(key, limit, after(seconds)),
        ),
      )
      return taken.filter(Boolean).length
    }

    assert.equal(await take(0, 12), 5)
    assert.equal(await take(9.999, 2), 0)
    assert.equal(await take(10, 3), 1)
    assert.equal(await take(40, 9), 3)
    assert.equal(await take(1000, 9), 5)
    assert.equal(await stores[0].limits.take('other', limit, after(1000)), true)
  })

  it('allows what was refunded, and not more than its capacity', async () => {
    const key = randomUUID()
    const [{ limits }] = await storesOnEachEngine()
    const limit = { capacity: 2, refillMs: 10_000 }
    const take = () => limits.take(key, limit, now)
    assert.deepEqual([await take(), await take(), await take()], [true, true, false])

    await limits.refund(key, limit, now)
    assert.deepEqual([await take(), await take()], [true, false])

    for (let count = 0; count < 3; count += 1) await limits.refund(key, limit, now)
    assert.deepEqual([await take(), await take(), await take()], [true, true, false])
  })
})

describeOn('postgres', 'an attempt that waits for another', () => {
  it('blocks no third one: it has purged nothing yet, so that there is no deadlock', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const store = await openConsentStore(database)
    scope.after(() => store.close())
    const limit = { capacity: 5, refillMs: 1000 }
    for (const key of ['k1', 'k2']) await store.limits.take(key, limit, now)
    const other = new pg.Client({ connectionString: database })
    await other.connect()
    scope.after(() => other.end())
    await other.query(`begin; insert into attempt_limit values ('k3', 0)`)

    const waiting = store.limits.take('k3', limit, after(60))
    await until(async () => (await listSessions(database, `wait_event_type = 'Lock'`)).length === 1)
    assert.equal(await store.limits.take('k1', limit, after(60)), true)

    await other.query('rollback')
    assert.equal(await waiting, true)
  })
})

describe('the clock of the consent role', () => {
  it('is that of the database server, which its processes share', async () => {
    const [store] = await storesOnEachEngine()
    const isNow = (time: Temporal.Instant) =>
      Math.abs(time.epochMilliseconds - Date.now()) < 600_000

    assert.equal(store.readTime !== undefined, currentEngine() === 'postgres')
    if (store.readTime) assert.ok(isNow(await store.readTime()))
    // The clock of this machine is wrong.
    const clock = await openSharedClock(store, () => now)
    assert.equal(isNow(clock()), currentEngine() === 'postgres')
    const readTime = async () => assert.fail('the database does not respond')
    assert.equal((await openSharedClock({ readTime }, () => now))(), now)
  })
})

describe('a secret of the consent role', () => {
  it('is created once and is the same in every process', async () => {
    const stores = await storesOnEachEngine()

    const values = await Promise.all(
      Array.from({ length: 10 }, (_, index) => stores[index % 2 ? 1 : 0].readSecret('cookies')),
    )

    assert.equal(new Set(values.map((value) => value.toString('hex'))).size, 1)
    assert.equal(values[0]?.length, 32)
    const all = await Promise.all(secretNames.map((name) => stores[0].readSecret(name)))
    assert.equal(new Set(all.map((value) => value.toString('hex'))).size, secretNames.length)
  })
})
