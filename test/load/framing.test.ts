import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { isObject } from '../../src/contract/schema.ts'
import { lineBytesMax } from '../../src/intake/lines.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { type Lines, loadAt, openBank, splitLines } from './bank.ts'
import { createExamples, line, put } from './lines.ts'

const [first, second] = [put.product('p1'), put.product('p2')]
const both = `${first}\n${second}\n`

describeOnce('a file of lines', () => {
  for (const [name, bytes, dumped] of [
    ['a byte order mark', `\ufeff${both}`, both],
    ['Windows line endings', `${first}\r\n${second}\r\n`, both],
    ['blank lines', `\n\n${first}\n  \t \n\r\n${second}\n\n`, both],
    ['no newline at the end', `${first}\n${second}`, both],
    ['whitespace around a line', `  ${first}\t\n\t ${second} \n`, both],
    ['no content', '', ''],
    ['only blank lines', '\n \r\n\n', ''],
  ] as const satisfies readonly [string, Lines, string][]) {
    it(`may have ${name}`, async (t) => {
      const bank = await openBank(t)

      await bank.fill(bytes)

      assert.equal(await bank.dump(), dumped)
    })
  }

  it('counts blank lines, so that an error has the line number of an editor', async (t) => {
    const bank = await openBank(t)

    const { stderr } = await bank.load(`\ufeff\r\n\n${first}\r\n\n{}\n\n[]`)

    const lineNumbers = [...stderr.matchAll(/\(at data\.ndjson:(\d+)\)/g)].map(
      ([, number]) => number,
    )
    assert.deepEqual(lineNumbers, ['5', '7'])
  })

  it('may have a line of exactly the maximum length', async (t) => {
    const bank = await openBank(t)
    const longest = put.product('p3').padEnd(lineBytesMax)

    await bank.fill(`${first}\n${longest}\n${second}`)

    assert.equal(longest.length, lineBytesMax)
    assert.equal(splitLines(await bank.dump()).length, 3)
  })

  it('may be split into chunks at any byte', async (t) => {
    const bank = await openBank(t)
    const lines = [put.product('p1', { name: 'Für 5 € — 🦉' }), put.product('p2')]
    const bytes = Buffer.from(lines.join('\r\n'))

    for (const size of [1, 2, 3, 7, 64]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      const database = await bank.another()
      const { errors } = await loadAt(database, Temporal.Now.instant(), pieces)

      assert.deepEqual(errors, [])
      assert.deepEqual(splitLines(await dumpDatabase(database)), lines)
    }
  })
})

/** For each scalar in a value, a function that returns the value with that scalar replaced. */
function replaceEachScalar(value: unknown): ((other: unknown) => unknown)[] {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) =>
      replaceEachScalar(each).map(
        (replace) => (other: unknown) => value.with(index, replace(other)),
      ),
    )
  }
  if (!isObject(value)) return [(other) => other]
  return Object.entries(value).flatMap(([field, each]) =>
    replaceEachScalar(each).map((replace) => (other: unknown) => ({
      ...value,
      [field]: replace(other),
    })),
  )
}

describeOnce('an error message about a line', () => {
  const marks = ['Zaphod Beeblebrox', '4242424242'] as const

  it('never contains a value, which may be personal data', async (t) => {
    const bank = await openBank(t)
    const invalid = Object.values(createExamples()).flatMap((text) =>
      replaceEachScalar(JSON.parse(text)).flatMap((replace) => [
        JSON.stringify(replace(marks[0])),
        JSON.stringify(replace(-Number(marks[1]) - 0.5)),
        JSON.stringify(replace({ [marks[0].length]: marks[0] })),
        JSON.stringify(replace([marks[0]])),
      ]),
    )
    bank.write('invalid.ndjson', [
      ...invalid,
      ...invalid.map((text) => text.slice(0, -5)),
      ...marks,
      line('customer', { id: marks[0], name: marks[0] }),
    ])

    const { status, stdout, stderr } = await bank.loadFiles(
      ['invalid.ndjson'],
      ...['--errors', bank.path('errors.txt')],
    )

    const errors = readFileSync(bank.path('errors.txt'), 'utf8')
    assert.equal(status, 1)
    assert.ok(splitLines(errors).length > 1000, `${splitLines(errors).length} errors`)
    for (const text of [stdout, stderr, errors]) {
      assert.deepEqual(
        splitLines(text).filter((shown) => marks.some((mark) => shown.includes(mark))),
        [],
      )
    }
  })
})

describe('an error message about a conflict', () => {
  it('never contains a value of the records', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('Zaphod'), put.account('Zaphod', ['Zaphod'])])

    const { status, stderr } = await bank.load([
      put.customer('Zaphod', { name: 'Beeblebrox', email: 'b@beeblebrox.example' }),
      put.energyAccount('Zaphod', ['Zaphod']),
      put.transaction('Beeblebrox', 'Beeblebrox'),
      put.account('Beeblebrox2', ['Beeblebrox']),
    ])

    assert.equal(splitLines(stderr).length, 5)
    assert.doesNotMatch(stderr, /Zaphod|Beeblebrox|silva/i)
    assert.equal(status, 1)
  })
})
