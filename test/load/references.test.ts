import assert from 'node:assert/strict'
import { it } from 'node:test'
import { currentEngine, describe } from '../support/engines.ts'
import { openBank, removeLoadTimes, shuffle, splitLines } from './bank.ts'
import { createExamples, put, removal, undated } from './lines.ts'

/** Several lines of every type. */
function createLines(): string[] {
  const customers = ['c1', 'c2', 'c3']
  const accounts = ['a1', 'a2'].flatMap((id, index) => [
    put.account(id, customers.slice(index)),
    put.balance(id),
    put.contact(id),
    ...[1, 2, 3, 4, 5].map((day) =>
      put.transaction(id, `t${day}`, {
        postingDateTime: `2025-03-0${day % 4}T09:30:00Z`.replace('00T', '09T'),
      }),
    ),
    undated(id, 't6'),
    undated(id, 't7'),
    put.payment(id, `s-${id}`),
    put.debit(id),
    put.debit(id, 'd1'),
  ])
  const energy = ['e1', 'e2'].flatMap((id) => [
    put.energyAccount(id, customers),
    put.contact(id),
    put.invoice(id, 'i1'),
    put.invoice(id, 'i2', { issueDate: '2024-12-31' }),
    put.billing(id),
    put.billing(id, 'b1'),
    put.billing(id, 'b2', { executionDateTime: '2024-05-01T00:30:00' }),
  ])
  const catalogue = ['p1', 'p2'].map((id) => put.product(id))
  return [...customers.map((id) => put.customer(id)), ...accounts, ...energy, ...catalogue]
}

/** How many orders are tried. A load costs ten times as much on PostgreSQL. */
const seeds = { sqlite: 8, postgres: 2 }

describe('the order of lines', () => {
  it('does not affect the result', async (t) => {
    const bank = await openBank(t)
    await bank.fill(createLines())
    const sorted = removeLoadTimes(await bank.dump())

    for (let seed = 1; seed <= seeds[currentEngine()]; seed += 1) {
      const other = await openBank(t)
      await other.fill(shuffle(createLines(), seed))

      assert.equal(removeLoadTimes(await other.dump()), sorted, `shuffled with seed ${seed}`)
    }
  })

  it('does not affect the result across files', async (t) => {
    const bank = await openBank(t)
    const lines = shuffle(createLines(), 7)
    bank.write('one.ndjson', lines.slice(0, 20))
    bank.write('two.ndjson', lines.slice(20))

    const other = await openBank(t)
    other.write('one.ndjson', lines.slice(0, 20))
    other.write('two.ndjson', lines.slice(20))

    const { status } = await bank.loadFiles(['two.ndjson', 'one.ndjson'])
    await other.loadFiles(['one.ndjson', 'two.ndjson'])

    assert.equal(status, 0)
    assert.equal(removeLoadTimes(await other.dump()), removeLoadTimes(await bank.dump()))
  })

  it('does not affect a restored dump', async (t) => {
    const bank = await openBank(t)
    await bank.fill(createLines())
    const dump = await bank.dump()
    const other = await openBank(t)

    await other.fill(shuffle(splitLines(dump), 3))

    assert.equal(await other.dump(), dump)
  })
})

