import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../test/support/until.ts'
import { ContractError } from '../contract/index.ts'
import { openCommitQueue } from './commit-queue.ts'
import type { BatchKey, BatchOutcome, FeedBatch } from './feed-writer.ts'
import type { LocatedItem } from './writer.ts'

const limits = { batchesMax: 3, bytesMax: 100 }

function makeBatch(feed: string, number = 1, ...items: LocatedItem[]): FeedBatch & BatchKey {
  return { feed, number, digest: '', lines: number, items }
}

function makeEntry(time: bigint): LocatedItem {
  const keys = { list: 'transaction', accountId: 'a', id: 't' } as const
  return { type: 'entry', ...keys, time, hasOwnTime: true, record: '{}', file: 0, line: 1 }
}

/** Each commit waits until the test ends it, with an error or with the number of each batch as its lines. */
function openManualWriter() {
  const commits: { readonly batches: readonly string[]; end(error?: Error): void }[] = []
  return {
    commits,
    commit(batches: readonly FeedBatch[]): Promise<BatchOutcome[]> {
      const { promise, resolve, reject } = Promise.withResolvers<BatchOutcome[]>()
      const counts = { created: 0, changed: 0, unchanged: 0, deleted: 0 }
      commits.push({
        batches: batches.map(({ feed, number }) => `${feed}${number}`),
        end(error) {
          if (error) reject(error)
          else resolve(batches.map(({ lines }) => ({ result: { lines, ...counts } })))
        },
      })
      return promise
    },
  }
}

async function openQueue(readWaitMs = 0, isReading = (): boolean => false) {
  const writer = openManualWriter()
  let count = 0
  const onCommit = () => (count += 1)
  const queue = openCommitQueue(writer, { onCommit, isReading }, { ...limits, readWaitMs })
  const first = queue.commit(makeBatch('first'), 1)
  await until(() => writer.commits.length === 1)
  /** The batches of the commit with this index, once it has started. */
  const waitForCommit = async (index: number) => {
    await until(() => writer.commits.length > index)
    return writer.commits[index]?.batches
  }
  return { writer, queue, first, waitForCommit, countCommits: () => count }
}

