import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { createPrivateFile } from '../../src/storage/sqlite/driver/files.ts'
import { openSqliteReplayStore } from '../../src/storage/sqlite/replay/replay-store.ts'
import { describeOn } from '../support/engines.ts'
import { temporaryFolder } from './processes.ts'
import {
  accountsPath,
  assertPasses,
  assertRefused,
  claimedIds,
  openWorld,
  type World,
} from './world.ts'

/** Holds the file as another process does that is in the middle of writing. */
function hold(t: TestContext, file: string): { release(): void } {
  const database = new DatabaseSync(file)
  database.exec('begin immediate')
  t.after(() => database.close())
  return { release: () => database.exec('rollback') }
}

function claimsFile({ database }: Pick<World, 'database'>): string {
  return `${database.slice('sqlite:'.length)}-claims`
}

async function openStore(t: TestContext, clock = () => Temporal.Instant.fromEpochMilliseconds(0)) {
  const database = `sqlite:${join(await temporaryFolder(t), 'bank.db')}`
  const file = claimsFile({ database })
  createPrivateFile(file)
  return { file, database, store: openSqliteReplayStore(file, clock, { settleMs: 0 }) }
}

/** A second passes whenever somebody looks. */
function hurry(t: TestContext): void {
  let now = performance.now()
  t.mock.method(performance, 'now', () => {
    now += 1000
    return now
  })
}

describeOn('sqlite', 'while another process holds the record of spent tokens', () => {
  it('others are served, and a token passes as soon as it can be written', async (t) => {
    const world = await openWorld(t)
    await assertPasses(world, world.mint(accountsPath))
    const token = world.mint(accountsPath)
    const held = hold(t, claimsFile(world))

    const answers = Promise.all([world.ask(token), world.ask(token)])
    for (let turn = 0; turn < 10; turn += 1) {
      assertRefused(await world.send(accountsPath), 'Bearer')
    }
    held.release()

    assert.deepEqual((await answers).map(({ status }) => status).sort(), [200, 401])
  })

  it('a token that waits too long is a 503, and not spent', async (t) => {
    const world = await openWorld(t)
    await assertPasses(world, world.mint(accountsPath))
    const token = world.mint(accountsPath)
    const held = hold(t, claimsFile(world))
    hurry(t)

    const { status, text, headers } = await world.ask(token)
    held.release()

    assert.deepEqual([status, text], [503, '{"error":"Service unavailable"}'])
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    await assertPasses(world, token)
  })

  it('only those that have waited too long are given up', async (t) => {
    const { file, database, store } = await openStore(t)
    const held = hold(t, file)
    let now = 0
    t.mock.method(performance, 'now', () => now)

    const early = store.recordUse('early', 100)
    now = 4999
    const late = store.recordUse('late', 100)
    now = 5000
    await assert.rejects(early, /locked/)
    held.release()

    assert.equal(await late, 'first use')
    await store.close()
    assert.deepEqual(await claimedIds(database), ['late'])
  })

  it('what waits is written in the end, though the store is being closed', async (t) => {
    const { file, database, store } = await openStore(t)
    const held = hold(t, file)

    const claim = store.recordUse('id', 100)
    const closed = store.close()
    held.release()

    assert.equal(await claim, 'first use')
    await closed
    assert.deepEqual(await claimedIds(database), ['id'])
  })

  it('nothing is forgotten, and nobody waits for that', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    let now = Temporal.Instant.fromEpochMilliseconds(0)
    const { file, database, store } = await openStore(t, () => now)
    await store.recordUse('id', 100)
    now = Temporal.Instant.fromEpochMilliseconds(200_000)
    const held = hold(t, file)

    t.mock.timers.tick(1000)
    assert.deepEqual(await claimedIds(database), ['id'])
    held.release()
    t.mock.timers.tick(1000)
    assert.deepEqual(await claimedIds(database), [])
    await store.close()
  })
})

describeOn('sqlite', 'the record of spent tokens', () => {
  it('takes claims after one that failed', async (t) => {
    const { file, store } = await openStore(t)
    const database = new DatabaseSync(file)
    database.exec('alter table claim rename to away')
    await assert.rejects(store.recordUse('id', 100), /no such table/)
    database.exec('alter table away rename to claim')
    database.close()

    assert.equal(await store.recordUse('id', 100), 'first use')
    assert.equal(await store.recordUse('id', 100), 'used before')
    await store.close()
  })

  it('refuses claims once it is closed', async (t) => {
    const { store } = await openStore(t)
    await store.close()

    await assert.rejects(store.recordUse('id', 100), /finalized/)
  })
})
