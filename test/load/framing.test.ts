import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { isObject } from '../../src/contract/schema.ts'
import { lineBytesMax } from '../../src/load/lines.ts'
import { describe } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { type Lines, linesOf, loadAt, openBank } from './bank.ts'
import { line, oneOfEach, put } from './lines.ts'

const [first, second] = [put.product('p1'), put.product('p2')]
const both = `${first}\n${second}\n`

describe('a file of lines', () => {
  for (const [name, bytes, dumped] of [
    ['a mark of its byte order', `\ufeff${both}`, both],
    ['line ends of Windows', `${first}\r\n${second}\r\n`, both],
    ['blank lines', `\n\n${first}\n  \t \n\r\n${second}\n\n`, both],
    ['no newline at its end', `${first}\n${second}`, both],
    ['blanks around a line', `  ${first}\t\n\t ${second} \n`, both],
    ['nothing in it', '', ''],
    ['only blank lines', '\n \r\n\n', ''],
  ] as const satisfies readonly [string, Lines, string][]) {
    it(`may have ${name}`, async (t) => {
      const bank = await openBank(t)

      await bank.fill(bytes)

      assert.equal(await bank.dump(), dumped)
    })
  }

  it('counts blank lines, so that a refusal has the line that an editor shows', async (t) => {
    const bank = await openBank(t)

    const { stderr } = await bank.load(`\ufeff\r\n\n${first}\r\n\n{}\n\n[]`)

    const places = [...stderr.matchAll(/^data\.ndjson:(\d+): /gm)].map(([, number]) => number)
    assert.deepEqual(places, ['5', '7'])
  })

  it('may have a line of exactly the longest length', async (t) => {
    const bank = await openBank(t)
    const longest = put.product('p3').padEnd(lineBytesMax)

    await bank.fill(`${first}\n${longest}\n${second}`)

    assert.equal(longest.length, lineBytesMax)
    assert.equal(linesOf(await bank.dump()).length, 3)
  })

  it('may be cut anywhere into pieces', async (t) => {
    const bank = await openBank(t)
    const lines = [put.product('p1', { name: 'Für 5 € — 🦉' }), put.product('p2')]
    const bytes = Buffer.from(lines.join('\r\n'))

    for (const size of [1, 2, 3, 7, 64]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      )
      const database = await bank.another()
      const refusals = await loadAt(database, Temporal.Now.instant(), pieces)

      assert.deepEqual(refusals, [])
      assert.deepEqual(linesOf(await dumpDatabase(database)), lines)
    }
  })
})

/** Every place in a value that holds no other values, with what makes the whole with another in it. */
function leavesOf(value: unknown): ((other: unknown) => unknown)[] {
  if (Array.isArray(value)) {
    return value.flatMap((each, index) =>
      leavesOf(each).map((make) => (other: unknown) => value.with(index, make(other))),
    )
  }
  if (!isObject(value)) return [(other) => other]
  return Object.entries(value).flatMap(([field, each]) =>
    leavesOf(each).map((make) => (other: unknown) => ({ ...value, [field]: make(other) })),
  )
}

describe('a refusal', () => {
  const marks = ['Zaphod Beeblebrox', '4242424242'] as const

  it('never repeats a value: it may be about a person', async (t) => {
    const bank = await openBank(t)
    const spoilt = Object.values(oneOfEach()).flatMap((text) =>
      leavesOf(JSON.parse(text)).flatMap((make) => [
        JSON.stringify(make(marks[0])),
        JSON.stringify(make(-Number(marks[1]) - 0.5)),
        JSON.stringify(make({ [marks[0].length]: marks[0] })),
        JSON.stringify(make([marks[0]])),
      ]),
    )
    bank.write('spoilt.ndjson', [
      ...spoilt,
      ...spoilt.map((text) => text.slice(0, -5)),
      ...marks,
      line('customer', { id: marks[0], name: marks[0] }),
    ])

    const { status, stdout, stderr } = await bank.run([
      'load',
      'spoilt.ndjson',
      ...['--errors', 'errors.txt'],
    ])

    const errors = readFileSync(bank.path('errors.txt'), 'utf8')
    assert.equal(status, 1)
    assert.ok(linesOf(errors).length > 1000, `${linesOf(errors).length} refusals`)
    for (const text of [stdout, stderr, errors]) {
      assert.deepEqual(
        linesOf(text).filter((shown) => marks.some((mark) => shown.includes(mark))),
        [],
      )
    }
  })

  it('never repeats a value that other records make wrong', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('Zaphod'), put.account('Zaphod', ['Zaphod'])])

    const { status, stderr } = await bank.load([
      put.customer('Zaphod', { name: 'Beeblebrox', email: 'b@beeblebrox.example' }),
      put.energyAccount('Zaphod', ['Zaphod']),
      put.transaction('Beeblebrox', 'Beeblebrox'),
      put.account('Beeblebrox2', ['Beeblebrox']),
    ])

    assert.equal(linesOf(stderr).length, 5)
    assert.doesNotMatch(stderr, /Zaphod|Beeblebrox|silva/i)
    assert.equal(status, 1)
  })
})
