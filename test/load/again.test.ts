import assert from 'node:assert/strict'
import { it } from 'node:test'
import { directDebit } from '../../src/contract/examples/banking.ts'
import { energyUsage } from '../../src/contract/examples/energy.ts'
import { describe } from '../support/engines.ts'
import { linesOf, openBank } from './bank.ts'
import { line, oneOfEach, put, removal, timeless } from './lines.ts'

const people = [put.customer('c1'), put.account('a1', ['c1']), put.account('a2', ['c1'])]
const home = put.energyAccount('e1', ['c1'])
const everything = [
  ...Object.values(oneOfEach()),
  timeless('a1', 't2'),
  put.debit('a1'),
  put.billing('e1'),
]

/** The dumped lines of one type. */
function only(dump: string, type: string): string[] {
  return linesOf(dump).filter((dumped) => dumped.startsWith(`{"type":"${type}"`))
}

function timeOf(dumped: string | undefined): string {
  return JSON.parse(dumped ?? '{}').effectiveTime
}

describe('loading a file twice', () => {
  for (const [name, lines] of Object.entries({
    'posted and then not': [put.transaction('a1', 't1'), timeless('a1', 't1')],
    'removed and then brought': [
      removal('banking.transaction', { accountId: 'a1', transactionId: 't1' }),
      timeless('a1', 't1'),
    ],
    'of an account that is removed first': [
      removal('banking.account', { accountId: 'a1' }),
      put.account('a1', ['c1']),
      timeless('a1', 't1'),
    ],
  })) {
    it(`changes nothing of a transaction without a time that is ${name}`, async (t) => {
      const bank = await openBank(t)
      bank.write('data.ndjson', [...people, ...lines])
      await bank.run(['load', 'data.ndjson'])
      const once = await bank.run(['dump'])

      const again = await bank.run(['load', 'data.ndjson'])
      const twice = await bank.run(['dump'])

      assert.equal(again.status, 0)
      assert.deepEqual(twice, once)
      assert.equal(only(twice.stdout, 'banking.transaction').length, 1)
    })
  }

  it('changes nothing', async (t) => {
    const bank = await openBank(t)
    bank.write('data.ndjson', everything)
    await bank.run(['load', 'data.ndjson'])
    const once = await bank.run(['dump'])

    const again = await bank.run(['load', 'data.ndjson', 'data.ndjson'])
    const twice = await bank.run(['dump'])

    assert.equal(again.status, 0)
    assert.deepEqual(twice, once)
    assert.equal(twice.stdout, await bank.dump(), 'dump in a process and without are the same')
  })

  it('lets a transaction without a time keep that of its first load', async (t) => {
    const bank = await openBank(t)
    const started = Temporal.Now.instant()
    await bank.fill([...people, timeless('a1', 't1')])
    const first = only(await bank.dump(), 'banking.transaction')
    const done = Temporal.Now.instant()

    await bank.fill([timeless('a1', 't1', { description: 'Another text' }), timeless('a1', 't2')])

    const [t2, t1] = only(await bank.dump(), 'banking.transaction')
      .sort()
      .reverse()
    assert.equal(timeOf(t1), timeOf(first[0]))
    assert.ok(Temporal.Instant.compare(started, timeOf(t1)) <= 0)
    assert.ok(Temporal.Instant.compare(done, timeOf(t1)) >= 0)
    assert.ok(Temporal.Instant.compare(timeOf(t1), timeOf(t2)) < 0)
    assert.match(t1 ?? '', /Another text/)
  })

  it('takes an effective time from beside the record, and writes it there', async (t) => {
    const bank = await openBank(t)
    const effectiveTime = '2024-02-29T12:00:00.123456789Z'
    const dated = timeless('a1', 't1').replace(',', `,"effectiveTime":"${effectiveTime}",`)

    await bank.fill([...people, dated])

    assert.deepEqual(only(await bank.dump(), 'banking.transaction'), [dated])
  })

  it('moves a transaction when it is posted', async (t) => {
    const bank = await openBank(t)
    const posted = put.transaction('a1', 't1', { postingDateTime: '2020-01-01T00:00:00Z' })
    await bank.fill([...people, timeless('a1', 't1'), put.transaction('a1', 't2')])

    await bank.fill([posted])

    assert.deepEqual(only(await bank.dump(), 'banking.transaction'), [
      posted,
      put.transaction('a1', 't2'),
    ])
  })

  it('takes an execution time where there is no posting time', async (t) => {
    const bank = await openBank(t)
    const executed = timeless('a1', 't1', { executionDateTime: '2025-04-01T00:00:00+11:00' })
    const posted = (id: string, postingDateTime: string) =>
      put.transaction('a1', id, { postingDateTime })

    await bank.fill([
      ...people,
      posted('t2', '2025-03-31T13:00:01Z'),
      executed,
      posted('t3', '2025-03-31T12:59:59Z'),
    ])

    assert.deepEqual(only(await bank.dump(), 'banking.transaction'), [
      posted('t3', '2025-03-31T12:59:59Z'),
      executed,
      posted('t2', '2025-03-31T13:00:01Z'),
    ])
  })
})

