import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { listLaterContent } from '../../test/support/account-version-three.ts'
import {
  assertBalanced,
  assertOrdered,
  effectiveMs,
  filterLines,
  filterRecords,
  findUnresolvedIds,
  parseCents,
  parseLine,
  sum,
  validateLine,
} from '../../test/support/generated-lines.ts'
import { propertyRuns } from '../../test/support/properties.ts'
import {
  BankingAccountV3,
  downgradeAccount,
  type EnergyBillingTransaction,
  findRecordFaults,
  validator,
} from '../contract/public.ts'
import { type GenerateOptions, generateDefaults, generateLines } from './index.ts'

const until = '2026-03-01T09:30:00+11:00'
const untilMs = Date.parse(until)
const dayMs = 86_400_000

describe('generateLines', () => {
  it('returns the same lines for the same options', () => {
    assert.deepEqual(text({ seed: 7 }), text({ seed: 7 }))
    assert.deepEqual(text({ seed: 7 }), text({ seed: '7' }))
  })

  it('returns different lines for a different seed', () => {
    const [one, other] = [text({ seed: 1 }), new Set(text({ seed: 2 }))]

    assert.ok(one.filter((line) => other.has(line)).length < one.length / 100)
  })

  it('returns the same lines for a customer regardless of how many customers follow', () => {
    const few = text({ seed: 3, customers: 11 })
    const many = text({ seed: 3, customers: 20 })

    assert.deepEqual(many.slice(0, few.length), few)
  })

  it('yields lines lazily, regardless of the size', () => {
    const lines = generateLines({ customers: 1e9, seed: 1, until, largeAccount: 1e12 })

    assert.equal(lines.take(20_000).toArray().length, 20_000)
  })

  it('has no fault of a record for the Consumer Data Standards', () => {
    for (const line of generateLines({ customers: 60, seed: 5, until, transactions: 40 })) {
      const { type, record } = parseLine(line)

      assert.deepEqual(findRecordFaults(type, record), [], line)
    }
  })

  it('conforms to the contract for any options', () => {
    const sizes = {
      customers: fc.nat(25),
      seed: fc.oneof(fc.string(), fc.integer()),
      accounts: fc.double({ min: 0, max: 6, noNaN: true }),
      transactions: fc.double({ min: 0, max: 80, noNaN: true }),
      largeAccount: fc.nat(100),
      products: fc.nat(60),
      until: fc
        .date({ min: new Date('1950-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString()),
    }
    fc.assert(
      fc.property(fc.record(sizes), (options) => {
        const lines = [...generateLines(options)].map(parseLine)

        assert.deepEqual(lines.flatMap(validateLine), [])
        assert.deepEqual(findUnresolvedIds(lines), [])
        assertOrdered(lines, Date.parse(options.until))
        assertBalanced(lines)
      }),
      propertyRuns(12),
    )
  })
})

const lines = text({ customers: 150, transactions: 120 }).map(parseLine)

describe('generated records', () => {
  const accounts = filterLines(lines, 'banking.account')
  const energy = filterLines(lines, 'energy.account')
  const transactions = filterRecords(lines, 'banking.transaction')
  const histories = Map.groupBy(transactions, ({ accountId }) => accountId)

  it('conform to the contract', () => assert.deepEqual(lines.flatMap(validateLine), []))

  it('are valid as version 3 of the account, too', () => {
    const three = validator(BankingAccountV3)
    const earlier = accounts.map(({ record }) => downgradeAccount(record))

    assert.deepEqual(earlier.flatMap(listLaterContent), [])
    assert.deepEqual(earlier.flatMap(three.problems), [])
  })

  it('reference only existing records', () => assert.deepEqual(findUnresolvedIds(lines), []))

  it('have unique keys', () => {
    const keyFields = [
      'id',
      'accountId',
      'transactionId',
      'scheduledPaymentId',
      'invoiceNumber',
      'product_id',
    ]
    const keys = lines.map(({ type, id, accountId, record }) => {
      const values = record as Readonly<Record<string, unknown>>
      return [type, id, accountId, ...keyFields.map((name) => values[name])].join()
    })

    assert.equal(new Set(keys).size, keys.length)
  })

  it('list every holder of a shared account as a user', () => {
    for (const { holders = [], record } of [...accounts, ...energy]) {
      if (holders.length > 1) assert.ok((record.users ?? []).length >= holders.length)
    }
  })

  it('are sorted by time', () => assertOrdered(lines, untilMs))

  it('cover more than three years', () => {
    const defaults = filterRecords(text({ customers: 12 }).map(parseLine), 'banking.transaction')

    assert.ok(
      untilMs - defaults.map(effectiveMs).reduce((a, b) => Math.min(a, b)) > 3 * 365 * dayMs,
    )
  })

  it('include the last week for an account in daily use', () => {
    const newest = histories.get('b-000001-1')?.findLast(({ status }) => status === 'POSTED')

    assert.ok(newest && untilMs - effectiveMs(newest) < 7 * dayMs)
  })

  it('include a fortnightly salary', () => {
    const paydays = (histories.get('b-000001-1') ?? [])
      .filter(({ description }) => description?.startsWith('Salary'))
      .map((transaction) => Math.round(effectiveMs(transaction) / dayMs))

    assert.ok(paydays.length > 3)
    assert.deepEqual(
      paydays.slice(1).map((day, index) => Math.round((day - (paydays[index] ?? 0)) / 7)),
      paydays.slice(1).map(() => 2),
    )
  })

  it('are less frequent on weekends', () => {
    const posted = transactions.flatMap(({ postingDateTime: time }) => time ?? [])
    const weekend = posted.filter((time) => [0, 6].includes(new Date(time).getUTCDay()))

    assert.ok(weekend.length < (posted.length * 2) / 7)
  })

  it('add up to the balances', () => assertBalanced(lines))

  it('have a zero balance in a closed account', () => {
    const balances = new Map(
      filterRecords(lines, 'banking.balance').map((balance) => [balance.accountId, balance]),
    )
    const closed = accounts.filter(({ record }) => record.openStatus === 'CLOSED')

    assert.ok(closed.length > 0)
    for (const { record } of closed) {
      const { currentBalance, availableBalance } = balances.get(record.accountId) ?? {}
      assert.deepEqual([currentBalance, availableBalance], ['0.00', '0.00'])
    }
  })

  it('include the last debit of each direct debit authorisation', () => {
    const debits = filterRecords(lines, 'banking.directDebit')
    const debitsMade = Map.groupBy(
      transactions.filter(({ type }) => type === 'DIRECT_DEBIT'),
      ({ accountId, description }) => `${accountId} ${description}`,
    )

    assert.equal(debits.length, debitsMade.size)
    for (const { accountId, authorisedEntity, lastDebitDateTime, lastDebitAmount } of debits) {
      const last = debitsMade.get(`${accountId} ${authorisedEntity?.description}`)?.at(-1)
      assert.deepEqual(
        [last?.postingDateTime, last?.amount],
        [lastDebitDateTime, `-${lastDebitAmount}`],
      )
    }
  })
})

describe('generated bills', () => {
  const billing = Map.groupBy(filterRecords(lines, 'energy.billing'), ({ accountId }) => accountId)
  const invoices = Map.groupBy(filterRecords(lines, 'energy.invoice'), ({ accountId }) => accountId)

  it('are the sum of the charges, with 10 % GST on all but credits', () => {
    for (const invoice of [...invoices.values()].flat()) {
      const charges = (billing.get(invoice.accountId) ?? []).filter(
        (transaction) => getCharge(transaction)?.invoiceNumber === invoice.invoiceNumber,
      )
      const taxed = charges.filter(({ gst }) => gst)
      const gst = sum(taxed.map(({ gst }) => parseCents(gst)))

      assert.equal(parseCents(invoice.invoiceAmount), sum(charges.map(chargedCents)))
      assert.equal(parseCents(invoice.gstAmount), gst)
      assert.ok(Math.abs(gst * 11 - sum(taxed.map(chargedCents))) <= 5)
      assert.ok(charges.every((charge) => charge.gst || chargedCents(charge) <= 0))
    }
  })

  it('are paid less the on-time discount, and carry over what is unpaid or paid ahead', () => {
    const paid = new Map(
      filterLines(lines, 'energy.billing').map(({ id, record }) => [
        id,
        parseCents(record.payment?.amount),
      ]),
    )
    for (const list of invoices.values()) {
      let owed = 0
      for (const { invoiceNumber, paymentStatus, ...invoice } of list) {
        owed += parseCents(invoice.invoiceAmount)
        assert.equal(parseCents(invoice.balanceAtIssue), owed)
        const payment = paid.get(`${invoiceNumber}-pay`)
        assert.equal(payment !== undefined, owed > 0 && paymentStatus !== 'NOT_PAID')
        if (payment === undefined) continue
        const discount = parseCents(invoice.payOnTimeDiscount?.discountAmount)
        const left = owed - payment - (paymentStatus === 'PAID' ? discount : 0)
        assert.equal(paymentStatus, left > 0 ? 'PARTIALLY_PAID' : 'PAID')
        owed = left
      }
    }
  })

  it('are sorted, and in the past in any time zone', () => {
    for (const list of billing.values()) {
      const times = list.map(({ executionDateTime }) => executionDateTime)

      assert.deepEqual(times, [...times].sort())
      assert.ok(times.every((time) => Date.parse(`${time}Z`) < untilMs))
    }
  })
})

describe('size options', () => {
  const lines = text({ customers: 400, transactions: 50 }).map(parseLine)
  const banking = filterLines(lines, 'banking.account').length
  const accounts = banking + filterLines(lines, 'energy.account').length

  it('set the number of customers', () => {
    assert.equal(filterLines(lines, 'customer').length, 400)
    assert.deepEqual(text({ customers: 0, largeAccount: 5, products: 0 }), [])
  })

  for (const [name, expected, actual] of [
    ['accounts per customer', generateDefaults.accounts, accounts / 400],
    [
      'transactions per banking account',
      50,
      filterLines(lines, 'banking.transaction').length / banking,
    ],
  ] as const) {
    it(`set the average number of ${name}`, () => {
      assert.ok(Math.abs(actual / expected - 1) < 0.15, `${actual}, not about ${expected}`)
    })
  }

  for (const count of [1, 2, 7, 1000, 30_000]) {
    it(`add one account with exactly ${count} transactions`, () => {
      const large = text({ customers: 2, largeAccount: count }).map(parseLine)
      const transactions = filterRecords(large, 'banking.transaction').filter(
        ({ accountId }) => accountId === 'b-000001-large',
      )

      assert.equal(transactions.length, count)
      assert.ok(
        untilMs - Math.max(...transactions.map(effectiveMs).filter(Number.isFinite)) < 7 * dayMs,
      )
      assertOrdered(large, untilMs)
      assertBalanced(large)
    })
  }

  it('set the number of products', () => {
    assert.equal(filterLines(text({ products: 40 }).map(parseLine), 'product').length, 40)
  })

  it('can exclude accounts and products', () => {
    const types = text({ accounts: 0, products: 0 }).map((line) => parseLine(line).type)

    assert.deepEqual(new Set(types), new Set(['customer']))
  })
})

function text(options: Partial<GenerateOptions>): string[] {
  return [...generateLines({ customers: 12, seed: 's', until, ...options })]
}

function getCharge({ usage, demand, onceOff, otherCharges }: EnergyBillingTransaction) {
  return usage ?? demand ?? onceOff ?? otherCharges
}

/** The amount of a charge including its adjustments. */
function chargedCents(transaction: EnergyBillingTransaction): number {
  const adjustments = (transaction.usage ?? transaction.demand)?.adjustments ?? []
  return sum([getCharge(transaction), ...adjustments].map((part) => parseCents(part?.amount)))
}
