import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { it } from 'node:test'
import { feedsMax } from '../../src/intake/feed-writer.ts'
import { FeedConflict, follow } from '../../src/intake/follow/follow.ts'
import { fingerprint } from '../../src/intake/follow/position.ts'
import { tailFile } from '../../src/intake/follow/tail-file.ts'
import { createNdjsonSource } from '../../src/intake/lines.ts'
import { describe } from '../support/engines.ts'
import { commitOne, createBatch, openFeeds } from '../support/feed.ts'
import { openIntake } from '../support/intake.ts'
import { kill } from '../support/process.ts'
import { until } from '../support/until.ts'
import { type Bank, splitLines } from './bank.ts'
import {
  base,
  openWithData,
  readFeed,
  startFollower,
  toText,
  transactions,
  untilLines,
} from './follower.ts'

const lines = [...base, ...transactions(0, 200)]

/** Starts a follower that commits nothing yet, and waits until it has stored where it begins. */
async function startWaiting(bank: Bank) {
  const follower = startFollower(bank, '--feed', 'core', '--flush-ms', '3600000')
  await until(
    async () => (await readFeed(bank)) !== undefined || follower.child.exitCode !== null,
    () => follower.stdout() + follower.stderr(),
  )
  return follower
}

/** Rotates the file, and follows it again until all lines are committed. */
async function assertLoadedOnce(bank: Bank): Promise<void> {
  const file = bank.path('data.ndjson')
  const last = transactions(200, 1)
  renameSync(file, `${file}.1`)
  appendFileSync(file, toText(last))
  const again = startFollower(bank, '--feed', 'core')
  await untilLines(bank, lines.length + 1, again)
  await again.stop()

  assert.match(again.stderr(), /^following data\.ndjson$/m)
  assert.match(again.stdout(), /203 lines committed: 203 created, 0 changed, 0 unchanged/)
  assert.deepEqual(
    splitLines(await bank.dump()).toSorted(),
    [...lines, ...last].toSorted(),
    again.stderr(),
  )
}

describe('a follower that ends before its first commit', () => {
  it('loses no line of a file that is rotated before it is started again, if it was killed', async (t) => {
    const bank = await openWithData(t, lines)
    const follower = await startWaiting(bank)

    await kill(follower.child)

    assert.equal((await readFeed(bank))?.lines, 0)
    await assertLoadedOnce(bank)
  })

  it('loses no line that is written and rotated before it is started again, if it was stopped', async (t) => {
    const bank = await openWithData(t, [])
    const follower = startFollower(bank, '--feed', 'core')
    await until(() => /following/.test(follower.stderr()) || follower.child.exitCode !== null)

    assert.equal(await follower.stop(), 0)

    appendFileSync(bank.path('data.ndjson'), toText(lines))
    await assertLoadedOnce(bank)
  })

  it('has a feed without batches, which is not written over HTTP', async (t) => {
    const bank = await openWithData(t, [])
    const follower = await startWaiting(bank)
    const intake = await openIntake(bank.scope, { database: bank.database() })

    const conflict = await intake.put('core', 1, base)
    const state = await intake.get('/v1/feeds/core')
    const listed = await bank.run(['feeds', '--json', '--database', bank.database()])
    assert.equal(await follower.stop(), 0)

    assert.equal(conflict.status, 409)
    assert.match(conflict.body.error, /the feed belongs to holdfast load --follow/)
    const { time, ...rest } = state.body
    assert.deepEqual(rest, { feed: 'core', batch: 0, lines: 0 })
    assert.deepEqual(JSON.parse(listed.stdout), [{ ...rest, time }])
  })

  it('does not guess which file it began with, unless there is only one', async (t) => {
    const bank = await openWithData(t, ['{}'])
    const file = bank.path('data.ndjson')
    const follower = startFollower(bank, '--feed', 'core')
    assert.equal(await follower.ended, 1)
    bank.write('data.ndjson.1', transactions(0, 1))
    // A correction with an editor creates a new file.
    bank.write('corrected', base)
    renameSync(bank.path('corrected'), file)

    const several = startFollower(bank, '--feed', 'core')
    assert.equal(await several.ended, 1)
    rmSync(`${file}.1`)
    const one = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 2, one)
    await one.stop()

    assert.match(
      several.stderr(),
      /the file that the feed began with was not found as data\.ndjson, nor among its rotated files\. To read data\.ndjson from its beginning: holdfast feeds remove core/,
    )
    assert.match(one.stderr(), /^data\.ndjson is not the file that the feed began with$/m)
    assert.match(one.stdout(), /2 lines committed: 2 created/)
  })

  it('does not skip any of standard input afterwards', async (t) => {
    const bank = await openWithData(t, [])
    const follower = await startWaiting(bank)
    assert.equal(await follower.stop(), 0)

    const { stdout } = await bank.run(
      ['load', '--follow', '-', '--feed', 'core', '--database', bank.database()],
      { input: toText(base) },
    )

    assert.match(stdout, /2 lines committed: 2 created/)
  })

  it('does not read another file that got the same inode, after the first was compressed', async (t) => {
    const bank = await openWithData(t, base)
    bank.write('data.ndjson.1.gz', ['compressed'])
    await beginAt(bank, { created: '1' })

    const follower = startFollower(bank, '--feed', 'core')

    await untilLines(bank, base.length, follower)
    assert.equal(await follower.stop(), 1)
    assert.match(
      follower.stderr(),
      /the file that the feed began with was not found as data\.ndjson, nor among its rotated files/,
    )
    assert.equal((await readFeed(bank))?.lines, 0)
  })

  it('does not continue in a file that was copied and truncated', async (t) => {
    const bank = await openWithData(t, [])
    const file = bank.path('data.ndjson')
    bank.write('data.ndjson.2', ['older'])
    bank.write('data.ndjson', [])
    const follower = await startWaiting(bank)
    await kill(follower.child)
    appendFileSync(file, toText(base))
    copyFileSync(file, `${file}.1`)
    truncateSync(file)
    appendFileSync(file, toText(transactions(0, 1)))

    const again = startFollower(bank, '--feed', 'core')
    assert.equal(await again.ended, 1)
    await bank.loadFiles(['data.ndjson.1'])
    rmSync(`${file}.1`)
    const last = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 1, last)
    await last.stop()

    assert.match(
      again.stderr(),
      /data\.ndjson\.1 was written after the feed began, and may have lines that were not read: load it with holdfast load, move it away, and start again/,
    )
    assert.deepEqual(splitLines(await bank.dump()), [...base, ...transactions(0, 1)])
  })

  it('continues from a position that has no times of the file, as earlier versions stored it', async (t) => {
    const bank = await openWithData(t, base)
    bank.write('data.ndjson.1', ['older'])
    await beginAt(bank, { line: 1 })

    const follower = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 2, follower)

    assert.equal(await follower.stop(), 0)
    assert.match(follower.stderr(), /^following data\.ndjson$/m)
  })
})

