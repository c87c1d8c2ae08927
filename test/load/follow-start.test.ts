import assert from 'node:assert/strict'
import { appendFileSync, renameSync, rmSync } from 'node:fs'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
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
})
