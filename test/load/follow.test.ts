import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { it } from 'node:test'
import { batchErrorsFoundMax } from '../../src/contract/index.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { type Bank, openBank, splitLines } from './bank.ts'
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
import { put } from './lines.ts'

describe('a follower of a file', () => {
  it('commits what is appended, reports what is left when it is stopped, and continues there', async (t) => {
    const bank = await openWithData(t)
    const lines = transactions(0, 6)
    const first = startFollower(bank, '--feed', 'core', '--batch', '2')
    await untilLines(bank, 2, first)
    appendFileSync(bank.path('data.ndjson'), toText(lines.slice(0, 3)) + lines[3]?.slice(0, 20))
    await untilLines(bank, 5, first)

    const status = await first.stop()
    appendFileSync(bank.path('data.ndjson'), `${lines[3]?.slice(20)}\n`)
    const second = startFollower(bank, '--feed', 'core')
    await untilLines(bank, 6, second)
    appendFileSync(bank.path('data.ndjson'), toText(lines.slice(4)))
    await untilLines(bank, 8, second)
    await second.stop()

    assert.equal(status, 0)
    assert.equal(
      first.stdout(),
      'Stopped by SIGTERM. 5 lines committed: 5 created, 0 changed, 0 unchanged, 0 deleted. Not loaded: the last 20 bytes, an incomplete line.\n',
    )
    assert.match(second.stderr(), /^following data\.ndjson after line 5$/m)
    assert.match(second.stdout(), /3 lines committed: 3 created/)
    assert.deepEqual(splitLines(await bank.dump()).toSorted(), [...base, ...lines].toSorted())
  })
})

describe('a follower of many invalid lines', () => {
  it('keeps each of them once in the rejects, also if a batch has more than are searched for at once', async (t) => {
    const valid = [...base, ...transactions(0, 2)]
    const invalid = Array.from({ length: batchErrorsFoundMax + 500 }, (_, at) =>
      put.customer('c1', { name: `Bo ${at}`, email: 'bo@example.com' }),
    )
    const bank = await openBank(t)

    const { stdout } = await bank.run(
      ['load', '--follow', '-', '--batch', '20000', '--skip-invalid', '--rejects', 'rejects'],
      { input: toText([...valid.slice(0, 3), ...invalid, ...valid.slice(3)]) },
    )

    assert.match(stdout, /^4 lines committed: 4 created/)
    assert.deepEqual(splitLines(readFileSync(bank.path('rejects'), 'utf8')), invalid)
  })
})

describeOnce('a follower that is stopped early', () => {
  it('reports what it has not read, also in the files after a rotation', async (t) => {
    const bank = await openWithData(t, [...base, ...transactions(0, 3000)])
    const file = bank.path('data.ndjson')
    const bytes = statSync(file).size
    // Nothing is read after the first lines before the signal arrives.
    bank.write(
      'map.ts',
      `const timer = setInterval(() => {}, 1000)
      const stopped = new Promise((resolve) => process.once('SIGTERM', resolve))
      stopped.then(() => clearInterval(timer))
      export default async (row, { line }) => {
        if (line === 1) console.error('read')
        await stopped
        return row
      }`,
    )
    const follower = startFollower(bank, '--feed', 'core', '--map', 'map.ts')
    await until(() => /^read$/m.test(follower.stderr()))
    renameSync(file, `${file}.1`)
    appendFileSync(file, toText(transactions(3000, 1)))

    assert.equal(await follower.stop(), 0)

    const { offset } = JSON.parse((await readFeed(bank))?.position ?? '')
    const left = (bytes - offset + statSync(file).size).toLocaleString('en')
    assert.ok(
      follower
        .stdout()
        .endsWith(
          `Not loaded: the last ${left} bytes, which were not read yet. The next follower of the feed core continues there.\n`,
        ),
      follower.stdout(),
    )
  })
})

