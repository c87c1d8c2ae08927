import assert from 'node:assert/strict'
import { it } from 'node:test'
import { directDebit } from '../../src/contract/examples/banking.ts'
import { energyUsage } from '../../src/contract/examples/energy.ts'
import { openProviderStore } from '../../src/storage/open.ts'
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

describe('a customer’s id', () => {
  const ana = { name: 'Ana Silva', email: 'ana@example.com' }
  const idError =
    /^1 × id: belonged to another person, with another e-mail and another name: an id cannot be reused \(at data-\d\.ndjson:\d\)\n1 error /

  it('remains valid for a customer with a new name or a new e-mail address', async (t) => {
    const bank = await openBank(t)
    const people = {
      renamed: { ...ana, name: 'Ana Jones' },
      moved: { ...ana, email: 'ana@example.org' },
      // The same address in capitals.
      capitals: { name: 'Ana Jones', email: 'ANA@Example.com' },
    }
    const ids = Object.keys(people)
    const before = ids.map((id) => put.customer(id, ana))
    await bank.fill(before)

    await bank.fill(Object.entries(people).map(([id, person]) => put.customer(id, person)))
    await bank.fill(ids.map((id) => removal('customer', { id })))
    await bank.fill(before)

    assert.deepEqual(splitLines(await bank.dump()), before.toSorted())
  })

  it('remains valid for a new name and the same domain in Punycode', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', { ...ana, email: 'ana@bücher.example' })])
    const renamed = put.customer('c1', { name: 'Ana Jones', email: 'ana@xn--bcher-kva.example' })

    await bank.fill([renamed])

    assert.equal(await bank.dump(), `${renamed}\n`)
  })

  const another = put.customer('c1', { name: 'Bo Jones', email: 'bo@example.com' })

  it('is rejected for another person', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    const before = await bank.dump()

    const { status, stderr } = await bank.load([put.customer('c2'), another])

    assert.match(stderr, idError)
    assert.equal(status, 1)
    assert.equal(await bank.dump(), before)
  })

  it('is rejected for another person in the same load', async (t) => {
    const bank = await openBank(t)

    const replaced = await bank.load([put.customer('c1', ana), another])
    const removed = await bank.load([
      put.customer('c1', ana),
      removal('customer', { id: 'c1' }),
      another,
    ])

    assert.deepEqual([replaced.status, removed.status], [1, 1])
    assert.match(removed.stderr, /^1 × id: belonged to another person.* \(at data-1\.ndjson:3\)$/m)
  })

  it('is rejected for another person after the customer is deleted', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    await bank.fill([removal('customer', { id: 'c1' })])

    const { status, stderr } = await bank.load([another])

    assert.match(stderr, idError)
    assert.equal(status, 1)
  })

  const none = { ...ana, email: undefined }

  for (const [name, before, after] of [
    ['that has no address, with a new name', none, { ...none, name: 'Ana Jones' }],
    ['that adds an address', none, ana],
    ['that removes its address', ana, none],
  ] as const) {
    it(`remains valid for a customer ${name}, also after it is deleted`, async (t) => {
      const bank = await openBank(t)
      const changed = put.customer('c1', after)

      await bank.fill([put.customer('c1', before)])
      await bank.fill([changed])
      const direct = await bank.dump()
      await bank.fill([put.customer('c2', before)])
      await bank.fill([removal('customer', { id: 'c2' })])
      await bank.fill([put.customer('c2', after)])

      assert.equal(direct, `${changed}\n`)
      assert.deepEqual(splitLines(await bank.dump()), [changed, put.customer('c2', after)])
    })
  }

  for (const [name, before, after] of [
    ['added', none, { ...ana, name: 'Bo Jones' }],
    ['removed', ana, { ...none, name: 'Bo Jones' }],
  ] as const) {
    it(`is rejected for a new name with an address that is ${name}, also after it is deleted`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([put.customer('c1', before)])

      const beside = await bank.load([put.customer('c1', after)])
      await bank.fill([removal('customer', { id: 'c1' })])
      const dump = await bank.dump()
      const later = await bank.load([put.customer('c1', after)])

      for (const { stderr } of [beside, later]) assert.match(stderr, idError)
      assert.equal(await bank.dump(), dump)
    })
  }

  it('is rejected for an address that is equal only after non-ASCII case folding', async (t) => {
    const bank = await openBank(t)
    const sharp = put.customer('c1', { ...ana, email: 'straße@example.com' })
    const double = put.customer('c1', { name: 'Bo Jones', email: 'strasse@example.com' })
    await bank.fill([sharp])

    const beside = await bank.load([double])
    await bank.fill([removal('customer', { id: 'c1' })])
    const after = await bank.load([double])

    for (const { stderr } of [beside, after]) assert.match(stderr, idError)
  })

  it('stays reserved after the customer is deleted, dumped and restored', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana)])
    await bank.fill([removal('customer', { id: 'c1' })])
    const dump = await bank.dump()
    const restored = await openBank(t)
    await restored.fill(dump)

    const { status, stderr } = await restored.load([another])
    const dumpAfter = await restored.dump()
    await restored.fill([put.customer('c1', ana)])

    assert.match(stderr, idError)
    assert.equal(status, 1)
    assert.equal(dumpAfter, dump)
    assert.equal(await restored.dump(), `${put.customer('c1', ana)}\n`)
  })

  it('has its accounts again after the customer is deleted and added again', async (t) => {
    const bank = await openBank(t)
    const lines = [put.customer('c1', ana), put.customer('c2'), put.account('a1', ['c1', 'c2'])]
    const again = [removal('customer', { id: 'c1' }), put.customer('c1', ana)]

    for (const load of [lines, again, [...lines, ...again], [...lines, ...again]]) {
      await bank.fill(load)
      assert.deepEqual(splitLines(await bank.dump()), lines)
    }
  })

  it('is hidden in the holders while the customer is deleted', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1', ana), put.customer('c2'), put.account('a1', ['c1', 'c2'])])
    await bank.fill([removal('customer', { id: 'c1' })])
    const store = await openProviderStore(bank.database())
    t.after(() => store.close())

    assert.equal(await store.readCustomer('c1'), undefined)
    assert.deepEqual(await store.listShareableAccounts('c1'), { missing: 'customer' })
    assert.equal('missing' in (await store.listShareableAccounts('c2')), false)
    const [account] = filterType(await bank.dump(), 'banking.account')
    assert.equal(JSON.parse(account ?? '').unresolved, true)
  })
})