describe('a scheduled payment', () => {
  it('moves to the account that it is paid from now', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...people, put.payment('a1', 's1'), put.payment('a1', 's2')])

    await bank.fill([put.payment('a2', 's1')])
    const moved = only(await bank.dump(), 'banking.scheduledPayment')
    await bank.fill([put.payment('a2', 's2'), put.payment('a1', 's2'), put.payment('a1', 's1')])
    const back = only(await bank.dump(), 'banking.scheduledPayment')

    assert.deepEqual(moved, [put.payment('a1', 's2'), put.payment('a2', 's1')])
    assert.deepEqual(back.sort(), [put.payment('a1', 's1'), put.payment('a1', 's2')])
  })

  it('is removed by its id alone, from whichever account', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...people, put.payment('a1', 's1'), put.payment('a2', 's2')])

    await bank.fill([
      put.payment('a2', 's1'),
      removal('banking.scheduledPayment', { scheduledPaymentId: 's1' }),
    ])

    assert.deepEqual(only(await bank.dump(), 'banking.scheduledPayment'), [put.payment('a2', 's2')])
  })
})

for (const [type, make, record] of [
  ['banking.directDebit', put.debit, { ...directDebit, accountId: 'a1' }],
  ['energy.billing', put.billing, { ...energyUsage, accountId: 'e1' }],
] as const) {
  describe(`a line of ${type}`, () => {
    const account = record.accountId
    const other = type === 'energy.billing' ? { gst: '0.99' } : { lastDebitAmount: '0.99' }

    it('with an id replaces the one with that id in the account', async (t) => {
      const bank = await openBank(t)
      await bank.fill([...people, home, make(account, 'x1'), make(account, 'x2')])

      await bank.fill([make(account, 'x1', other)])

      const expected = [make(account, 'x1', other), make(account, 'x2')]
      assert.deepEqual(only(await bank.dump(), type).sort(), expected.sort())
    })

    it('without an id is the same only where all of it is', async (t) => {
      const bank = await openBank(t)
      await bank.fill([...people, home, make(account), make(account)])

      await bank.fill([make(account), make(account, undefined, other)])

      const expected = [make(account), make(account, undefined, other)]
      assert.deepEqual(only(await bank.dump(), type).sort(), expected.sort())
    })

    it('with an id is never the one without, even with the same content', async (t) => {
      const bank = await openBank(t)

      await bank.fill([...people, home, make(account, 'x1'), make(account)])

      const expected = [make(account, 'x1'), make(account)]
      assert.deepEqual(only(await bank.dump(), type).sort(), expected.sort())
    })

    it('is removed by its id, or by its content', async (t) => {
      const bank = await openBank(t)
      await bank.fill([...people, home, make(account, 'x1'), make(account)])

      await bank.fill([removal(type, { accountId: account, record })])
      const named = only(await bank.dump(), type)
      await bank.fill([make(account), removal(type, { accountId: account, id: 'x1' })])
      const unnamed = only(await bank.dump(), type)

      assert.deepEqual(named, [make(account, 'x1')])
      assert.deepEqual(unnamed, [make(account)])
    })

    it('is known by its content however that is spelled', async (t) => {
      const bank = await openBank(t)
      await bank.fill([...people, home, make(account)])
      const spaced = line(type, record).replaceAll('":', '" :  ')
      const spelled = spaced.replace('"accountId"', '"\\u0061ccountId"')

      await bank.fill([spelled])

      assert.equal(only(await bank.dump(), type).length, 1)
    })
  })
}

