import assert from 'node:assert/strict'
import { it } from 'node:test'
import { currentEngine, describe, describeOnce } from '../support/engines.ts'
import { openBank, removeLoadTimes, shuffle, splitLines } from './bank.ts'
import { createExamples, put, removal, undated } from './lines.ts'

const invalid = '{"type":"customer","record":{"id":"c9"}}'
/** How many orders are tried. A load costs ten times as much on PostgreSQL. */
const seeds = { sqlite: 3, postgres: 1 }
const baseLines = [put.customer('c1'), put.account('a1', ['c1']), put.account('a2', ['c1'])]

function products(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => put.product(`p${first + index}`))
}

function productIds(dump: string): string[] {
  return splitLines(dump).map((each) => JSON.parse(each).record.product_id)
}

describe('holdfast load --dry-run', () => {
  it('validates and changes nothing', async (t) => {
    const bank = await openBank(t)
    await bank.fill(baseLines)
    const before = await bank.dump()

    const examples = [...Object.values(createExamples()), put.contact('e1')]

    const { status, stdout, stderr } = await bank.load(examples, '--dry-run')

    assert.match(stdout, /^13 lines validated in \d+\.\d s \(.*\)\. Nothing was changed\.\n$/)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.equal(await bank.dump(), before)
  })

  it('reports the same errors as a load', async (t) => {
    const bank = await openBank(t)
    await bank.fill(baseLines)
    bank.write('data.ndjson', [
      invalid,
      put.balance('a9'),
      put.energyAccount('a1', ['c1']),
      put.customer('c1', { name: 'Bo', email: 'bo@example.com' }),
      put.product('p1'),
      ...Array.from({ length: 30 }, () => '{}'),
    ])

    const dry = await bank.loadFiles(['data.ndjson'], '--dry-run')
    const real = await bank.loadFiles(['data.ndjson'])

    assert.equal(dry.status, 1)
    assert.match(dry.stderr, /^34 errors in 35 lines/m)
    assert.deepEqual(dry, real)
  })

  it('changes nothing with --batch, and reports so', async (t) => {
    const bank = await openBank(t)
    await bank.fill(baseLines)
    const before = await bank.dump()

    const valid = await bank.load(products(1, 9), '--dry-run', '--batch', '2')
    const mixed = await bank.load([...products(1, 9), invalid], '--dry-run', '--batch', '2')

    assert.deepEqual([valid.status, mixed.status], [0, 1])
    assert.match(valid.stdout, /Nothing was changed/)
    assert.match(mixed.stderr, /Nothing was changed/)
    assert.equal(await bank.dump(), before)
  })
})

