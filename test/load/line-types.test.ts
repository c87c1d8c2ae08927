import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { examples } from '../../src/contract/examples/index.ts'
import type { RecordType } from '../../src/contract/index.ts'
import { currentEngine, describe, describeOnce, runSql } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { openBank, splitLines } from './bank.ts'
import { createExamples, exampleKeys, line, put, removal } from './lines.ts'

const types = Object.keys(exampleKeys) as RecordType[]

/** The same lines with a change in a non-key field. */
const changed: Readonly<Record<RecordType, string>> = {
  customer: put.customer('c1', { phoneNumber: '+61 400 000 000' }),
  'banking.account': put.account('a1', ['c1'], { openStatus: 'CLOSED' }),
  'banking.balance': put.balance('a1', { currentBalance: '-1.00' }),
  'banking.transaction': put.transaction('a1', 't1', { amount: '99.99' }),
  'banking.scheduledPayment': put.payment('a1', 's1', { nickname: 'New rent' }),
  'banking.directDebit': put.debit('a1', 'd1', { lastDebitAmount: '60.10' }),
  'energy.account': put.energyAccount('e1', ['c1'], { openStatus: 'CLOSED' }),
  'energy.invoice': put.invoice('e1', 'i1', { issueDate: '2025-04-03' }),
  'energy.billing': put.billing('e1', 'b1', { executionDateTime: '2025-05-01T00:30:00' }),
  'account.contact': put.contact('a1', { emails: ['new@example.com'] }),
  restriction: put.restriction({ customerId: 'c1' }, { reason: 'harm' }),
  product: put.product('p1', { name: 'Another name', last_updated: '2025-04-01T10:00:00+10:00' }),
}