describe('a reference', () => {
  /** A line of each type that refers to an account, and the error. */
  const unknownAccount: readonly (readonly [string, string])[] = [
    [put.balance('a9'), 'accountId: banking account not found'],
    [put.transaction('a9', 't1'), 'accountId: banking account not found'],
    [put.payment('a9', 's9'), 'from.accountId: banking account not found'],
    [put.debit('a9'), 'accountId: banking account not found'],
    [put.invoice('e9', 'i1'), 'accountId: energy account not found'],
    [put.billing('e9'), 'accountId: energy account not found'],
    [put.contact('a9'), 'accountId: account not found'],
  ]

  it('to an unknown account or customer is an error', async (t) => {
    const bank = await openBank(t)
    await bank.fill(Object.values(createExamples()))
    const before = await bank.dump()
    const accounts = [put.account('x1', ['c1', 'c8', 'c9']), put.energyAccount('x2', ['c1', 'c9'])]
    const lines = [put.product('p2'), ...unknownAccount.map(([line]) => line), ...accounts]

    const { status, stderr } = await bank.load([...lines, put.product('p3')])

    assert.deepEqual(await bank.listErrors(['data-1.ndjson']), [
      ...unknownAccount.map(([, error], index) => `data-1.ndjson:${index + 2}: ${error}`),
      'data-1.ndjson:9: holders[1].customerId: customer not found',
      'data-1.ndjson:9: holders[2].customerId: customer not found',
      'data-1.ndjson:10: holders[1].customerId: customer not found',
    ])
    assert.match(stderr, /^10 errors in 11 lines\. Nothing was changed\.$/m)
    assert.equal(status, 1)
    assert.equal(await bank.dump(), before)
  })

  const otherKind: readonly (readonly [string, string])[] = [
    [put.balance('e1'), 'accountId: banking account not found'],
    [put.transaction('e1', 't1'), 'accountId: banking account not found'],
    [put.payment('e1', 's2'), 'from.accountId: banking account not found'],
    [put.debit('e1'), 'accountId: banking account not found'],
    [put.invoice('a1', 'i1'), 'accountId: energy account not found'],
    [put.billing('a1'), 'accountId: energy account not found'],
  ]

  it('to an account of the other kind is an error, before and after the account', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.product('p1')])
    const before = await bank.dump()
    const accounts = Object.values(createExamples())
    const lines = otherKind.map(([line]) => line)

    bank.write('later.ndjson', [...accounts, ...lines])
    bank.write('earlier.ndjson', [...lines, ...accounts])

    const later = await bank.listErrors(['later.ndjson'])
    const earlier = await bank.listErrors(['earlier.ndjson'])
    const { stderr } = await bank.loadFiles(['later.ndjson'])

    assert.deepEqual(
      later,
      otherKind.map(([, error], index) => `later.ndjson:${index + 13}: ${error}`),
    )
    assert.deepEqual(
      earlier,
      otherKind.map(([, error], index) => `earlier.ndjson:${index + 1}: ${error}`),
    )
    assert.match(
      stderr,
      /^3 × accountId: banking account not found \(first at later\.ndjson:13\)$/m,
    )
    assert.equal(await bank.dump(), before)
  })

  it('can refer to a record of an earlier load', async (t) => {
    const bank = await openBank(t)
    const {
      customer,
      'banking.account': account,
      'energy.account': energyLine,
      ...rest
    } = createExamples()
    await bank.fill([customer])
    await bank.fill([account, energyLine])

    await bank.fill(Object.values(rest))

    assert.equal(splitLines(await bank.dump()).length, 12)
  })

  it('is reported with its file and line if it is unresolved', async (t) => {
    const bank = await openBank(t)
    bank.write('one.ndjson', [put.product('p1'), put.balance('a9'), put.account('a1', ['c9'])])
    bank.write('two.ndjson', [put.invoice('e9', 'i1'), put.contact('e9')])

    const errors = await bank.listErrors(['one.ndjson', 'two.ndjson'])

    const locations = errors.map((error) => /^[\w.]+:\d+: [\w.[\]]+/.exec(error)?.[0])
    assert.deepEqual(locations.sort(), [
      'one.ndjson:2: accountId',
      'one.ndjson:3: holders[0].customerId',
      'two.ndjson:1: accountId',
      'two.ndjson:2: accountId',
    ])
  })

  it('to a customer that the same load deletes is an error, in either order', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])
    const account = put.account('a1', ['c1'])
    const deletion = removal('customer', { id: 'c1' })

    const after = await bank.load([deletion, account])
    const before = await bank.load([account, deletion])

    assert.match(after.stderr, /^1 × holders\[\]\.customerId: .* \(at data-1\.ndjson:2\)$/m)
    assert.match(before.stderr, /^1 × holders\[\]\.customerId: .* \(at data-2\.ndjson:1\)$/m)
    assert.deepEqual([after.status, before.status], [1, 1])
  })

  it('of a rejected load does not affect a later load', async (t) => {
    const bank = await openBank(t)
    await bank.load([put.balance('a1'), put.account('a1', ['c1'])])

    await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])

    assert.deepEqual(splitLines(await bank.dump()), [put.customer('c1'), put.account('a1', ['c1'])])
  })
})

describe('an accountId', () => {
  const banking = put.account('x1', ['c1'])
  const energy = put.energyAccount('x1', ['c1'])

  for (const [name, first, second, reason] of [
    ['a bank account', banking, energy, 'is already the id of a banking account'],
    ['an energy account', energy, banking, 'is already the id of an energy account'],
  ] as const) {
    it(`of ${name} is rejected for an account of the other kind`, async (t) => {
      const bank = await openBank(t)

      const together = await bank.load([put.customer('c1'), first, second])
      await bank.fill([put.customer('c1'), first])
      const before = await bank.dump()
      const later = await bank.load([second])

      assert.match(
        together.stderr,
        new RegExp(`^1 × accountId: ${reason} \\(at data\\.ndjson:3\\)\n`),
      )
      assert.match(
        later.stderr,
        new RegExp(`^1 × accountId: ${reason} \\(at data-2\\.ndjson:1\\)\n`),
      )
      assert.deepEqual([together.status, later.status], [1, 1])
      assert.equal(await bank.dump(), before)
    })
  }

  it('can be equal to ids of other types', async (t) => {
    const bank = await openBank(t)

    await bank.fill([
      put.customer('x1'),
      put.account('x1', ['x1']),
      put.energyAccount('x2', ['x1']),
      put.transaction('x1', 'x1'),
      put.payment('x1', 'x1'),
      put.debit('x1', 'x1'),
      put.invoice('x2', 'x1'),
      put.billing('x2', 'x1'),
      put.product('x1'),
    ])

    assert.equal(splitLines(await bank.dump()).length, 9)
  })
})