/** Stores the position of a follower that has begun with `data.ndjson`. */
async function beginAt(bank: Bank, fields: object): Promise<void> {
  const { writer } = await openFeeds(bank.scope, bank.database())
  const empty = fingerprint(Buffer.alloc(0))
  const inode = String(statSync(bank.path('data.ndjson'), { bigint: true }).ino)
  const position = { offset: 0, line: 0, first: empty, last: empty, inode, ...fields }
  const batch = createBatch('core', 0, [], JSON.stringify(position))
  assert.ok('result' in (await commitOne(writer, batch)))
}

describe('a follower with a new feed', () => {
  it('names the limit, if the database has the maximum number of feeds', async (t) => {
    const bank = await openWithData(t)
    const { writer } = await openFeeds(bank.scope, bank.database())
    await writer.commit(
      Array.from({ length: feedsMax }, (_, index) => createBatch(`feed-${index}`, 1, [])),
    )

    const follower = startFollower(bank, '--feed', 'core')

    assert.equal(await follower.ended, 1)
    assert.match(
      follower.stderr(),
      /^The database has 1000 feeds, which is the maximum: remove one with holdfast feeds remove\.$/m,
    )
  })

  it('is rejected at its start, if another one has begun with another file', async (t) => {
    const bank = await openWithData(t)
    bank.write('other.ndjson', transactions(0, 1))
    const { writer } = await openFeeds(bank.scope, bank.database())
    const signal = AbortSignal.abort()
    const begin = (name: string) =>
      follow(
        tailFile(bank.path(name), undefined, { pollMs: 1, firstLines: 1, signal, onNotice() {} }),
        writer,
        {
          feed: { name: 'core', next: 0 },
          createSource: createNdjsonSource,
          hasHeader: false,
          batchLines: 100,
          flushMs: 1,
          unknownFields: 'reject',
          onErrors: () => assert.fail(),
          onCommit: () => assert.fail(),
          isTemporary: () => false,
          onRetry: () => assert.fail(),
          signal,
        },
      )

    await begin('data.ndjson')
    await assert.rejects(begin('other.ndjson'), FeedConflict)
    await begin('data.ndjson')
  })
})