describe('holdfast load', () => {
  it('accepts a line of every type, and dump returns it unchanged', async (t) => {
    const bank = await openBank(t)
    const lines = Object.values(createExamples())

    const { status, stdout, stderr } = await bank.load(lines)

    assert.match(stdout, /^12 lines loaded into \S+ in \d+\.\d s \([\d,]+ lines per second\)\n/)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.deepEqual(splitLines(await bank.dump()).sort(), lines.sort())
  })

  it('accepts every example of the contract', async (t) => {
    const bank = await openBank(t)
    const getExamples = (name: string) => (examples[name] ?? []) as { accountId: string }[]
    const holders = [{ customerId: 'cust-1' }]

    await bank.fill([
      ...getExamples('Customer').map((record) => line('customer', record)),
      ...getExamples('BankingAccount').map((record) =>
        line('banking.account', record, { holders }),
      ),
      ...getExamples('BankingAccountV3').map((record) =>
        line('banking.account', record, { holders }),
      ),
      ...getExamples('BankingBalance').map((record) => line('banking.balance', record)),
      ...getExamples('BankingTransaction').map((record) => line('banking.transaction', record)),
      ...getExamples('ScheduledPayment').map((record) => line('banking.scheduledPayment', record)),
      ...getExamples('DirectDebit').map((record) => line('banking.directDebit', record)),
      ...getExamples('EnergyAccount').map((record) => line('energy.account', record, { holders })),
      ...getExamples('EnergyInvoice').map((record) => line('energy.invoice', record)),
      ...getExamples('EnergyBillingTransaction').map((record) => line('energy.billing', record)),
      ...getExamples('AccountContact').map((record) =>
        line('account.contact', record, { accountId: 'acc-4711' }),
      ),
      ...getExamples('Restriction').map((record) => line('restriction', record)),
      ...getExamples('Product').map((record) => line('product', record)),
    ])

    assert.equal(splitLines(await bank.dump()).length, 15)
  })

  it('replaces the record with the same key, for every type', async (t) => {
    const bank = await openBank(t)
    await bank.fill(Object.values(createExamples()))

    await bank.fill(Object.values(changed))

    assert.deepEqual(splitLines(await bank.dump()).sort(), Object.values(changed).sort())
  })

  it('keeps the last of several lines with the same key', async (t) => {
    const bank = await openBank(t)

    await bank.fill([...Object.values(createExamples()), ...Object.values(changed)])

    assert.deepEqual(splitLines(await bank.dump()).sort(), Object.values(changed).sort())
  })

  it('deletes a record by its key, and nothing else, for every type', async (t) => {
    const bank = await openBank(t)
    const lines = createExamples()
    const others = [put.transaction('a1', 't2'), put.invoice('e1', 'i2'), put.product('p2')]
    await bank.fill([...Object.values(lines), ...others])
    const rest: Partial<typeof lines> = { ...lines }

    for (const type of types.filter((each) => !/customer|\.account$/.test(each))) {
      await bank.fill([removal(type, exampleKeys[type])])

      delete rest[type]
      const expected = [...Object.values(rest), ...others].sort()
      assert.deepEqual(splitLines(await bank.dump()).sort(), expected, type)
    }
  })

  it('deletes an account with everything in it', async (t) => {
    const bank = await openBank(t)
    const lines = createExamples()
    const others = [put.account('a2', ['c1']), put.transaction('a2', 't1'), put.balance('a2')]
    await bank.fill([...Object.values(lines), ...others])

    await bank.fill([
      removal('banking.account', { accountId: 'a1' }),
      removal('energy.account', { accountId: 'e1' }),
    ])
    const removed = splitLines(await bank.dump())
    await bank.fill([lines['banking.account'], lines['energy.account']])
    const readded = splitLines(await bank.dump())

    const rest = [lines.customer, lines.restriction, lines.product, ...others]
    assert.deepEqual(removed.sort(), [...rest].sort())
    const accounts = [lines['banking.account'], lines['energy.account']]
    assert.deepEqual(readded.sort(), [...rest, ...accounts].sort())
  })

  it('deletes a customer, and keeps shared accounts', async (t) => {
    const bank = await openBank(t)
    await bank.fill([
      put.customer('c1'),
      put.customer('c2'),
      put.account('a1', ['c1', 'c2']),
      put.balance('a1'),
    ])

    await bank.fill([removal('customer', { id: 'c1' })])

    const [deletion, ...rest] = splitLines(await bank.dump())
    assert.match(deletion ?? '', /^\{"type":"customer","delete":\{"id":"c1"\},"was":\{/)
    const account = put
      .account('a1', ['c1', 'c2'])
      .replace(',"record"', ',"unresolved":true,"record"')
    assert.deepEqual(rest, [put.customer('c2'), account, put.balance('a1')])
  })

  it('keeps no personal data of a deleted customer', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])

    await bank.fill([removal('customer', { id: 'c1' })])

    assert.doesNotMatch(await bank.dump(), /Silva|Wattle|example\.com|570 006/)
  })

  it('ignores the deletion of a record that does not exist', async (t) => {
    const bank = await openBank(t)
    await bank.fill(Object.values(createExamples()))
    const before = await bank.dump()

    await bank.fill([
      removal('customer', { id: 'c9' }),
      removal('banking.account', { accountId: 'a9' }),
      removal('banking.account', { accountId: 'e1' }),
      removal('energy.account', { accountId: 'a1' }),
      removal('banking.balance', { accountId: 'a9' }),
      removal('banking.transaction', { accountId: 'a9', transactionId: 't1' }),
      removal('banking.transaction', { accountId: 'a1', transactionId: 't9' }),
      removal('banking.scheduledPayment', { accountId: 'a1', scheduledPaymentId: 's9' }),
      removal('banking.scheduledPayment', { accountId: 'a9', scheduledPaymentId: 's1' }),
      removal('banking.directDebit', { accountId: 'a1', id: 'd9' }),
      removal('banking.directDebit', { accountId: 'a1', record: { accountId: 'a1' } }),
      removal('energy.invoice', { accountId: 'e1', invoiceNumber: 'i9' }),
      removal('energy.billing', { accountId: 'e1', id: 'b9' }),
      removal('account.contact', { accountId: 'e1' }),
      removal('product', { product_id: 'p9' }),
    ])

    assert.equal(await bank.dump(), before)
  })

  it('adds records again after an earlier line deleted them', async (t) => {
    const bank = await openBank(t)
    const lines = Object.values(createExamples())
    await bank.fill(lines)
    const before = await bank.dump()
    const removals = types.map((type) => removal(type, exampleKeys[type]))

    await bank.fill([...removals, ...lines])

    assert.equal(await bank.dump(), before)
  })

  it('keeps a closed account', async (t) => {
    const bank = await openBank(t)
    await bank.fill(Object.values(createExamples()))

    await bank.fill([put.account('a1', ['c1'], { openStatus: 'CLOSED' })])

    assert.match(await bank.dump(), /"accountId":"a1".*"openStatus":"CLOSED"/)
    assert.match(await bank.dump(), /"transactionId":"t1"/)
  })

  it('accepts a contact with the status RESTRICTED without a record', async (t) => {
    const bank = await openBank(t)
    const restricted = '{"type":"account.contact","accountId":"a1","status":"RESTRICTED"}'

    await bank.fill([put.customer('c1'), put.account('a1', ['c1']), restricted])

    assert.equal(splitLines(await bank.dump()).at(-1), restricted)
  })

  it('uses the record’s isOwned for a holder that states none, and true if the record has none', async (t) => {
    const bank = await openBank(t)
    const account = (accountId: string, stated: object) =>
      line(
        'banking.account',
        { accountId, users: [{ id: 1 }], ...stated },
        {
          holders: [
            { customerId: 'c1' },
            { customerId: 'c2', isOwned: false },
            { customerId: 'c3', isOwned: true },
          ],
        },
      )

    await bank.fill([
      ...['c1', 'c2', 'c3'].map((id) => put.customer(id)),
      account('a1', {}),
      account('a2', { isOwned: false }),
      account('a3', { isOwned: true }),
      line('energy.account', { accountId: 'e1' }, { holders: [{ customerId: 'c1' }] }),
    ])

    const holders = splitLines(await bank.dump())
      .map((text) => JSON.parse(text))
      .filter((each) => each.type.endsWith('.account'))
      .map((each) => each.holders.map(({ isOwned }: { isOwned: boolean }) => isOwned))
    assert.deepEqual(holders, [
      [true, false, true],
      [false, false, true],
      [true, false, true],
      [true],
    ])
  })

  it('stores aliases of a field under its contract name', async (t) => {
    const bank = await openBank(t)
    const to = { toUType: 'payeeId', accountId: 'a9', payeeId: 'payee-1' }

    const discount = { feeMethodUType: 'fixedAmount', fixedAmount: { amount: '1.00' } }
    const fee = { name: 'Fee', feeMethodUType: 'variable', variable: {}, discounts: [discount] }

    await bank.fill([
      put.customer('c1'),
      put.account('a1', ['c1'], { fees: [fee] }),
      put.payment('a1', 's1', { paymentSet: { to } }),
    ])

    const dump = await bank.dump()
    assert.match(dump, /"to":\{"toUType":"payeeId","accountId":"a9","payeeID":"payee-1"\}/)
    assert.match(
      dump,
      /"feeMethodUType":"variable","variable":\{\},"discounts":\[\{"discountMethodUType":/,
    )
  })

  it('supports more than 200 million accounts', async (t) => {
    const bank = await openBank(t)
    await bank.fill([])
    // Accounts have consecutive numbers: this simulates 200 million earlier accounts.
    if (currentEngine() === 'postgres') {
      await runSql(`select setval('account_number', 200000000)`, bank.database())
    } else {
      const database = new DatabaseSync(bank.path('bank.db'))
      database.exec("insert into account (number, id) values (200000000, 'one of many')")
      database.close()
    }
    const lines = [...Object.values(createExamples()), put.transaction('a1', 't0')]

    await bank.fill(lines)
    await bank.fill(lines.toReversed())
    await bank.fill([removal('banking.transaction', { accountId: 'a1', transactionId: 't0' })])

    assert.deepEqual(splitLines(await bank.dump()).sort(), lines.slice(0, -1).sort())
  })
})

describeOnce('holdfast load', () => {
  it('uses the database of the environment variable unless a flag overrides it', async (t) => {
    const bank = await openBank(t)
    bank.write('data.ndjson', [put.product('p1')])

    const other = await bank.another()
    await bank.run(['load', 'data.ndjson', '--database', other])
    await bank.run(['load', 'data.ndjson'])

    assert.equal(await dumpDatabase(other), `${put.product('p1')}\n`)
    assert.equal(await bank.dump(), await dumpDatabase(other))
  })
})
