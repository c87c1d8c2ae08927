import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RecordType } from '../../src/contract/index.ts'
import { describe } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { linesOf, openBank, shuffled, withoutLoadTimes } from './bank.ts'
import { oneOfEach, put, removal, timeless } from './lines.ts'

/** A town of a few people, with something of every type several times. */
function town(): string[] {
  const people = ['c1', 'c2', 'c3']
  const accounts = ['a1', 'a2'].flatMap((id, index) => [
    put.account(id, people.slice(index)),
    put.balance(id),
    put.contact(id),
    ...[1, 2, 3, 4, 5].map((day) =>
      put.transaction(id, `t${day}`, {
        postingDateTime: `2025-03-0${day % 4}T09:30:00Z`.replace('00T', '09T'),
      }),
    ),
    timeless(id, 't6'),
    timeless(id, 't7'),
    put.payment(id, `s-${id}`),
    put.debit(id),
    put.debit(id, 'd1'),
  ])
  const homes = ['e1', 'e2'].flatMap((id) => [
    put.energyAccount(id, people),
    put.contact(id),
    put.invoice(id, 'i1'),
    put.invoice(id, 'i2', { issueDate: '2024-12-31' }),
    put.billing(id),
    put.billing(id, 'b1'),
    put.billing(id, 'b2', { executionDateTime: '2024-05-01T00:30:00' }),
  ])
  const catalogue = ['p1', 'p2'].map((id) => put.product(id))
  return [...people.map((id) => put.customer(id)), ...accounts, ...homes, ...catalogue]
}

describe('the order of lines', () => {
  it('does not matter', async (t) => {
    const bank = await openBank(t)
    await bank.fill(town())
    const sorted = withoutLoadTimes(await bank.dump())

    for (let seed = 1; seed <= 20; seed += 1) {
      const other = await openBank(t)
      await other.fill(shuffled(town(), seed))

      assert.equal(withoutLoadTimes(await other.dump()), sorted, `shuffled by ${seed}`)
    }
  })

  it('does not matter over several files', async (t) => {
    const bank = await openBank(t)
    const lines = shuffled(town(), 7)
    bank.write('one.ndjson', lines.slice(0, 20))
    bank.write('two.ndjson', lines.slice(20))

    const { status } = await bank.run(['load', 'two.ndjson', 'one.ndjson'])
    const other = await bank.another()
    await bank.run(['load', 'one.ndjson', 'two.ndjson', '--database', other])

    assert.equal(status, 0)
    assert.equal(withoutLoadTimes(await dumpDatabase(other)), withoutLoadTimes(await bank.dump()))
  })

  it('does not matter to a dump of a dump', async (t) => {
    const bank = await openBank(t)
    await bank.fill(town())
    const dump = await bank.dump()
    const other = await openBank(t)

    await other.fill(shuffled(linesOf(dump), 3))

    assert.equal(await other.dump(), dump)
  })
})

