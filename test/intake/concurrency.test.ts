import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ContractError } from '../../src/contract/index.ts'
import type { FeedWriter } from '../../src/intake/feed-writer.ts'
import { put } from '../load/lines.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { openIntake, sharedIntake } from '../support/intake.ts'
import { dumpDatabase } from '../support/load.ts'
import { until } from '../support/until.ts'

const shared = sharedIntake()

/** Holds commits back until `release` is called. */
function openGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let waiting = 0
  const around = (writer: FeedWriter): FeedWriter => ({
    ...writer,
    async commit(batches) {
      waiting += 1
      await promise
      return writer.commit(batches)
    },
  })
  return { around, release: resolve, countWaiting: () => waiting }
}

describe('clients that send the same number at the same time', () => {
  it('get one commit and the same answer if their lines are equal', async () => {
    const { get, put: send } = await shared()
    const lines = [put.customer('c-equal')]
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('equal', 1, lines)))

    const result = { feed: 'equal', batch: 1, lines: 1, created: 1 }
    for (const { status, body } of answers) {
      assert.deepEqual([status, body], [200, { ...result, changed: 0, unchanged: 0, deleted: 0 }])
    }
    assert.equal((await get('/v1/feeds/equal')).body.lines, 1)
  })

  it('get one commit and a conflict if their lines differ', async () => {
    const { database, get, put: send } = await shared()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => send('race', 1, [put.customer(`c-race-${at}`)])),
    )

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
    assert.ok(answers.every(({ status, body }) => status === 200 || body.expected === 2))
    const committed = (await dumpDatabase(database)).match(/"c-race-\d"/g) ?? []
    assert.deepEqual(committed, [`"c-race-${answers.findIndex(({ status }) => status === 200)}"`])
    assert.equal((await get('/v1/feeds/race')).body.batch, 1)
  })
})

describe('a number that another process has used', () => {
  it('is a conflict, whatever the lines are', async (t) => {
    const { database, put: send, token } = await shared()
    const other = await openIntake(t, { database })
    const sendToOther: typeof send = (feed, number, lines) =>
      other.put(feed, number, lines, { authorization: `Bearer ${token}` })
    assert.equal((await send('moved', 1, [put.customer('c-moved')])).status, 200)
    assert.equal((await sendToOther('moved', 2, [put.customer('c-moved')])).status, 200)

    for (const line of ['{}', put.customer('c-other'), put.balance('a-unknown')]) {
      const { status, body } = await send('moved', 2, [line])
      assert.deepEqual([status, body.expected], [409, 3], line)
    }
    assert.equal((await send('moved', 2, [put.customer('c-moved')])).status, 200)
    assert.equal((await send('moved', 3, ['{}'])).status, 422)
  })
})

describe('batches of several feeds', () => {
  it('share a commit if they arrive during another', async (t) => {
    const gate = openGate()
    const { commits, put: send } = await openIntake(t, { around: gate.around })
    const first = send('first', 1, [put.customer('c-first')])
    await until(() => gate.countWaiting() === 1)
    const others = Array.from({ length: 20 }, (_, at) =>
      send(`f${at}`, 1, at === 7 ? [put.balance('a-none')] : [put.customer(`c-${at}`)]),
    )
    // Each has passed the check of its number, and waits.
    const outsider = await send('first', 5, [])
    gate.release()
    const statuses = (await Promise.all([first, ...others])).map(({ status }) => status)

    assert.equal(outsider.status, 409)
    assert.deepEqual(statuses, [
      200,
      ...Array.from({ length: 20 }, (_, at) => (at === 7 ? 422 : 200)),
    ])
    assert.ok(commits.length <= 10, `${commits.length} commits`)
    assert.equal(
      commits.reduce((sum, count) => sum + count),
      21,
    )
  })

  it('are answered with a 503 if their commit fails, and can be sent again', async (t) => {
    let isFailing = true
    const { log, put: send } = await openIntake(t, {
      around: (writer) => ({
        ...writer,
        commit: (batches) =>
          isFailing
            ? Promise.reject(new ContractError('unavailable', 'the disk is full'))
            : writer.commit(batches),
      }),
    })
    const lines = [put.customer('c1')]
    const failed = await send('a', 1, lines)
    isFailing = false
    const repeated = await send('a', 1, lines)

    assert.deepEqual([failed.status, failed.body], [503, { error: 'Service unavailable' }])
    assert.equal(failed.headers['retry-after'], '1')
    assert.ok(log.some((line) => line.includes('the disk is full')))
    assert.deepEqual([repeated.status, repeated.body.created], [200, 1])
  })
})

describeOnce('a shutdown', () => {
  it('commits the batches in the queue before the database is closed', async (t) => {
    const gate = openGate()
    const { close, database, put: send } = await openIntake(t, { around: gate.around })
    const answers = ['a', 'b', 'c'].map((feed) =>
      send(feed, 1, [put.customer(`c-${feed}`)]).then(
        ({ status }) => status,
        // The test closes connections without the grace period of a server.
        () => 0,
      ),
    )
    await until(() => gate.countWaiting() === 1)
    const closing = close()
    gate.release()
    await closing
    const committed = (await dumpDatabase(database)).match(/"c-[abc]"/g) ?? []

    const statuses = await Promise.all(answers)
    assert.ok(committed.length >= statuses.filter((status) => status === 200).length)
    assert.ok(committed.length >= 1)
  })
})
