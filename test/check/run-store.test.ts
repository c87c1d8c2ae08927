import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { NewRun } from '../../src/platform/check-runs/store.ts'
import { openCheckRunStore } from '../../src/storage/open.ts'
import { createScope, describe, newDatabase } from '../support/engines.ts'
import { openPlatform } from '../support/platform.ts'

const noon = Date.parse('2026-07-01T00:00:00Z')
const makeRun = (number: number): NewRun => ({
  id: `run-${number}`,
  profile: 'full',
  groups: undefined,
  startedBy: 'operators ä',
  startedAt: noon + number,
})
const progress = { done: 1, total: 2, passed: 1, failed: 0, skipped: 0 }

describe('a run of checks in the database', () => {
  it('is interrupted once its process has not written for ten seconds', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const store = await openCheckRunStore(database)
    scope.after(() => store.close())
    const platform = await openPlatform(scope, { database })
    const token = await platform.issueToken(await platform.register(['operations.read']))
    const list = async () =>
      (await platform.get('/v1/checks', { authorization: `Bearer ${token}` })).body.data

    const first = await store.start(makeRun(0), noon - 10_000)
    const isAlive = await store.update('run-0', progress, noon)
    platform.setClock('2026-07-01T00:00:10Z')
    const [alive] = await list()
    const refused = await store.start(makeRun(1), noon)
    platform.setClock('2026-07-01T00:00:11Z')
    const [lost] = await list()
    const started = await store.start(makeRun(2), noon + 1)
    const isAliveAgain = await store.update('run-0', progress, noon + 5000)
    await store.end('run-0', { state: 'completed', progress, report: '{}' }, noon + 6000)

    assert.deepEqual([first, isAlive, alive.state, refused], [undefined, true, 'running', 'run-0'])
    assert.deepEqual(
      [lost.state, lost.report, started, isAliveAgain],
      ['interrupted', undefined, undefined, false],
    )
    assert.partialDeepStrictEqual(await store.read('run-0'), {
      state: 'interrupted',
      progress,
      startedBy: 'operators ä',
    })
  })

  it('is stored with the last ten by the order of their starts, even if the clock was set back', async (t) => {
    const database = await newDatabase(t)
    const store = await openCheckRunStore(database)
    for (let number = 12; number >= 1; number -= 1) {
      await store.start(makeRun(number), noon)
      await store.end(`run-${number}`, { state: 'error', progress, error: 'no' }, noon)
    }
    const runs = await store.list()
    await store.close()

    assert.deepEqual(
      runs.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => `run-${number}`),
    )
  })

  it('is stored with the last ten, of which one can run at a time', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    const stores = await Promise.all([1, 2, 3].map(() => openCheckRunStore(database)))
    scope.after(async () => {
      for (const store of stores) await store.close()
    })
    const [store = assert.fail()] = stores

    for (let number = 1; number <= 12; number += 1) {
      await store.start(makeRun(number), noon)
      await store.end(`run-${number}`, { state: 'error', progress, error: 'no' }, noon)
    }
    const answers = await Promise.all(
      stores.flatMap((each, index) => [
        each.start(makeRun(20 + index), noon),
        each.start(makeRun(30 + index), noon),
      ]),
    )
    const runs = await store.list()

    const [winner] = new Set(answers.filter((answer) => answer !== undefined))
    assert.equal(answers.filter((answer) => answer === undefined).length, 1)
    assert.deepEqual(
      runs.map(({ id }) => id),
      [winner, ...[12, 11, 10, 9, 8, 7, 6, 5, 4].map((number) => `run-${number}`)],
    )
    assert.equal(await store.read('run-3'), undefined)
  })
})
