import assert from 'node:assert/strict'
import { describe as describeUnit, it } from 'node:test'
import fc from 'fast-check'
import { BankingAccount, BankingAccountV3, unknownFieldRemover } from '../../src/contract/index.ts'
import { readLine } from '../../src/intake/line.ts'
import { anyOf } from '../support/arbitrary.ts'
import { describe, describeOnce } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put, removal } from './lines.ts'

const drop = ['--unknown-fields', 'drop']
const baseLines = [put.customer('c1'), put.account('a1', ['c1'])]

describe('holdfast load --unknown-fields drop', () => {
  it('stores records without their unknown fields, and counts them by name', async (t) => {
    const bank = await openBank(t)
    const lines = [
      put.customer('c1', { merchantName: 'x', address: { region: 'VIC', arbn: 1 } }),
      put.account('a1', ['c1'], {
        fees: [
          { name: 'f', x: 1 },
          { name: 'g', x: 2 },
        ],
      }),
      put.transaction('a1', 't1', { merchantName: 'Bakery', valueDateTime: 'v' }),
      put.transaction('a1', 't2', { merchantName: 'Bakery' }),
    ]

    const { status, stdout, stderr } = await bank.load(lines, ...drop)

    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^4 lines loaded into \S+ in /)
    assert.match(
      stdout,
      /^7 unknown fields left out: merchantName 3, fees\.x 2, address\.arbn 1, valueDateTime 1$/m,
    )
    assert.deepEqual(splitLines(await bank.dump()), [
      put.customer('c1', { address: { region: 'VIC' } }),
      put.account('a1', ['c1'], { fees: [{ name: 'f' }, { name: 'g' }] }),
      put.transaction('a1', 't2'),
      put.transaction('a1', 't1'),
    ])
  })

  it('identifies a record without an id by the fields that are stored', async (t) => {
    const bank = await openBank(t)
    const record = { accountId: 'a1', lastDebitAmount: '5.00' }
    const debit = line('banking.directDebit', { ...record, x: 1 })
    await bank.fill(
      [...baseLines, debit, line('banking.directDebit', { ...record, y: 2 })],
      ...drop,
    )
    const stored = splitLines(await bank.dump()).at(-1)

    await bank.fill(
      [removal('banking.directDebit', { accountId: 'a1', record: { ...record, z: 3 } })],
      ...drop,
    )

    assert.equal(stored, line('banking.directDebit', record))
    assert.deepEqual(splitLines(await bank.dump()), baseLines)
  })

  it('reports what it left out of the committed batches', async (t) => {
    const bank = await openBank(t)
    const invalid = put.customer('c2', { email: 'none' })

    const { status, stderr } = await bank.load(
      [put.customer('c1', { x: 1 }), invalid],
      ...drop,
      ...['--batch', '1'],
    )

    assert.equal(status, 1)
    const shown = splitLines(stderr)
    assert.deepEqual(shown.slice(0, 2), [
      '1 × email: must be an e-mail address (at data.ndjson:2)',
      '1 error in 2 lines. Batches with errors were not committed.',
    ])
    assert.equal(shown.at(-1), '1 unknown field left out: x 1')
  })
})

describeOnce('holdfast load --unknown-fields', () => {
  it('reject is the default, and its message names the flag', async (t) => {
    const bank = await openBank(t)

    for (const flags of [[], ['--unknown-fields', 'reject']]) {
      const { status, stderr } = await bank.load([put.customer('c1', { x: 1 })], ...flags)

      assert.equal(status, 1)
      assert.match(
        stderr,
        /^1 × x: is not a field of this record; --unknown-fields drop leaves it out \(at .*:1\)\n1 error in 1 line/,
      )
    }
  })

  it('accepts no other value', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.load(baseLines, '--unknown-fields', 'keep')

    assert.notEqual(status, 0)
    assert.match(stderr, /Allowed choices are reject, drop/)
  })

  it('drop still rejects every other error, and unknown envelope fields', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.load(
      [
        line('customer', { id: 'c1', x: 1 }, { source: 'y' }),
        '{"type":"customer","delete":{"id":"c1","z":1}}',
      ],
      ...drop,
    )

    assert.equal(status, 1)
    assert.deepEqual(splitLines(stderr), [
      '1 × source: is not a field of this record (at data.ndjson:1)',
      '1 × name: is required (at data.ndjson:1)',
      '1 × delete.z: is not a field of this record (at data.ndjson:2)',
      '3 errors in 2 lines. Nothing was changed.',
    ])
  })

  it('drop names the fields that were left out most often', async (t) => {
    const bank = await openBank(t)
    const fields = Array.from({ length: 1200 }, (_, index) => [`x${1000 + index}`, index])
    const name = '\u001b[2J'

    const { stdout } = await bank.load(
      [
        put.customer('c1', { ...Object.fromEntries(fields), [name]: 1 }),
        put.customer('c2', { x1001: 1, x1002: 1 }),
        put.customer('c3', { x1002: 1 }),
      ],
      ...drop,
    )

    const summary = splitLines(stdout).at(-1) ?? ''
    assert.match(summary, /^1,204 unknown fields left out: x1002 3, x1001 2, x1000 1, x1003 1, /)
    assert.match(summary, /, others 1,181$/)
    assert.equal(summary.split(', ').length, 21)
  })
})

describeUnit('the removal of unknown fields', () => {
  const remove = unknownFieldRemover(BankingAccount, BankingAccountV3)

  it('returns the same object if all fields are known, in either version', () => {
    fc.assert(
      fc.property(fc.oneof(anyOf(BankingAccount), anyOf(BankingAccountV3)), (account) => {
        assert.equal(
          remove(account, (path) => assert.fail(path)),
          account,
        )
      }),
    )
  })

  it('keeps aliases, fields of the other version, and objects whose fields are not known', () => {
    const account = {
      accountId: 'a',
      fees: [{ amount: '1', feeMethodUType: 'variable', variable: {} }],
      depositRates: [{ tiers: [{ applicabilityConditions: [{ rateApplicablityType: 'x' }] }] }],
      nickname: { x: 1 },
    }

    assert.equal(
      remove(account, (path) => assert.fail(path)),
      account,
    )
  })

  it('reports each field with its path', () => {
    const paths: string[] = []
    const account = JSON.parse(
      '{"accountId":"a","__proto__":1,"lendingRates":{"toString":1,"rate":2},"fees":[{"x":1},{"discounts":[{"y":{"z":1}}]}]}',
    )

    const kept = remove(account, (path) => paths.push(path))

    assert.deepEqual(paths, [
      '__proto__',
      'lendingRates.toString',
      'fees[0].x',
      'fees[1].discounts[0].y',
    ])
    assert.equal(
      JSON.stringify(kept),
      '{"accountId":"a","lendingRates":{"rate":2},"fees":[{},{"discounts":[{}]}]}',
    )
  })

  it('never hides that a price is stated twice', () => {
    const record = { accountId: 'a', fees: [{ amount: '1', balanceRate: 1, x: 1 }] }

    const result = readLine(line('banking.account', record, { holders: [] }), 'drop')

    assert.ok('problems' in result)
    assert.deepEqual(result.problems, [
      { path: 'fees[0].balanceRate', reason: 'must be absent when amount is present' },
    ])
  })
})
