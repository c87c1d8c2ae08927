import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { describeDatabase } from '../../src/cli/common/describe-database.ts'
import { openLoadProgress } from '../../src/cli/common/load-progress.ts'
import { main } from '../../src/cli/main.ts'
import { describeOnce } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { type Bank, concurrency, openBank, splitLines } from './bank.ts'
import { put } from './lines.ts'

const summary = /^\d+ lines? loaded into \S+ in \d+\.\d s \([\d,]+ lines per second\)\n/

/** An interactive terminal, and everything written to it. */
function openTerminal() {
  const output = { out: '', error: '' }
  const terminal = {
    out: (part: string) => {
      output.out += part
    },
    error: (part: string) => {
      output.error += part
    },
    status: (line: string) => {
      output.error += restart + line
    },
    write: async (part: string) => {
      output.out += part
    },
    environment: {},
    isInteractive: true,
    isOutputTerminal: true,
    ask: async () => undefined,
  }
  return { terminal, output }
}

/** Returns to the start of the line and clears it. */
const restart = '\r\u001b[K'

/** The visible text of a line that was overwritten. */
function visibleText(line: string): string {
  return line.split(restart).at(-1) ?? ''
}

describeOnce('holdfast load', { concurrency }, () => {
  it('names the database without user and password', async () => {
    assert.equal(describeDatabase('sqlite:bank.db'), 'sqlite:bank.db')
    assert.equal(
      describeDatabase('postgres://bank:secret@db.example:5433/core?sslmode=require'),
      'postgres://db.example:5433/core',
    )
  })

  it('says how to convert a file that is not UTF-8', async (t) => {
    const bank = await openBank(t)
    const line = put.customer('c1', { name: 'Zoë' })
    for (const [content, hint] of [
      [
        Buffer.from(`\ufeff${line}`, 'utf16le'),
        /is UTF-16: convert it .* iconv --from-code UTF-16/,
      ],
      [gzipSync(line), /is compressed with gzip: convert it first, .* gunzip/],
      [Buffer.from(line, 'latin1'), /^if the file is Windows-1252, convert it: iconv/m],
    ] as const) {
      writeFileSync(bank.path('bank.ndjson'), content)

      const { status, stderr } = await bank.loadFiles(['bank.ndjson'])

      assert.equal(status, 1)
      assert.match(stderr, hint)
    }
  })

  it('reads standard input', async (t) => {
    const bank = await openBank(t)

    const run = await bank.run(['load', '-'], { input: `${put.product('p1')}\n` })

    assert.match(run.stdout, summary)
    assert.deepEqual([run.status, run.stderr], [0, ''])
    assert.equal(await bank.dump(), `${put.product('p1')}\n`)
  })

  it('reports standard input as - in an error', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.run(['load', '-'], { input: '\n[]' })

    assert.match(stderr, /^1 × line: must be a JSON object \(at -:2\)\n/)
    assert.equal(status, 1)
  })

  it('reads several files and standard input as one load', async (t) => {
    const bank = await openBank(t)
    bank.write('one.ndjson', put.balance('a1'))
    bank.write('two.ndjson', put.customer('c1'))

    const run = await bank.run(['load', 'one.ndjson', '-', 'two.ndjson'], {
      input: put.account('a1', ['c1']),
    })

    assert.match(run.stdout, /^3 lines loaded/)
    assert.deepEqual([run.status, run.stderr], [0, ''])
    assert.equal(splitLines(await bank.dump()).length, 3)
  })

  it('changes nothing if one of several files has an error', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.product('p0')])
    const before = await bank.dump()
    bank.write('one.ndjson', put.product('p1'))
    bank.write('two.ndjson', '{}')

    const { status, stderr } = await bank.loadFiles(['one.ndjson', 'two.ndjson'])

    assert.match(stderr, /^1 × type: .* \(at two\.ndjson:1\)\n/)
    assert.equal(status, 1)
    assert.equal(await bank.dump(), before)
  })

  it('prints only the summary if the terminal is not interactive', async (t) => {
    const bank = await openBank(t)
    const lines = Array.from({ length: 2500 }, (_, index) => put.product(`p${index}`))

    const { stdout, stderr } = await bank.load(lines)

    assert.match(stdout, /^2,500 lines loaded into \S+ in \d+\.\d s \([\d,]+ lines per second\)\n/)
    assert.equal(stderr, '')
  })

  it('shows progress in an interactive terminal and clears it at the end', async (t) => {
    const bank = await openBank(t)
    const { terminal, output } = openTerminal()
    bank.write(
      'data.ndjson',
      Array.from({ length: 2500 }, (_, index) => put.product(`p${index}`)),
    )

    const args = ['load', bank.path('data.ndjson'), '--database', bank.database()]
    const status = await main(args, terminal)

    // A slow machine may wait for the lock of a load, even if no other load runs.
    const printed = output.error.replace('waiting for another load to finish\n', '')
    const [, ...shown] = printed.split(restart)
    assert.match(shown[0] ?? '', /^\d+ %, 1,000 lines, [\d,]+ per second, \d+ s left$/)
    assert.equal(shown.at(-1), '')
    assert.match(output.out, /^2,500 lines loaded/)
    assert.equal(status, 0)
  })

  it('clears the progress before it prints an error', async (t) => {
    const bank = await openBank(t)
    const { terminal, output } = openTerminal()
    const lines = Array.from({ length: 2500 }, (_, index) => put.product(`p${index}`))
    bank.write('data.ndjson', lines.with(1500, '{}'))

    const args = ['load', bank.path('data.ndjson'), '--database', bank.database()]
    const status = await main(args, terminal)

    const shown = splitLines(output.error).map(visibleText)
    assert.equal(shown.length, 2)
    assert.ok(shown[0]?.endsWith(` (at ${bank.path('data.ndjson')}:1501)`))
    assert.match(shown[1] ?? '', /^1 error in 2,500 lines\. Nothing was changed\.$/)
    assert.equal(status, 1)
  })

  it('writes an empty errors file if there are no errors', async (t) => {
    const bank = await openBank(t)

    await bank.fill([put.product('p1')], '--errors', bank.path('errors.txt'))

    assert.equal(readFileSync(bank.path('errors.txt'), 'utf8'), '')
  })

  for (const [name, file] of [
    ['does not exist', 'missing.ndjson'],
    ['does not exist because its folder is a file', 'data.ndjson/missing.ndjson'],
    ['is a folder', 'folder'],
  ] as const) {
    it(`fails before reading if a file ${name}`, async (t) => {
      const bank = await openBank(t)
      bank.write('data.ndjson', put.product('p1'))
      mkdirSync(bank.path('folder'))

      const { status, stdout, stderr } = await bank.loadFiles(['data.ndjson', file])

      assert.equal(splitLines(stderr).length, 1)
      assert.ok(stderr.startsWith(file), stderr)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
      assert.ok(!existsSync(bank.path('bank.db')))
    })
  }

  for (const [name, flags] of [
    ['the errors file cannot be written', (path) => ['--errors', path('missing/errors.txt')]],
    ['the database is a folder', (path) => ['--database', `sqlite:${path('folder')}`]],
    [
      'the database file is not a database',
      (path) => ['--database', `sqlite:${path('data.ndjson')}`],
    ],
  ] as [string, (path: Bank['path']) => string[]][]) {
    it(`reports in one line that ${name}`, async (t) => {
      const bank = await openBank(t)
      bank.write('data.ndjson', [put.product('p1')])
      mkdirSync(bank.path('folder'))

      const { status, stdout, stderr } = await bank.loadFiles(['data.ndjson'], ...flags(bank.path))

      assert.equal(splitLines(stderr).length, 1, stderr)
      assert.ok(status === 1 || status === 2, `exit status ${status}`)
      assert.equal(stdout, '')
    })
  }
})

