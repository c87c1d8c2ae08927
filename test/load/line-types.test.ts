import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { examples } from '../../src/contract/examples/index.ts'
import type { RecordType } from '../../src/contract/index.ts'
import { asOwner, describe, engineHere } from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { linesOf, openBank } from './bank.ts'
import { keyOfEach, line, oneOfEach, put, removal } from './lines.ts'

const types = Object.keys(keyOfEach) as RecordType[]

/** The same lines with another value in a field that is no key. */
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
  product: put.product('p1', { name: 'Another name', last_updated: '2025-04-01T10:00:00+10:00' }),
}

describe('holdfast load', () => {
  it('takes a line of every type, and dump writes each as it came', async (t) => {
    const bank = await openBank(t)
    const lines = Object.values(oneOfEach())

    const { status, stdout, stderr } = await bank.load(lines)

    assert.match(stdout, /^11 lines loaded in \d+\.\d s \([\d,]+ lines a second\)\n$/)
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.deepEqual(linesOf(await bank.dump()).sort(), lines.sort())
  })

  it('takes every example of the contract', async (t) => {
    const bank = await openBank(t)
    const of = (name: string) => (examples[name] ?? []) as { accountId: string }[]
    const holders = [{ customerId: 'cust-1' }]

    await bank.fill([
      ...of('Customer').map((record) => line('customer', record)),
      ...of('BankingAccount').map((record) => line('banking.account', record, { holders })),
      ...of('BankingAccountV3').map((record) => line('banking.account', record, { holders })),
      ...of('BankingBalance').map((record) => line('banking.balance', record)),
      ...of('BankingTransaction').map((record) => line('banking.transaction', record)),
      ...of('ScheduledPayment').map((record) => line('banking.scheduledPayment', record)),
      ...of('DirectDebit').map((record) => line('banking.directDebit', record)),
      ...of('EnergyAccount').map((record) => line('energy.account', record, { holders })),
      ...of('EnergyInvoice').map((record) => line('energy.invoice', record)),
      ...of('EnergyBillingTransaction').map((record) => line('energy.billing', record)),
      ...of('AccountContact').map((record) =>
        line('account.contact', record, { accountId: 'acc-4711' }),
      ),
      ...of('Product').map((record) => line('product', record)),
    ])

    assert.equal(linesOf(await bank.dump()).length, 13)
  })

  it('replaces the record that has the key, for every type', async (t) => {
    const bank = await openBank(t)
    await bank.fill(Object.values(oneOfEach()))

    await bank.fill(Object.values(changed))

    assert.deepEqual(linesOf(await bank.dump()).sort(), Object.values(changed).sort())
  })

  it('takes the last of several lines with one key', async (t) => {
    const bank = await openBank(t)

    await bank.fill([...Object.values(oneOfEach()), ...Object.values(changed)])

    assert.deepEqual(linesOf(await bank.dump()).sort(), Object.values(changed).sort())
  })

  for (const type of types.filter((each) => !/customer|\.account$/.test(each))) {
    it(`removes a ${type} by its key, and nothing else`, async (t) => {
      const bank = await openBank(t)
      const lines = oneOfEach()
      const beside = [put.transaction('a1', 't2'), put.invoice('e1', 'i2'), put.product('p2')]
      await bank.fill([...Object.values(lines), ...beside])

      await bank.fill([removal(type, keyOfEach[type])])

      const { [type]: _removed, ...rest } = lines
      assert.deepEqual(
        linesOf(await bank.dump()).sort(),
        [...Object.values(rest), ...beside].sort(),
      )
    })
  }

  it('removes an account with all that is its, and brings nothing of it back', async (t) => {
    const bank = await openBank(t)
    const lines = oneOfEach()
    const others = [put.account('a2', ['c1']), put.transaction('a2', 't1'), put.balance('a2')]
    await bank.fill([...Object.values(lines), ...others])

    await bank.fill([
      removal('banking.account', { accountId: 'a1' }),
      removal('energy.account', { accountId: 'e1' }),
    ])
    const removed = linesOf(await bank.dump())
    await bank.fill([lines['banking.account'], lines['energy.account']])
    const back = linesOf(await bank.dump())

    const rest = [lines.customer, lines.product, ...others]
    assert.deepEqual(removed.sort(), [...rest].sort())
    const accounts = [lines['banking.account'], lines['energy.account']]
    assert.deepEqual(back.sort(), [...rest, ...accounts].sort())
  })

  it('removes a customer from the accounts that others hold too', async (t) => {
    const bank = await openBank(t)
    await bank.fill([
      put.customer('c1'),
      put.customer('c2'),
      put.account('a1', ['c1', 'c2']),
      put.balance('a1'),
    ])

    await bank.fill([removal('customer', { id: 'c1' })])

    const [gone, ...rest] = linesOf(await bank.dump())
    assert.match(gone ?? '', /^\{"type":"customer","delete":\{"id":"c1"\},"was":\{/)
    assert.deepEqual(rest, [put.customer('c2'), put.account('a1', ['c2']), put.balance('a1')])
  })

  it('keeps nothing of a removed customer that says who it was', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])

    await bank.fill([removal('customer', { id: 'c1' })])

    assert.doesNotMatch(await bank.dump(), /Silva|Wattle|example\.com|570 006/)
  })

  it('minds no removal of what is not there', async (t) => {
    const bank = await openBank(t)
    await bank.fill(Object.values(oneOfEach()))
    const before = await bank.dump()

    await bank.fill([
      removal('customer', { id: 'c9' }),
      removal('banking.account', { accountId: 'a9' }),
      removal('banking.account', { accountId: 'e1' }),
      removal('energy.account', { accountId: 'a1' }),
      removal('banking.balance', { accountId: 'a9' }),
      removal('banking.transaction', { accountId: 'a9', transactionId: 't1' }),
      removal('banking.transaction', { accountId: 'a1', transactionId: 't9' }),
      removal('banking.scheduledPayment', { scheduledPaymentId: 's9' }),
      removal('banking.directDebit', { accountId: 'a1', id: 'd9' }),
      removal('banking.directDebit', { accountId: 'a1', record: { accountId: 'a1' } }),
      removal('energy.invoice', { accountId: 'e1', invoiceNumber: 'i9' }),
      removal('energy.billing', { accountId: 'e1', id: 'b9' }),
      removal('account.contact', { accountId: 'e1' }),
      removal('product', { product_id: 'p9' }),
    ])

    assert.equal(await bank.dump(), before)
  })

  it('puts again what a line before removed', async (t) => {
    const bank = await openBank(t)
    const lines = Object.values(oneOfEach())
    await bank.fill(lines)
    const before = await bank.dump()
    const removals = types.map((type) => removal(type, keyOfEach[type]))

    await bank.fill([...removals, ...lines])

    assert.equal(await bank.dump(), before)
  })

  it('keeps an account that was closed', async (t) => {
    const bank = await openBank(t)
    await bank.fill(Object.values(oneOfEach()))

    await bank.fill([put.account('a1', ['c1'], { openStatus: 'CLOSED' })])

    assert.match(await bank.dump(), /"accountId":"a1".*"openStatus":"CLOSED"/)
    assert.match(await bank.dump(), /"transactionId":"t1"/)
  })

  it('takes the contact of a restricted account without a record', async (t) => {
    const bank = await openBank(t)
    const restricted = '{"type":"account.contact","accountId":"a1","status":"RESTRICTED"}'

    await bank.fill([put.customer('c1'), put.account('a1', ['c1']), restricted])

    assert.equal(linesOf(await bank.dump()).at(-1), restricted)
  })

  it('takes a holder to own the account unless the line says otherwise', async (t) => {
    const bank = await openBank(t)
    const holders = [{ customerId: 'c1' }, { customerId: 'c2', isOwned: false }]

    await bank.fill([
      put.customer('c1'),
      put.customer('c2'),
      line('banking.account', { accountId: 'a1' }, { holders }),
    ])

    const expected = [
      { customerId: 'c1', isOwned: true },
      { customerId: 'c2', isOwned: false },
    ]
    assert.deepEqual(JSON.parse(linesOf(await bank.dump()).at(-1) ?? '').holders, expected)
  })

  it('keeps other spellings in the contract’s own', async (t) => {
    const bank = await openBank(t)
    const to = { toUType: 'payeeId', payeeId: 'payee-1' }

    await bank.fill([
      put.customer('c1'),
      put.account('a1', ['c1']),
      put.payment('a1', 's1', { paymentSet: { to } }),
    ])

    assert.match(await bank.dump(), /"to":\{"toUType":"payeeId","payeeID":"payee-1"\}/)
  })

  it('takes as many accounts as there are', async (t) => {
    const bank = await openBank(t)
    await bank.fill([])
    // Accounts are numbered one after another: this is as if two hundred million had come before.
    if (engineHere() === 'postgres') {
      await asOwner(`select setval('account_number', 200000000)`, bank.database())
    } else {
      const database = new DatabaseSync(bank.path('bank.db'))
      database.exec("insert into account (number, id) values (200000000, 'one of many')")
      database.close()
    }
    const lines = [...Object.values(oneOfEach()), put.transaction('a1', 't0')]

    await bank.fill(lines)
    await bank.fill(lines.toReversed())
    await bank.fill([removal('banking.transaction', { accountId: 'a1', transactionId: 't0' })])

    assert.deepEqual(linesOf(await bank.dump()).sort(), lines.slice(0, -1).sort())
  })

  it('reads the database that a variable names, unless a flag names another', async (t) => {
    const bank = await openBank(t)
    bank.write('data.ndjson', [put.product('p1')])

    const other = await bank.another()
    await bank.run(['load', 'data.ndjson', '--database', other])
    await bank.run(['load', 'data.ndjson'])

    assert.equal(await dumpDatabase(other), `${put.product('p1')}\n`)
    assert.equal(await bank.dump(), await dumpDatabase(other))
  })
})
