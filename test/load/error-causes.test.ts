import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, describeOnce } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put } from './lines.ts'

const person = { id: 'c1', name: 'Ana', email: 'ana@example.com' }

describeOnce('the errors of a load', () => {
  it('are grouped by field and reason, the most frequent first and then by location', async (t) => {
    const bank = await openBank(t)
    const invalidTime = { postingDateTime: '2024-13-01' }
    bank.write('customers.ndjson', [put.customer('c1'), put.customer('c2', { email: 'none' })])
    bank.write('accounts.ndjson', [
      put.transaction('a1', 't1', invalidTime),
      put.account('a1', ['c1'], { openStatus: 'AJAR' }),
      ...Array.from({ length: 1200 }, (_, id) => put.transaction('a1', `x${id}`, invalidTime)),
    ])

    const { status, stderr } = await bank.loadFiles(['customers.ndjson', 'accounts.ndjson'])

    assert.equal(status, 1)
    assert.deepEqual(splitLines(stderr), [
      '1,201 × postingDateTime: must be an RFC 3339 date-time (first at accounts.ndjson:1)',
      '1 × email: must be an e-mail address (at customers.ndjson:2)',
      '1 × openStatus: must be one of CLOSED, OPEN (at accounts.ndjson:2)',
      '1,203 errors in 1,204 lines. Nothing was changed.',
    ])
  })

  it('in elements of lists have one cause', async (t) => {
    const bank = await openBank(t)
    const users = [{ id: 1, email: 'x' }, { id: 2 }, { id: 3, email: 'y' }]

    const { stderr } = await bank.load([put.customer('c1'), put.account('a1', ['c1'], { users })])

    assert.match(stderr, /^2 × users\[\]\.email: must be an e-mail address \(first at .*:2\)$/m)
  })

  it('are the same in a dry run', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])
    bank.write('invalid.ndjson', ['{}', '{}', put.balance('a1')])

    const dry = await bank.loadFiles(['invalid.ndjson'], '--dry-run')
    const real = await bank.loadFiles(['invalid.ndjson'])

    assert.equal(dry.stderr, real.stderr)
    assert.match(dry.stderr, /^2 × type: must be one of .* \(first at invalid\.ndjson:1\)$/m)
  })

  it('have a limited number of causes, and the rest is counted', async (t) => {
    const bank = await openBank(t)
    const unknown = (first: number) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${first + index}`, 1]))
    const lines = Array.from({ length: 30 }, (_, index) =>
      line('customer', { ...person, ...unknown(index * 50) }),
    )

    const some = await bank.load(lines.slice(0, 2))
    const many = await bank.load(lines)

    const shown = splitLines(some.stderr)
    assert.equal(shown.length, 22)
    assert.match(shown[0] ?? '', /^1 × x0: is not a field of this record; .* \(at .*:1\)$/)
    assert.equal(shown[20], 'and 80 other causes, with 80 errors')
    assert.equal(splitLines(many.stderr)[20], 'and at least 980 other causes, with 1,480 errors')
  })

  it('contain no values unless --show-values is set', async (t) => {
    const bank = await openBank(t)
    bank.write('data.ndjson', [
      line('customer', { ...person, email: 'secret\u202e one', address: { region: 7 } }),
      line('customer', { ...person, email: 'other', updatedAt: 'x'.repeat(100) }),
      line('customer', { id: 'c2' }),
      put.balance('unknown'),
      '[1, 2]',
    ])

    const hidden = await bank.loadFiles(['data.ndjson'])
    const shown = await bank.loadFiles(['data.ndjson'], '--show-values')

    assert.doesNotMatch(hidden.stderr, /secret|xxx|unknown|\[1/)
    assert.match(shown.stderr, /^2 × email: .* \(first at .*:1: "secret\\u202e one"\)$/m)
    assert.match(shown.stderr, /^1 × address\.region: .* \(at .*:1: 7\)$/m)
    assert.match(shown.stderr, /^1 × updatedAt: .* \(at .*:2: "x{59}…\)$/m)
    assert.match(shown.stderr, /^1 × name: is required \(at .*:3\)$/m)
    assert.match(shown.stderr, /^1 × line: must be a JSON object \(at .*:5: "\[1, 2\]"\)$/m)
  })
})

describe('the errors of lines', () => {
  it('that follow from a rejected account or customer are counted together', async (t) => {
    const bank = await openBank(t)
    bank.write('accounts.ndjson', [
      put.customer('c1'),
      ...['a1', 'a2', 'a3'].map((id) => put.account(id, ['c1'], { openStatus: 'AJAR' })),
      put.account('a4', ['c2', 'c1', 'c2x'], { users: [1, 2, 3].map((id) => ({ id })) }),
      line('customer', { id: 'c2' }),
    ])
    bank.write('transactions.ndjson', [
      ...Array.from({ length: 20 }, (_, id) => put.transaction(`a${1 + (id % 3)}`, `t${id}`)),
      put.balance('a1'),
      put.invoice('a1', 'i1'),
      put.balance('a9'),
    ])

    const { stderr } = await bank.loadFiles(['transactions.ndjson', 'accounts.ndjson'])

    assert.deepEqual(splitLines(stderr), [
      '3 × openStatus: must be one of CLOSED, OPEN (first at accounts.ndjson:2)',
      '1 × accountId: energy account not found (at transactions.ndjson:22)',
      '1 × accountId: banking account not found (at transactions.ndjson:23)',
      '1 × holders[].customerId: customer not found (at accounts.ndjson:5)',
      '1 × name: is required (at accounts.ndjson:6)',
      '22 lines refer to rejected accounts or customers (first at transactions.ndjson:1)',
      '29 errors in 29 lines. Nothing was changed.',
    ])
  })
})
