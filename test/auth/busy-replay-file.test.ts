import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { createPrivateFile } from '../../src/storage/sqlite/driver/files.ts'
import { openSqliteReplayStore } from '../../src/storage/sqlite/replay/replay-store.ts'
import { describeOn } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { accountsPath } from '../support/small-bank.ts'
import {
  assertPasses,
  assertRejected,
  openTokenProvider,
  type TokenProvider,
  usedTokenIds,
} from '../support/token-provider.ts'

/** Locks the file as another process does while it writes. */
function lock(t: TestContext, file: string): { release(): void } {
  const database = new DatabaseSync(file)
  database.exec('begin immediate')
  t.after(() => database.close())
  return { release: () => database.exec('rollback') }
}

function replayPath({ database }: Pick<TokenProvider, 'database'>): string {
  return `${database.slice('sqlite:'.length)}-replay`
}

async function openStore(t: TestContext, clock = () => Temporal.Instant.fromEpochMilliseconds(0)) {
  const database = `sqlite:${join(await temporaryFolder(t), 'bank.db')}`
  const file = replayPath({ database })
  createPrivateFile(file)
  return { file, database, store: openSqliteReplayStore(file, clock, { settleMs: 0 }) }
}

/** Each reading of the clock is a second later than the one before. */
function speedUpClock(t: TestContext): void {
  let now = performance.now()
  t.mock.method(performance, 'now', () => {
    now += 1000
    return now
  })
}

describeOn('sqlite', 'while another process locks the replay file', () => {
  it('serves other requests, and accepts a token once its use is recorded', async (t) => {
    const provider = await openTokenProvider(t)
    await assertPasses(provider, provider.mint(accountsPath))
    const token = provider.mint(accountsPath)
    const locked = lock(t, replayPath(provider))

    const answers = Promise.all([provider.ask(token), provider.ask(token)])
    for (let round = 0; round < 10; round += 1) {
      assertRejected(await provider.send(accountsPath), 'Bearer')
    }
    locked.release()

    assert.deepEqual((await answers).map(({ status }) => status).sort(), [200, 401])
  })

  it('answers 503 when a token waits too long, and leaves it unused', async (t) => {
    const provider = await openTokenProvider(t)
    await assertPasses(provider, provider.mint(accountsPath))
    const token = provider.mint(accountsPath)
    const locked = lock(t, replayPath(provider))
    speedUpClock(t)

    const { status, text, headers } = await provider.ask(token)
    locked.release()

    assert.deepEqual([status, text], [503, '{"error":"Service unavailable"}'])
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    await assertPasses(provider, token)
  })

  it('rejects only the uses that waited too long', async (t) => {
    const { file, database, store } = await openStore(t)
    const locked = lock(t, file)
    let now = 0
    t.mock.method(performance, 'now', () => now)

    const early = store.recordUse('early', 100)
    now = 4999
    const late = store.recordUse('late', 100)
    now = 5000
    await assert.rejects(early, /locked/)
    locked.release()

    assert.equal(await late, 'first use')
    await store.close()
    assert.deepEqual(await usedTokenIds(database), ['late'])
  })

  it('records a waiting use before the store closes', async (t) => {
    const { file, database, store } = await openStore(t)
    const locked = lock(t, file)

    const use = store.recordUse('id', 100)
    const closed = store.close()
    locked.release()

    assert.equal(await use, 'first use')
    await closed
    assert.deepEqual(await usedTokenIds(database), ['id'])
  })

  it('purges nothing, and blocks no use', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    let now = Temporal.Instant.fromEpochMilliseconds(0)
    const { file, database, store } = await openStore(t, () => now)
    await store.recordUse('id', 100)
    now = Temporal.Instant.fromEpochMilliseconds(200_000)
    const locked = lock(t, file)

    t.mock.timers.tick(1000)
    assert.deepEqual(await usedTokenIds(database), ['id'])
    locked.release()
    t.mock.timers.tick(1000)
    assert.deepEqual(await usedTokenIds(database), [])
    await store.close()
  })
})

describeOn('sqlite', 'the replay store', () => {
  it('records uses after one that failed', async (t) => {
    const { file, store } = await openStore(t)
    const database = new DatabaseSync(file)
    database.exec('alter table token_use rename to moved')
    await assert.rejects(store.recordUse('id', 100), /no such table/)
    database.exec('alter table moved rename to token_use')
    database.close()

    assert.equal(await store.recordUse('id', 100), 'first use')
    assert.equal(await store.recordUse('id', 100), 'used before')
    await store.close()
  })

  it('rejects uses once it is closed', async (t) => {
    const { store } = await openStore(t)
    await store.close()

    await assert.rejects(store.recordUse('id', 100), /not open/)
  })
})