describe('a customer’s id', () => {
  const ana = { name: 'Ana Silva', email: 'ana@example.com' }
  const refusal =
    /^data-\d\.ndjson:\d: id: was another person’s, with another e-mail and another name: an id is for life\n1 error /

  for (const [name, person] of Object.entries({
    'a new name': { ...ana, name: 'Ana Jones' },
    'a new e-mail address': { ...ana, email: 'ana@example.org' },
    'the same address in capitals and a new name': { name: 'Ana Jones', email: 'ANA@Example.com' },
  })) {
    it(`stays with a person who gets ${name}`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([put.customer('c1', ana)])

      await bank.fill([put.customer('c1', person)])
      await bank.fill([removal('customer', { id: 'c1' })])
      await bank.fill([put.customer('c1', ana)])

      assert.equal(await bank.dump(), `${put.customer('c1', ana)}\n`)
    })
  }

  it('stays with a person whose domain is written in ASCII, under a new name', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', { ...ana, email: 'ana@bücher.example' })])
    const renamed = put.customer('c1', { name: 'Ana Jones', email: 'ana@xn--bcher-kva.example' })

    await bank.fill([renamed])

    assert.equal(await bank.dump(), `${renamed}\n`)
  })

  const another = put.customer('c1', { name: 'Bo Jones', email: 'bo@example.com' })

  it('does not go to another person', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    const before = await bank.dump()

    const { status, stderr } = await bank.load([put.customer('c2'), another])

    assert.match(stderr, refusal)
    assert.equal(status, 1)
    assert.equal(await bank.dump(), before)
  })

  it('does not go to another person in the same load', async (t) => {
    const bank = await openBank(t)

    const replaced = await bank.load([put.customer('c1', ana), another])
    const removed = await bank.load([
      put.customer('c1', ana),
      removal('customer', { id: 'c1' }),
      another,
    ])

    assert.deepEqual([replaced.status, removed.status], [1, 1])
    assert.match(removed.stderr, /^data-1\.ndjson:3: id: was another person’s/)
  })

  it('does not go to another person when the first is gone', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    await bank.fill([removal('customer', { id: 'c1' })])

    const { status, stderr } = await bank.load([another])

    assert.match(stderr, refusal)
    assert.equal(status, 1)
  })

  it('does not go to a person whose address is the same but for case beyond ASCII', async (t) => {
    const bank = await openBank(t)
    const sharp = put.customer('c1', { ...ana, email: 'straße@example.com' })
    const double = put.customer('c1', { name: 'Bo Jones', email: 'strasse@example.com' })
    await bank.fill([sharp])

    const beside = await bank.load([double])
    await bank.fill([removal('customer', { id: 'c1' })])
    const after = await bank.load([double])

    for (const { stderr } of [beside, after]) assert.match(stderr, refusal)
  })

  it('is remembered by a dump when the person is gone', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    await bank.fill([removal('customer', { id: 'c1' })])
    const dump = await bank.dump()
    const restored = await openBank(t)
    await restored.fill(dump)

    const { status, stderr } = await restored.load([another])
    const dumpAfter = await restored.dump()
    await restored.fill([put.customer('c1', ana)])

    assert.match(stderr, refusal)
    assert.equal(status, 1)
    assert.equal(dumpAfter, dump)
    assert.equal(await restored.dump(), `${put.customer('c1', ana)}\n`)
  })

  it('comes back without the accounts it had', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana), put.customer('c2'), put.account('a1', ['c1', 'c2'])])

    await bank.fill([removal('customer', { id: 'c1' }), put.customer('c1', ana)])

    assert.deepEqual(only(await bank.dump(), 'banking.account'), [put.account('a1', ['c2'])])
  })
})
