import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { openBank, splitLines } from './bank.ts'
import {
  base,
  followUntil,
  openWithData,
  readFeed,
  startFollower,
  toText,
  transactions,
  untilLines,
} from './follower.ts'

describeOnce('a follower of a file that is rotated', () => {
  it('reads every file to its end, while it runs and after it was stopped', async (t) => {
    const bank = await openWithData(t)
    const lines = transactions(0, 12)
    const file = bank.path('data.ndjson')
    const first = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 2, first)

    // The writer still appends to the renamed file before it opens the new one.
    renameSync(file, `${file}.1`)
    appendFileSync(`${file}.1`, toText(lines.slice(0, 2)))
    mkdirSync(bank.path('data-2026'))
    appendFileSync(file, toText(lines.slice(2, 4)))
    await untilLines(bank, 6, first)
    await first.stop()
    appendFileSync(file, toText(lines.slice(4, 6)))
    renameSync(`${file}.1`, `${file}.3`)
    renameSync(file, `${file}.2`)
    appendFileSync(file, toText(lines.slice(6, 8)))
    renameSync(file, `${file}.1`)
    appendFileSync(file, toText(lines.slice(8, 10)))
    const second = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 12, second)
    appendFileSync(file, toText(lines.slice(10)))
    await untilLines(bank, 14, second)
    await second.stop()

    assert.deepEqual(splitLines(await bank.dump()).toSorted(), [...base, ...lines].toSorted())
  })

  it('continues in the file that it has read, also if the new file has the same first line', async (t) => {
    const [first = '', ...others] = transactions(0, 4)
    const bank = await openBank(t)
    await bank.fill(base)
    const file = bank.path('changes.ndjson')
    bank.write('changes.ndjson', [first])
    const flags = ['changes.ndjson', '--feed', 'core']
    const follower = startFollower(bank, ...flags)
    await untilLines(bank, 1, follower)
    await follower.stop()
    appendFileSync(file, toText(others.slice(0, 2)))
    renameSync(file, `${file}.1`)
    appendFileSync(file, toText([first, ...others.slice(2)]))

    const again = startFollower(bank, ...flags)
    await untilLines(bank, 5, again)
    await again.stop()

    assert.match(again.stdout(), /4 lines committed: 3 created, 0 changed, 1 unchanged/)
  })

  it('does not guess which of several copies it has read', async (t) => {
    const bank = await openWithData(t)
    const follower = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 2, follower)
    await follower.stop()
    bank.write('data.ndjson.2', [...base, ...transactions(0, 1)])
    bank.write('data.ndjson.1', [...base, ...transactions(1, 1)])
    rmSync(bank.path('data.ndjson'))
    bank.write('data.ndjson', transactions(2, 1))

    const again = startFollower(bank, '--feed', 'core')

    assert.equal(await again.ended, 1)
    assert.match(
      again.stderr(),
      /data\.ndjson\.2 and data\.ndjson\.1 have the same lines up to line 2, where the feed continues: move away those that it has read to their end, and start again/,
    )
    assert.equal((await readFeed(bank))?.lines, 2)
  })

  it('reports that it continues in a copy', async (t) => {
    const bank = await openWithData(t)
    const follower = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 2, follower)
    await follower.stop()
    renameSync(bank.path('data.ndjson'), bank.path('old'))
    bank.write('data.ndjson', [...base, ...transactions(0, 1)])

    const again = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 3, again)
    await again.stop()

    assert.match(
      again.stderr(),
      /data\.ndjson is a copy of the file that the feed has read, or a new file that begins with the same lines: continuing after line 2/,
    )
  })

  it('reads a rotated file while the new one is empty', async (t) => {
    const bank = await openWithData(t)
    const file = bank.path('data.ndjson')
    await followUntil(bank, 2)
    renameSync(file, `${file}.2`)
    bank.write('data.ndjson.1', transactions(0, 2))
    bank.write('data.ndjson', [])

    const second = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 4, second)
    renameSync(`${file}.1`, `${file}.3`)
    renameSync(file, `${file}.1`)
    appendFileSync(`${file}.1`, toText(transactions(2, 1)))
    bank.write('data.ndjson', [])
    await untilLines(bank, 5, second)

    assert.equal(await second.stop(), 0)
  })

  it('waits for the new file if it is started before that exists', async (t) => {
    const bank = await openWithData(t)
    const file = bank.path('data.ndjson')
    await followUntil(bank, 2)
    renameSync(file, `${file}.1`)

    const second = startFollower(bank, '--feed', 'core')
    await until(() => /following/.test(second.stderr()) || second.child.exitCode !== null)
    appendFileSync(file, toText(transactions(0, 1)))
    await untilLines(bank, 3, second)

    assert.equal(await second.stop(), 0)
  })

  it('starts again at the beginning of a truncated file, and reports it', async (t) => {
    const bank = await openWithData(t, [...base, ...transactions(0, 2)])
    const follower = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 4, follower)

    truncateSync(bank.path('data.ndjson'))
    await until(() => /truncated/.test(follower.stderr()))
    appendFileSync(bank.path('data.ndjson'), toText(transactions(2, 1)))
    await untilLines(bank, 5, follower)
    await follower.stop()

    assert.match(follower.stderr(), /data\.ndjson was truncated, which may lose lines/)
  })

  it('does not guess where to continue when the file is lost', async (t) => {
    const bank = await openWithData(t, [...base, ...transactions(0, 2)])
    const follower = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 4, follower)
    await follower.stop()
    bank.write('data.ndjson', transactions(10, 9))

    const again = startFollower(bank, '--feed', 'core')

    assert.equal(await again.ended, 1)
    assert.match(
      again.stderr(),
      /the file that the feed had read up to line 4 was not found as data\.ndjson, nor among its rotated files\. To read data\.ndjson from its beginning: holdfast feeds remove core\n$/,
    )
    assert.equal((await readFeed(bank))?.lines, 4)
  })
})