describeOnce('an invalid line', () => {
  const account = put.account('a2', ['c1']).replace('"OPEN"', '"AJAR"')
  const ofAccount = put.transaction('a2', 't1')
  const ofOtherKind = put.energyAccount('a1', ['c1'])

  it('ends a follower, with nothing of its batch committed', async (t) => {
    const bank = await openWithData(t, [...base, ofOtherKind, put.account('a3', ['c1'])])
    const follower = startFollower(bank, '--feed', 'core', '--batch', '2')

    assert.equal(await follower.ended, 1)
    assert.match(
      follower.stderr(),
      /1 × accountId: is already the id of a banking account \(at data\.ndjson:3\)/,
    )
    assert.equal((await readFeed(bank))?.lines, 2)
  })

  it('is located by its line in the file, after a restart and blank lines', async (t) => {
    const bank = await openWithData(t, ['', ...base, '', ''])
    await followUntil(bank, 2)
    appendFileSync(bank.path('data.ndjson'), toText(['', account]))

    const second = startFollower(bank, '--feed', 'core')

    assert.equal(await second.ended, 1)
    assert.match(second.stderr(), /\(at data\.ndjson:7\)/)
  })

  it('is reported with its value only on request', async (t) => {
    const bank = await openWithData(t, [...base, account])

    const { stderr } = await bank.loadFiles(['data.ndjson'], '--follow')
    const shown = await bank.loadFiles(['data.ndjson'], '--follow', '--show-values')

    assert.match(stderr, /^1 × openStatus: .* \(at data\.ndjson:3\)$/m)
    assert.match(shown.stderr, /^1 × openStatus: .* \(at data\.ndjson:3: "AJAR"\)$/m)
  })

  it('is kept in the rejects, and following goes on', async (t) => {
    const lines = [...base, account, ofAccount, put.transaction('a1', 't1'), '{']
    const bank = await openWithData(t, lines)
    const flags = ['--feed', 'core', '--skip-invalid', '--rejects', 'rejects.ndjson']
    const follower = startFollower(bank, ...flags)
    await untilLines(bank, 4, follower)
    appendFileSync(bank.path('data.ndjson'), toText([ofOtherKind]))
    await until(() => readFileSync(bank.path('rejects.ndjson'), 'utf8').includes(ofOtherKind))
    await follower.stop()

    const rejects = readFileSync(bank.path('rejects.ndjson'), 'utf8')
    assert.deepEqual(splitLines(rejects).toSorted(), [account, '{', ofOtherKind].toSorted())
    assert.equal(statSync(bank.path('rejects.ndjson')).mode & 0o777, 0o600)
    assert.match(follower.stdout(), /4 lines committed: 4 created.* 3 lines skipped\./)
    assert.match(
      follower.stderr(),
      /^1 line refers to accounts or customers that do not exist \(first at data\.ndjson:4\): stored, and invisible until they exist$/m,
    )
    assert.doesNotMatch(follower.stderr(), /AJAR/)
  })
})