describe('the commit queue', () => {
  it('commits batches that arrive during a commit together in the next one', async () => {
    const { writer, queue, first, waitForCommit, countCommits } = await openQueue()
    const others = [queue.commit(makeBatch('a'), 1), queue.commit(makeBatch('b', 7), 1)]
    writer.commits[0]?.end()

    assert.deepEqual(await waitForCommit(1), ['a1', 'b7'])
    writer.commits[1]?.end()
    const outcomes = await Promise.all([first, ...others])
    assert.deepEqual(
      outcomes.map((outcome) => 'result' in outcome && outcome.result.lines),
      [1, 1, 7],
    )
    assert.equal(countCommits(), 2)
  })

  it('waits for batches that are being read, so that they share the commit', async () => {
    let isReading = false
    let reads = 0
    const { writer, queue, waitForCommit } = await openQueue(60_000, () => {
      reads += 1
      return isReading
    })
    isReading = true
    queue.commit(makeBatch('a'), 1)
    writer.commits[0]?.end()
    const before = reads
    await until(() => reads > before + 1)
    queue.commit(makeBatch('b'), 1)
    isReading = false

    assert.deepEqual(await waitForCommit(1), ['a1', 'b1'])
  })

  it('does not wait longer than the limit for batches that are being read', async () => {
    const { writer, queue, waitForCommit } = await openQueue(1, () => true)
    queue.commit(makeBatch('a'), 1)
    writer.commits[0]?.end()

    assert.deepEqual(await waitForCommit(1), ['a1'])
  })

  it('never commits two batches of a feed together, and keeps their order', async () => {
    const { writer, queue, waitForCommit } = await openQueue()
    for (const number of [1, 2]) queue.commit(makeBatch('a', number), 1)
    queue.commit(makeBatch('b'), 1)
    writer.commits[0]?.end()

    assert.deepEqual(await waitForCommit(1), ['a1', 'b1'])
    writer.commits[1]?.end()
    assert.deepEqual(await waitForCommit(2), ['a2'])
  })

  it('commits the batch with the oldest entries first', async () => {
    const { writer, queue, waitForCommit } = await openQueue()
    const batches = [
      makeBatch('new', 1, makeEntry(2n)),
      makeBatch('old', 1, makeEntry(1n)),
      makeBatch('none'),
    ]
    for (const batch of batches) queue.commit(batch, 1)
    writer.commits[0]?.end()

    assert.deepEqual(await waitForCommit(1), ['none1', 'old1', 'new1'])
  })

  it('limits the number of batches in a commit', async () => {
    const { writer, queue, waitForCommit } = await openQueue()
    for (const feed of ['a', 'b', 'c', 'd']) queue.commit(makeBatch(feed), 1)
    writer.commits[0]?.end()

    assert.deepEqual(await waitForCommit(1), ['a1', 'b1', 'c1'])
    writer.commits[1]?.end()
    assert.deepEqual(await waitForCommit(2), ['d1'])
  })

  it('limits the bytes in a commit, and commits a larger batch alone', async () => {
    const { writer, queue, waitForCommit } = await openQueue()
    for (const [feed, bytes] of Object.entries({ a: 60, b: 60, c: 400 })) {
      queue.commit(makeBatch(feed), bytes)
    }
    writer.commits[0]?.end()

    assert.deepEqual(await waitForCommit(1), ['a1'])
    writer.commits[1]?.end()
    assert.deepEqual(await waitForCommit(2), ['b1'])
    writer.commits[2]?.end()
    assert.deepEqual(await waitForCommit(3), ['c1'])
  })

  it('rejects the batches of a failed commit, and commits the others', async () => {
    const { writer, queue, first, waitForCommit } = await openQueue()
    const second = queue.commit(makeBatch('a'), 1)
    const failure = new ContractError('unavailable', 'the disk is full')
    writer.commits[0]?.end(failure)

    await assert.rejects(first, failure)
    assert.deepEqual(await waitForCommit(1), ['a1'])
    writer.commits[1]?.end()
    assert.ok('result' in (await second))
  })

  it('commits each batch of a group alone after an unexpected failure', async () => {
    const { writer, queue, waitForCommit } = await openQueue()
    const [bad, good] = ['a', 'b'].map((feed) => queue.commit(makeBatch(feed), 1))
    writer.commits[0]?.end()
    await waitForCommit(1)
    writer.commits[1]?.end(new TypeError('unexpected'))

    assert.deepEqual(await waitForCommit(2), ['a1'])
    const failure = new TypeError('unexpected again')
    writer.commits[2]?.end(failure)
    await assert.rejects(bad ?? Promise.resolve(), failure)
    assert.deepEqual(await waitForCommit(3), ['b1'])
    writer.commits[3]?.end()
    assert.ok('result' in ((await good) ?? {}))
  })

  it('rejects all batches of a group while the database is unavailable', async () => {
    const { writer, queue, waitForCommit } = await openQueue()
    const both = ['a', 'b'].map((feed) => queue.commit(makeBatch(feed), 1))
    writer.commits[0]?.end()
    await waitForCommit(1)
    const failure = new ContractError('unavailable', 'the disk is full')
    writer.commits[1]?.end(failure)

    for (const batch of both) await assert.rejects(batch, failure)
    assert.equal(writer.commits.length, 2)
  })

  it('commits everything in the queue before it closes, and rejects later batches', async () => {
    const { writer, queue, waitForCommit } = await openQueue()
    const waiting = queue.commit(makeBatch('a'), 1)
    let isClosed = false
    const closing = queue.close().then(() => (isClosed = true))

    await assert.rejects(queue.commit(makeBatch('b'), 1), { code: 'unavailable' })
    writer.commits[0]?.end()
    await waitForCommit(1)
    assert.equal(isClosed, false)
    writer.commits[1]?.end()
    await closing
    assert.ok('result' in (await waiting))
  })
})