describe('a reference', () => {
  const unknownAccount: readonly [string, string, string][] = [
    ['banking.balance', put.balance('a9'), 'accountId: names no banking account that exists'],
    [
      'banking.transaction',
      put.transaction('a9', 't1'),
      'accountId: names no banking account that exists',
    ],
    [
      'banking.scheduledPayment',
      put.payment('a9', 's9'),
      'from.accountId: names no banking account that exists',
    ],
    ['banking.directDebit', put.debit('a9'), 'accountId: names no banking account that exists'],
    ['energy.invoice', put.invoice('e9', 'i1'), 'accountId: names no energy account that exists'],
    ['energy.billing', put.billing('e9'), 'accountId: names no energy account that exists'],
    ['account.contact', put.contact('a9'), 'accountId: names no account that exists'],
  ]
  for (const [type, lost, refusal] of unknownAccount) {
    it(`of a ${type} to an account that is not there refuses the load`, async (t) => {
      const bank = await openBank(t)
      await bank.fill(Object.values(oneOfEach()))
      const before = await bank.dump()

      const { status, stderr } = await bank.load([put.product('p2'), lost, put.product('p3')])

      assert.equal(
        stderr,
        `data-1.ndjson:2: ${refusal}\n1 error in 3 lines. Nothing was changed.\n`,
      )
      assert.equal(status, 1)
      assert.equal(await bank.dump(), before)
    })
  }

  for (const type of ['account', 'energyAccount'] as const) {
    it(`of an ${type} to a customer who is not there refuses the load`, async (t) => {
      const bank = await openBank(t)
      await bank.fill(Object.values(oneOfEach()))
      const before = await bank.dump()

      const { status, stderr } = await bank.load([put[type]('x1', ['c1', 'c8', 'c9'])])

      assert.deepEqual(linesOf(stderr), [
        'data-1.ndjson:1: holders[1].customerId: names no customer that exists',
        'data-1.ndjson:1: holders[2].customerId: names no customer that exists',
        '2 errors in 1 line. Nothing was changed.',
      ])
      assert.equal(status, 1)
      assert.equal(await bank.dump(), before)
    })
  }

  const otherKind: readonly [RecordType, string, string][] = [
    ['banking.balance', put.balance('e1'), 'accountId: names no banking account that exists'],
    [
      'banking.transaction',
      put.transaction('e1', 't1'),
      'accountId: names no banking account that exists',
    ],
    [
      'banking.scheduledPayment',
      put.payment('e1', 's2'),
      'from.accountId: names no banking account that exists',
    ],
    ['banking.directDebit', put.debit('e1'), 'accountId: names no banking account that exists'],
    ['energy.invoice', put.invoice('a1', 'i1'), 'accountId: names no energy account that exists'],
    ['energy.billing', put.billing('a1'), 'accountId: names no energy account that exists'],
  ]
  for (const [type, crossed, refusal] of otherKind) {
    it(`of a ${type} to an account of the other kind refuses the load`, async (t) => {
      const bank = await openBank(t)
      const accounts = Object.values(oneOfEach())

      const later = await bank.load([...accounts, crossed])
      const earlier = await bank.load([crossed, ...accounts])

      assert.match(later.stderr, new RegExp(`^data\\.ndjson:12: ${refusal}\n1 error `))
      assert.match(earlier.stderr, new RegExp(`^data-1\\.ndjson:1: ${refusal}\n1 error `))
      assert.equal(await bank.dump(), '')
    })
  }

  it('may go to what an earlier load brought', async (t) => {
    const bank = await openBank(t)
    const { customer, 'banking.account': account, 'energy.account': home, ...rest } = oneOfEach()
    await bank.fill([customer])
    await bank.fill([account, home])

    await bank.fill(Object.values(rest))

    assert.equal(linesOf(await bank.dump()).length, 11)
  })

  it('is told with its file and line, those of all files in order', async (t) => {
    const bank = await openBank(t)
    bank.write('one.ndjson', [put.product('p1'), put.balance('a9'), put.account('a1', ['c9'])])
    bank.write('two.ndjson', [put.invoice('e9', 'i1'), put.contact('e9')])

    const { status, stderr } = await bank.run(['load', 'one.ndjson', 'two.ndjson'])

    const places = linesOf(stderr).map((shown) => /^[\w.]+:\d+: [\w.[\]]+/.exec(shown)?.[0])
    assert.deepEqual(places.slice(0, -1).sort(), [
      'one.ndjson:2: accountId',
      'one.ndjson:3: holders[0].customerId',
      'two.ndjson:1: accountId',
      'two.ndjson:2: accountId',
    ])
    assert.equal(status, 1)
  })

  it('to what the same load removes refuses the load, whichever comes first', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])
    const account = put.account('a1', ['c1'])
    const gone = removal('customer', { id: 'c1' })

    const after = await bank.load([gone, account])
    const before = await bank.load([account, gone])

    assert.match(after.stderr, /^data-1\.ndjson:2: holders\[0\]\.customerId: /)
    assert.match(before.stderr, /^data-2\.ndjson:1: holders\[0\]\.customerId: /)
    assert.deepEqual([after.status, before.status], [1, 1])
  })

  it('that was refused once is good when what it names has come', async (t) => {
    const bank = await openBank(t)
    await bank.load([put.balance('a1'), put.account('a1', ['c1'])])

    await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])

    assert.deepEqual(linesOf(await bank.dump()), [put.customer('c1'), put.account('a1', ['c1'])])
  })
})

describe('an accountId', () => {
  const banking = put.account('x1', ['c1'])
  const energy = put.energyAccount('x1', ['c1'])

  for (const [name, first, second, reason] of [
    ['a bank account', banking, energy, 'is the id of a banking account already'],
    ['an energy account', energy, banking, 'is the id of an energy account already'],
  ] as const) {
    it(`of ${name} is not given to one of the other kind`, async (t) => {
      const bank = await openBank(t)

      const together = await bank.load([put.customer('c1'), first, second])
      await bank.fill([put.customer('c1'), first])
      const before = await bank.dump()
      const later = await bank.load([second])

      assert.match(together.stderr, new RegExp(`^data\\.ndjson:3: accountId: ${reason}\n`))
      assert.match(later.stderr, new RegExp(`^data-2\\.ndjson:1: accountId: ${reason}\n`))
      assert.deepEqual([together.status, later.status], [1, 1])
      assert.equal(await bank.dump(), before)
    })
  }

  it('is the bank’s or the retailer’s, though both have a list of that name', async (t) => {
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

    assert.equal(linesOf(await bank.dump()).length, 9)
  })
})