describeOnce('a follower of standard input', () => {
  const run = (bank: Bank, input: readonly string[], ...args: readonly string[]) =>
    bank.run(['load', '--follow', '-', ...args], { input: toText(input) })

  it('ends with its input, and skips the lines that it has committed before', async (t) => {
    const bank = await openBank(t)
    const lines = [...base, ...transactions(0, 3)]
    const flags = ['--feed', 'core']

    const first = await run(bank, lines.slice(0, 4), ...flags)
    const again = await run(bank, lines, ...flags)
    const other = await run(bank, transactions(3, 2), ...flags)

    assert.match(first.stdout, /^4 lines committed: 4 created/)
    assert.match(again.stderr, /continuing after line 4/)
    assert.match(again.stdout, /^1 line committed: 1 created/)
    assert.match(other.stderr, /the input is new/)
    assert.match(other.stdout, /^2 lines committed: 2 created/)
    assert.equal((await readFeed(bank))?.lines, 7)
  })

  it('counts the fields that it dropped, and customers without an e-mail address', async (t) => {
    const bank = await openBank(t)
    const lines = [
      put.customer('c1', { email: undefined, nickname: 'x' }),
      put.customer('c2', { email: undefined, nickname: 'x', id: 2 }),
    ]
    const rejecting = ['--skip-invalid', '--rejects', 'rejects.ndjson']

    const { stdout } = await run(bank, lines, '--unknown-fields', 'drop', ...rejecting)

    assert.match(stdout, /^1 line committed: 1 created/)
    assert.match(stdout, /^1 unknown field left out: nickname 1$/m)
    assert.match(stdout, /^1 customer has no e-mail address/m)
  })

  it('refuses an input that differs before the position', async (t) => {
    const bank = await openBank(t)
    const flags = ['--feed', 'core']
    await run(bank, [...base, ...transactions(0, 3)], ...flags)

    const shorter = await run(bank, [...base, ...transactions(0, 2)], ...flags)
    const changed = await run(bank, [...base, ...transactions(5, 5)], ...flags)

    for (const { status, stderr } of [shorter, changed]) {
      assert.equal(status, 1)
      assert.match(stderr, /differs before line 6, which the feed has reached/)
    }
  })

  it('says that nothing was loaded if it is stopped while it skips lines', async (t) => {
    const bank = await openBank(t)
    await run(bank, [...base, ...transactions(0, 3)], '--feed', 'core')
    const follower = startFollower(bank, '-', '--feed', 'core')
    follower.child.stdin.write(toText(base))
    await until(() => /skipping it up to line 5$/m.test(follower.stderr()))

    assert.equal(await follower.stop(), 1)
    assert.match(
      follower.stderr(),
      /stopped before line 5 of standard input, .* nothing of it was loaded, so send it again\. To read it from its beginning: holdfast feeds remove core\n$/,
    )
  })

  it('stops without an error before it gets any input', async (t) => {
    const bank = await openBank(t)
    await run(bank, base, '--feed', 'core')
    const follower = startFollower(bank, '-', '--feed', 'core')
    await until(() => /following standard input/.test(follower.stderr()))

    assert.equal(await follower.stop(), 0)
    assert.match(follower.stdout(), /^Stopped by SIGTERM\. 0 lines committed/)
  })

  it('commits the complete lines that were written when it is stopped', async (t) => {
    const bank = await openBank(t)
    await bank.fill(base)
    const follower = startFollower(bank, '-', '--flush-ms', '60000')
    await until(() => /following standard input/.test(follower.stderr()))
    follower.child.stdin.write(`${toText(transactions(0, 2))}{"type":`)

    assert.equal(await follower.stop(), 0)
    assert.match(follower.stdout(), /2 lines committed: 2 created.* the last 8 bytes/)
  })
})

describeOnce('a feed with two writers', () => {
  it('stops a follower that is not alone', async (t) => {
    const bank = await openWithData(t, [])
    const first = startFollower(bank, '--feed', 'core', '--batch', '1')
    const second = startFollower(bank, '--feed', 'core', '--batch', '2')
    await until(() => /following/.test(first.stderr()) && /following/.test(second.stderr()))

    // They commit different lines with the same number.
    appendFileSync(bank.path('data.ndjson'), toText(base))
    const status = await Promise.race([first.ended, second.ended])

    assert.equal(status, 1)
    assert.match(first.stderr() + second.stderr(), /Another process writes the feed core/)
  })
})

describeOnce('the flags of a follower', () => {
  it('are rejected where they have no meaning', async (t) => {
    const bank = await openWithData(t)
    for (const [message, ...flags] of [
      ['--follow reads one file', '--follow', bank.path('other.ndjson')],
      ['--feed requires --follow', '--feed', 'core'],
      ['--flush-ms requires --follow', '--flush-ms', '10'],
      ['--flush-ms must be', '--follow', '--flush-ms', '0'],
      ['--feed must be', '--follow', '--feed', 'a b'],
      ['--dry-run', '--follow', '--dry-run'],
      ['--skip-invalid and --rejects require each other', '--follow', '--skip-invalid'],
    ] as const) {
      const { status, stderr } = await bank.loadFiles(['data.ndjson'], ...flags)
      assert.equal(status, 2)
      assert.ok(stderr.includes(message), stderr)
    }
  })
})

describeOnce('a follower', () => {
  it('does not follow a pipe or a device, whose position it could not read again', async (t) => {
    const bank = await openBank(t)
    symlinkSync('/dev/null', bank.path('device'))

    const { status, stderr } = await bank.loadFiles(['device'], '--follow')

    assert.equal(status, 2)
    assert.match(stderr, /^device is not a regular file/)
  })
})