describeOnce('the data commands', () => {
  for (const name of ['load', 'dump', 'generate', 'demo']) {
    it(`prints help for holdfast ${name}`, async () => {
      const { status, stdout, stderr } = await runInProcess([name, '--help'])

      assert.match(stdout, new RegExp(`^Usage: holdfast ${name} `))
      assert.match(stdout, new RegExp(`^Examples?:\\s.*holdfast ${name}\\b`, 'm'))
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    })
  }

  for (const [name, args] of Object.entries({
    'a load without files': ['load'],
    'a load with an unknown flag': ['load', '-', '--atomic'],
    'a load with a flag without its value': ['load', '-', '--batch'],
    'a load into an unknown kind of database': ['load', '-', '--database', 'oracle:bank'],
    'a load with an empty database': ['load', '-', '--database', ''],
    'a dump of a file': ['dump', 'data.ndjson'],
    'a dump with an unknown flag': ['dump', '--json'],
    'generating with a size that is not a number': ['generate', '--customers', 'many'],
    'generating with a negative size': ['generate', '--customers=-1'],
    'generating with a fractional size': ['generate', '--customers', '1.5'],
    'generating with an invalid end time': ['generate', '--until', 'tomorrow'],
    'generating with an argument': ['generate', 'something'],
    'a demo with an argument': ['demo', 'something'],
    'a demo on an invalid port': ['demo', '--port', '65536'],
  })) {
    it(`rejects ${name} with exit status 2`, async () => {
      const { status, stdout, stderr } = await runInProcess(args)

      assert.match(stderr, /\S\n$/)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    })
  }

  it('reports all invalid options of generate at once', async () => {
    const args = ['generate', '--customers', 'x', '--transactions', '-', '--until', 'y']

    const { status, stderr } = await runInProcess(args)

    for (const flag of ['--customers', '--transactions', '--until']) {
      assert.match(stderr, new RegExp(`^${flag} must be `, 'm'))
    }
    assert.equal(status, 2)
  })
})