describe('holdfast load --batch', () => {
  it('commits valid batches, skips an invalid batch and continues', async (t) => {
    const bank = await openBank(t)
    const lines = [...products(1, 8), invalid, ...products(9, 15)]

    const { status, stdout, stderr } = await bank.load(lines, '--batch', '4')

    assert.deepEqual(splitLines(stderr).slice(0, 2), [
      '1 × name: is required (at data.ndjson:9)',
      '1 error in 16 lines. Batches with errors were not committed.',
    ])
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
    const kept = [...products(1, 8), ...products(12, 15)]
    assert.deepEqual(splitLines(await bank.dump()), kept.sort())
  })

  for (const [name, at, kept] of [
    ['first', 0, [3, 4, 5, 6, 7]],
    ['middle', 3, [1, 2, 3, 6, 7]],
    ['last and incomplete', 7, [1, 2, 3, 4, 5, 6]],
  ] as const) {
    it(`skips an invalid batch that is the ${name}`, async (t) => {
      const bank = await openBank(t)
      const lines = products(1, 7)

      const { status } = await bank.load(lines.toSpliced(at, 0, invalid), '--batch', '3')

      assert.equal(status, 1)
      assert.deepEqual(
        productIds(await bank.dump()),
        kept.map((id) => `p${id}`),
      )
    })
  }

  it('skips a batch with a line that the store rejects', async (t) => {
    const bank = await openBank(t)
    await bank.fill(baseLines)
    const other = put.customer('c1', { name: 'Bo', email: 'bo@example.com' })

    const { status } = await bank.load(
      [put.product('p1'), put.product('p2'), put.balance('a1'), other, put.balance('a2')],
      ...['--batch', '2'],
    )

    assert.equal(status, 1)
    const kept = [...baseLines, put.balance('a2'), put.product('p1'), put.product('p2')]
    assert.deepEqual(splitLines(await bank.dump()).sort(), kept.sort())
  })

  it('counts lines across files', async (t) => {
    const bank = await openBank(t)
    bank.write('one.ndjson', [...products(1, 2), invalid])
    bank.write('two.ndjson', products(3, 5))

    const { status } = await bank.loadFiles(['one.ndjson', 'two.ndjson'], '--batch', '4')

    assert.equal(status, 1)
    assert.deepEqual(productIds(await bank.dump()), ['p4', 'p5'])
  })

  it('resolves references in any order, in batches of any size', async (t) => {
    const lines = [
      ...Object.values(createExamples()),
      undated('a1', 't5'),
      put.transaction('a1', 't0'),
    ]
    const atOnce = await openBank(t)
    await atOnce.fill(lines)
    const expected = removeLoadTimes(await atOnce.dump())

    for (const size of [1, 2, 7, 999_999_999]) {
      for (let seed = 1; seed <= seeds[currentEngine()]; seed += 1) {
        const bank = await openBank(t)
        await bank.fill(shuffle(lines, size + seed), '--batch', String(size))

        assert.equal(removeLoadTimes(await bank.dump()), expected, `size ${size}, seed ${seed}`)
      }
    }
  })

  it('stores lines with unresolved references, which become visible later', async (t) => {
    const bank = await openBank(t)
    const early = [
      put.balance('a9'),
      put.transaction('a9', 't1'),
      put.payment('a9', 's1'),
      put.debit('a9'),
      put.contact('a9'),
    ]
    const holder = put.account('a8', ['c1', 'c9'])

    const { status, stdout, stderr } = await bank.load(
      [...early, holder, ...baseLines],
      ...['--batch', '2'],
    )
    const visible = splitLines(await bank.dump()).filter((each) => !each.includes('"unresolved"'))
    await bank.fill([put.account('a9', ['c1']), put.customer('c9')])

    assert.equal(
      stderr,
      '6 lines refer to accounts or customers that do not exist (first at data.ndjson:1): stored, and invisible until they exist\n',
    )
    assert.equal(status, 0)
    assert.match(stdout, /^9 lines loaded/)
    assert.deepEqual(visible, baseLines)
    assert.deepEqual(
      splitLines(await bank.dump()).sort(),
      [...baseLines, ...early, holder, put.account('a9', ['c1']), put.customer('c9')].sort(),
    )
  })

  it('keeps the record of one account when a line for another is unresolved', async (t) => {
    const bank = await openBank(t)
    const transaction = put.transaction('a1', 't1')
    await bank.fill([...baseLines, transaction])

    const { status } = await bank.load(
      [put.transaction('a9', 't1', { amount: '7.00' })],
      '--batch',
      '1',
    )

    assert.equal(status, 0)
    assert.ok(splitLines(await bank.dump()).includes(transaction))
  })

  it('deletes a record from an earlier line whose account comes later', async (t) => {
    const bank = await openBank(t)
    const key = { accountId: 'a1', transactionId: 't1' }

    await bank.fill(
      [put.transaction('a1', 't1'), removal('banking.transaction', key), ...baseLines],
      ...['--batch', '2'],
    )

    assert.deepEqual(splitLines(await bank.dump()), baseLines)
  })

  it('deletes a payment with its account, and keeps that of another account, when both accounts come later', async (t) => {
    const bank = await openBank(t)
    const gone = removal('banking.account', { accountId: 'a1' })

    await bank.fill(
      [put.payment('a2', 's1'), put.payment('a1', 's1'), gone, ...baseLines],
      ...['--batch', '1'],
    )

    assert.deepEqual(
      splitLines(await bank.dump()).sort(),
      [...baseLines, put.payment('a2', 's1')].sort(),
    )
  })

  it('has references to records of a skipped batch unresolved', async (t) => {
    const bank = await openBank(t)
    const lines = [
      put.customer('c1'),
      put.account('a1', ['c1']),
      invalid,
      put.account('a2', ['c1']),
      put.balance('a1'),
      put.balance('a2'),
    ]

    const { status, stderr } = await bank.load(lines, '--batch', '2')
    await bank.fill([put.account('a2', ['c1'])])

    assert.equal(status, 1)
    assert.match(
      stderr,
      /^1 line refers to accounts or customers that do not exist \(first at data\.ndjson:6\)/m,
    )
    assert.match(stderr, /^1 error in 6 lines\. Batches with errors were not committed\.$/m)
    assert.deepEqual(
      splitLines(await bank.dump()).sort(),
      lines.filter((each) => each !== invalid).sort(),
    )
  })
})

describeOnce('holdfast load --batch', () => {
  for (const size of ['0', '-1', '1.5', 'all', '', '1e3', '9999999999']) {
    it(`rejects the size “${size}”`, async (t) => {
      const bank = await openBank(t)

      const { status, stdout, stderr } = await bank.load(products(1, 2), `--batch=${size}`)

      assert.match(stderr, /^--batch must be a whole number from 1 to 999999999\n$/)
      assert.deepEqual({ status, stdout }, { status: 2, stdout: '' })
    })
  }
})
