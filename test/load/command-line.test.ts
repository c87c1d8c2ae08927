import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import { main } from '../../src/cli/main.ts'
import { progressOn } from '../../src/cli/progress.ts'
import { describe } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { concurrency, linesOf, openBank } from './bank.ts'
import { put } from './lines.ts'

const summary = /^\d+ lines? loaded in \d+\.\d s \([\d,]+ lines a second\)\n$/

/** A terminal that somebody watches, and what they see. */
function watched() {
  const seen = { out: '', error: '' }
  const terminal = {
    out: (part: string) => {
      seen.out += part
    },
    error: (part: string) => {
      seen.error += part
    },
    status: (line: string) => {
      seen.error += restart + line
    },
    write: async (part: string) => {
      seen.out += part
    },
    environment: {},
    isInteractive: true,
  }
  return { terminal, seen }
}

/** Goes to the start of a line and wipes it. */
const restart = '\r\u001b[K'

/** What is left on a line that is written over again and again. */
function lastOn(line: string): string {
  return line.split(restart).at(-1) ?? ''
}

describe('holdfast load', { concurrency }, () => {
  it('reads standard input', async (t) => {
    const bank = await openBank(t)

    const run = await bank.run(['load', '-'], { input: `${put.product('p1')}\n` })

    assert.match(run.stdout, summary)
    assert.deepEqual([run.status, run.stderr], [0, ''])
    assert.equal(await bank.dump(), `${put.product('p1')}\n`)
  })

  it('names standard input as - in a refusal', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.run(['load', '-'], { input: '\n[]' })

    assert.match(stderr, /^-:2: line: must be a JSON object\n/)
    assert.equal(status, 1)
  })

  it('reads several files as one load, standard input among them', async (t) => {
    const bank = await openBank(t)
    bank.write('one.ndjson', put.balance('a1'))
    bank.write('two.ndjson', put.customer('c1'))

    const run = await bank.run(['load', 'one.ndjson', '-', 'two.ndjson'], {
      input: put.account('a1', ['c1']),
    })

    assert.match(run.stdout, /^3 lines loaded/)
    assert.deepEqual([run.status, run.stderr], [0, ''])
    assert.equal(linesOf(await bank.dump()).length, 3)
  })

  it('changes nothing where one of several files has a mistake', async (t) => {
    const bank = await openBank(t)
    bank.write('one.ndjson', put.product('p1'))
    bank.write('two.ndjson', '{}')

    const { status, stderr } = await bank.run(['load', 'one.ndjson', 'two.ndjson'])

    assert.match(stderr, /^two\.ndjson:1: type: /)
    assert.equal(status, 1)
    assert.equal(await bank.dump(), '')
  })

  it('is quiet in a pipe but for its summary, however long it takes', async (t) => {
    const bank = await openBank(t)
    const lines = Array.from({ length: 5000 }, (_, index) =>
      put.customer(`c${index}`, { address: undefined }),
    )
    bank.write('data.ndjson', lines)

    const { stdout, stderr } = await bank.run(['load', 'data.ndjson'])

    assert.match(stdout, /^5,000 lines loaded in \d+\.\d s \([\d,]+ lines a second\)\n$/)
    assert.equal(stderr, '')
  })

  it('shows its progress to somebody who watches, and takes it away at the end', async (t) => {
    const bank = await openBank(t)
    const { terminal, seen } = watched()
    bank.write(
      'data.ndjson',
      Array.from({ length: 2500 }, (_, index) => put.product(`p${index}`)),
    )

    const args = ['load', bank.path('data.ndjson'), '--database', bank.database()]
    const status = await main(args, terminal)

    const [, ...shown] = seen.error.split(restart)
    assert.match(shown[0] ?? '', /^\d+ %, 1,000 lines, [\d,]+ a second, \d+ s left$/)
    assert.equal(shown.at(-1), '')
    assert.match(seen.out, /^2,500 lines loaded/)
    assert.equal(status, 0)
  })

  it('does not write a refusal behind its progress', async (t) => {
    const bank = await openBank(t)
    const { terminal, seen } = watched()
    const lines = Array.from({ length: 2500 }, (_, index) => put.product(`p${index}`))
    bank.write('data.ndjson', lines.with(1500, '{}'))

    const args = ['load', bank.path('data.ndjson'), '--database', bank.database()]
    const status = await main(args, terminal)

    const shown = linesOf(seen.error).map(lastOn)
    assert.equal(shown.length, 2)
    assert.ok(shown[0]?.startsWith(`${bank.path('data.ndjson')}:1501: type: `))
    assert.match(shown[1] ?? '', /^1 error in 2,500 lines\. Nothing was changed\.$/)
    assert.equal(status, 1)
  })

  it('writes an empty file of errors where there are none', async (t) => {
    const bank = await openBank(t)

    await bank.fill([put.product('p1')], '--errors', bank.path('errors.txt'))

    assert.equal(readFileSync(bank.path('errors.txt'), 'utf8'), '')
  })

  for (const [name, file] of [
    ['is not there', 'missing.ndjson'],
    ['is not there because its folder is a file', 'data.ndjson/missing.ndjson'],
    ['is a folder', 'folder'],
  ] as const) {
    it(`refuses to begin where a file ${name}`, async (t) => {
      const bank = await openBank(t)
      bank.write('data.ndjson', put.product('p1'))
      mkdirSync(bank.path('folder'))

      const { status, stdout, stderr } = await bank.run(['load', 'data.ndjson', file])

      assert.equal(linesOf(stderr).length, 1)
      assert.ok(stderr.startsWith(file), stderr)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
      assert.ok(!existsSync(bank.path('bank.db')))
    })
  }

  for (const [name, flags] of [
    ['its file of errors cannot be written', ['--errors', 'missing/errors.txt']],
    ['the database is a folder', ['--database', 'sqlite:folder']],
    ['the database is no database', ['--database', 'sqlite:data.ndjson']],
  ] as const) {
    it(`says in a sentence that ${name}`, async (t) => {
      const bank = await openBank(t)
      bank.write('data.ndjson', [put.product('p1')])
      mkdirSync(bank.path('folder'))

      const { status, stdout, stderr } = await bank.run(['load', 'data.ndjson', ...flags])

      assert.equal(linesOf(stderr).length, 1, stderr)
      assert.ok(status === 1 || status === 2, `exit status ${status}`)
      assert.equal(stdout, '')
    })
  }
})

