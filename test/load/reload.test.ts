import assert from 'node:assert/strict'
import { it } from 'node:test'
import { directDebit } from '../../src/contract/examples/banking.ts'
import { energyUsage } from '../../src/contract/examples/energy.ts'
import { describe } from '../support/engines.ts'
import { type Bank, openBank, splitLines } from './bank.ts'
import { createExamples, line, put, removal, undated } from './lines.ts'

const baseLines = [put.customer('c1'), put.account('a1', ['c1']), put.account('a2', ['c1'])]
const energyLine = put.energyAccount('e1', ['c1'])
const everything = [
  ...Object.values(createExamples()),
  undated('a1', 't2'),
  put.debit('a1'),
  put.billing('e1'),
]

function filterType(dump: string, type: string): string[] {
  return splitLines(dump).filter((dumped) => dumped.startsWith(`{"type":"${type}"`))
}

function getEffectiveTime(dumped: string | undefined): string {
  return JSON.parse(dumped ?? '{}').effectiveTime
}

describe('loading a file again', () => {
  for (const [name, lines] of Object.entries({
    'first posted, then pending': [put.transaction('a1', 't1'), undated('a1', 't1')],
    'first deleted, then added': [
      removal('banking.transaction', { accountId: 'a1', transactionId: 't1' }),
      undated('a1', 't1'),
    ],
    'in an account that is deleted first': [
      removal('banking.account', { accountId: 'a1' }),
      put.account('a1', ['c1']),
      undated('a1', 't1'),
    ],
  })) {
    it(`does not change a transaction without a time that is ${name}`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([...baseLines, ...lines])
      const once = await bank.dump()

      await bank.fill([...baseLines, ...lines])
      const twice = await bank.dump()

      assert.equal(twice, once)
      assert.equal(filterType(twice, 'banking.transaction').length, 1)
    })
  }

  it('changes nothing', async (t) => {
    const bank = await openBank(t)
    await bank.fill(everything)
    const once = await bank.dump()

    const again = await bank.loadFiles(['data.ndjson', 'data.ndjson'])

    assert.equal(again.status, 0)
    assert.equal(await bank.dump(), once)
  })

  it('keeps the time of the first load for a transaction without a time', async (t) => {
    const bank = await openBank(t)
    const started = Temporal.Now.instant()
    await bank.fill([...baseLines, undated('a1', 't1')])
    const first = filterType(await bank.dump(), 'banking.transaction')
    const done = Temporal.Now.instant()

    await bank.fill([undated('a1', 't1', { description: 'Another text' }), undated('a1', 't2')])

    const [t2, t1] = filterType(await bank.dump(), 'banking.transaction')
      .sort()
      .reverse()
    assert.equal(getEffectiveTime(t1), getEffectiveTime(first[0]))
    assert.ok(Temporal.Instant.compare(started, getEffectiveTime(t1)) <= 0)
    assert.ok(Temporal.Instant.compare(done, getEffectiveTime(t1)) >= 0)
    assert.ok(Temporal.Instant.compare(getEffectiveTime(t1), getEffectiveTime(t2)) < 0)
    assert.match(t1 ?? '', /Another text/)
  })

  it('reads the effective time from the envelope, and dumps it there', async (t) => {
    const bank = await openBank(t)
    const effectiveTime = '2024-02-29T12:00:00.123456789Z'
    const dated = undated('a1', 't1').replace(',', `,"effectiveTime":"${effectiveTime}",`)

    await bank.fill([...baseLines, dated])

    assert.deepEqual(filterType(await bank.dump(), 'banking.transaction'), [dated])
  })

  it('moves a transaction to its posting time when it is posted', async (t) => {
    const bank = await openBank(t)
    const posted = put.transaction('a1', 't1', { postingDateTime: '2020-01-01T00:00:00Z' })
    await bank.fill([...baseLines, undated('a1', 't1'), put.transaction('a1', 't2')])

    await bank.fill([posted])

    assert.deepEqual(filterType(await bank.dump(), 'banking.transaction'), [
      posted,
      put.transaction('a1', 't2'),
    ])
  })

  it('uses the execution time if there is no posting time', async (t) => {
    const bank = await openBank(t)
    const executed = undated('a1', 't1', { executionDateTime: '2025-04-01T00:00:00+11:00' })
    const posted = (id: string, postingDateTime: string) =>
      put.transaction('a1', id, { postingDateTime })

    await bank.fill([
      ...baseLines,
      posted('t2', '2025-03-31T13:00:01Z'),
      executed,
      posted('t3', '2025-03-31T12:59:59Z'),
    ])

    assert.deepEqual(filterType(await bank.dump(), 'banking.transaction'), [
      posted('t3', '2025-03-31T12:59:59Z'),
      executed,
      posted('t2', '2025-03-31T13:00:01Z'),
    ])
  })
})