describeOnce('the progress of a load', () => {
  it('shows percentage, lines, rate and remaining time', (t) => {
    const { terminal, output } = openTerminal()
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const progress = openLoadProgress(terminal, 4_000_000)

    now += 2000
    progress.show({ lines: 10_000, bytes: 1_000_000 })
    const first = visibleText(output.error)
    now += 100
    progress.show({ lines: 11_000, bytes: 1_100_000 })
    const soon = visibleText(output.error)
    now += 300_000 - 100
    progress.show({ lines: 20_000, bytes: 2_000_000 })
    const later = visibleText(output.error)
    progress.clear()

    assert.equal(first, '25 %, 10,000 lines, 5,000 per second, 6 s left')
    assert.equal(soon, first, 'is updated at most a few times per second')
    assert.equal(later, '50 %, 20,000 lines, 66 per second, 5 min 2 s left')
    assert.equal(visibleText(output.error), '')
  })

  it('shows only lines and rate if the size is unknown', (t) => {
    const { terminal, output } = openTerminal()
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const progress = openLoadProgress(terminal, undefined)

    now += 2000
    progress.show({ lines: 10_000, bytes: 1_000_000 })

    assert.equal(visibleText(output.error), '10,000 lines, 5,000 per second')
  })

  it('is a line every 30 seconds if the terminal is not interactive', (t) => {
    const { terminal, output } = openTerminal()
    let now = 1000
    t.mock.method(performance, 'now', () => now)
    const progress = openLoadProgress({ ...terminal, isInteractive: false }, 4_000_000)

    for (let second = 1; second <= 65; second += 1) {
      now += 1000
      progress.show({ lines: second * 1000, bytes: second * 40_000 })
    }
    progress.clear()

    assert.deepEqual(splitLines(output.error), [
      '30 %, 30,000 lines, 1,000 per second, 1 min 10 s left',
      '60 %, 60,000 lines, 1,000 per second, 40 s left',
    ])
  })
})