describe('every command about data', () => {
  for (const name of ['load', 'dump', 'generate', 'demo']) {
    it(`explains holdfast ${name}`, async () => {
      const { status, stdout, stderr } = await runInProcess([name, '--help'])

      assert.match(stdout, new RegExp(`^Usage: holdfast ${name} `))
      assert.match(stdout, new RegExp(`^Example: .*holdfast ${name}\\b`, 'm'))
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    })
  }

  for (const [name, args] of Object.entries({
    'a load of nothing': ['load'],
    'a load with an unknown flag': ['load', '-', '--atomic'],
    'a load with a flag without its value': ['load', '-', '--batch'],
    'a load into a database of no known kind': ['load', '-', '--database', 'oracle:bank'],
    'a load into no database': ['load', '-', '--database', ''],
    'a dump of a file': ['dump', 'data.ndjson'],
    'a dump with an unknown flag': ['dump', '--json'],
    'generating with a size that is no number': ['generate', '--customers', 'many'],
    'generating with a size below nothing': ['generate', '--customers=-1'],
    'generating with half a customer': ['generate', '--customers', '1.5'],
    'generating until no time': ['generate', '--until', 'tomorrow'],
    'generating something': ['generate', 'something'],
    'a demo of something': ['demo', 'something'],
    'a demo on a port that is none': ['demo', '--port', '65536'],
  })) {
    it(`refuses ${name} as wrong usage`, async () => {
      const { status, stdout, stderr } = await runInProcess(args)

      assert.match(stderr, /\S\n$/)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    })
  }

  it('says at once all that is wrong with the sizes of what to generate', async () => {
    const args = ['generate', '--customers', 'x', '--transactions', '-', '--until', 'y']

    const { status, stderr } = await runInProcess(args)

    for (const flag of ['--customers', '--transactions', '--until']) {
      assert.match(stderr, new RegExp(`^${flag} must be `, 'm'))
    }
    assert.equal(status, 2)
  })
})

describe('the progress of a load', () => {
  it('says how far it is, how fast, and how long it still takes', (t) => {
    const { terminal, seen } = watched()
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const progress = progressOn(terminal, 4_000_000)

    now += 2000
    progress.show({ lines: 10_000, bytes: 1_000_000 })
    const first = lastOn(seen.error)
    now += 100
    progress.show({ lines: 11_000, bytes: 1_100_000 })
    const soon = lastOn(seen.error)
    now += 300_000 - 100
    progress.show({ lines: 20_000, bytes: 2_000_000 })
    const later = lastOn(seen.error)
    progress.clear()

    assert.equal(first, '25 %, 10,000 lines, 5,000 a second, 6 s left')
    assert.equal(soon, first, 'not more often than an eye can follow')
    assert.equal(later, '50 %, 20,000 lines, 66 a second, 5 min 2 s left')
    assert.equal(lastOn(seen.error), '')
  })

  it('says only how many and how fast where the size is not known', (t) => {
    const { terminal, seen } = watched()
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const progress = progressOn(terminal, undefined)

    now += 2000
    progress.show({ lines: 10_000, bytes: 1_000_000 })

    assert.equal(lastOn(seen.error), '10,000 lines, 5,000 a second')
  })

  it('shows nothing where nobody watches', () => {
    const { terminal, seen } = watched()
    const progress = progressOn({ ...terminal, isInteractive: false }, 100)

    progress.show({ lines: 10, bytes: 10 })
    progress.clear()

    assert.deepEqual(seen, { out: '', error: '' })
  })
})