describe('a scheduled payment', () => {
  it('has an id that is unique within its account', async (t) => {
    const bank = await openBank(t)
    const both = [put.payment('a1', 's1'), put.payment('a2', 's1')]
    await bank.fill([...baseLines, ...both, put.payment('a2', 's1')])

    await bank.fill([put.payment('a1', 's1', { nickname: 'Rent' })])

    assert.deepEqual(filterType(await bank.dump(), 'banking.scheduledPayment'), [
      put.payment('a1', 's1', { nickname: 'Rent' }),
      put.payment('a2', 's1'),
    ])
  })

  it('is deleted by its account and id, from that account alone', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...baseLines, put.payment('a1', 's1'), put.payment('a2', 's1')])

    const { status, stderr } = await bank.load([
      removal('banking.scheduledPayment', { scheduledPaymentId: 's1' }),
    ])
    await bank.fill([
      removal('banking.scheduledPayment', { accountId: 'a1', scheduledPaymentId: 's1' }),
    ])

    assert.equal(status, 1)
    assert.match(stderr, / delete\.accountId: is required \(at .*\)$/m)
    assert.deepEqual(filterType(await bank.dump(), 'banking.scheduledPayment'), [
      put.payment('a2', 's1'),
    ])
  })
})

describe('a direct debit or a line of billing', () => {
  const record = { ...directDebit, accountId: 'a1' }
  const otherRecord = { ...energyUsage, accountId: 'e1' }
  const start = [...baseLines, energyLine]
  const debit = (id?: string, fields: object = {}) => put.debit('a1', id, fields)
  const billing = (id?: string, fields: object = {}) => put.billing('e1', id, fields)
  const [newDebit, newBilling] = [{ lastDebitAmount: '0.99' }, { gst: '0.99' }]

  /** Checks that these are the only entries. */
  const assertEntries = async (bank: Bank, expected: readonly string[]) => {
    const dumped = splitLines(await bank.dump()).filter((each) => !start.includes(each))
    assert.deepEqual(dumped.sort(), expected.toSorted())
  }

  it('with an id replaces the record with the same id in the account', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...start, debit('x1'), debit('x2'), billing('x1'), billing('x2')])

    await bank.fill([debit('x1', newDebit), billing('x1', newBilling)])

    await assertEntries(bank, [
      debit('x1', newDebit),
      debit('x2'),
      billing('x1', newBilling),
      billing('x2'),
    ])
  })

  it('without an id replaces only an identical record', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...start, debit(), debit(), billing(), billing()])

    const changed = [debit(undefined, newDebit), billing(undefined, newBilling)]
    await bank.fill([debit(), billing(), ...changed])

    await assertEntries(bank, [debit(), billing(), ...changed])
  })

  it('with an id does not replace an identical record without an id', async (t) => {
    const bank = await openBank(t)

    await bank.fill([...start, debit('x1'), debit(), billing('x1'), billing()])

    await assertEntries(bank, [debit('x1'), debit(), billing('x1'), billing()])
  })

  it('is deleted by its id or by its content', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...start, debit('x1'), debit(), billing('x1'), billing()])

    await bank.fill([
      removal('banking.directDebit', { accountId: 'a1', record }),
      removal('energy.billing', { accountId: 'e1', record: otherRecord }),
    ])
    await assertEntries(bank, [debit('x1'), billing('x1')])

    await bank.fill([
      ...[debit(), removal('banking.directDebit', { accountId: 'a1', id: 'x1' })],
      ...[billing(), removal('energy.billing', { accountId: 'e1', id: 'x1' })],
    ])
    await assertEntries(bank, [debit(), billing()])
  })

  it('is identified by its content regardless of whitespace and escapes', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...start, debit(), billing()])
    const reformat = (text: string) =>
      text.replaceAll('":', '" :  ').replace('"accountId"', '"\\u0061ccountId"')

    await bank.fill([
      reformat(line('banking.directDebit', record)),
      reformat(line('energy.billing', otherRecord)),
    ])

    const dump = await bank.dump()
    assert.equal(filterType(dump, 'banking.directDebit').length, 1)
    assert.equal(filterType(dump, 'energy.billing').length, 1)
  })
})
