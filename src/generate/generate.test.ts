import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  assertBalanced,
  assertOrdered,
  centsOf,
  effectiveMs,
  linesOf,
  parsed,
  problemsOf,
  recordsOf,
  strangersIn,
  sum,
} from '../../test/support/generated.ts'
import type { EnergyBillingTransaction } from '../contract/index.ts'
import { type GenerateOptions, generateDefaults, generateLines } from './index.ts'

const until = '2026-03-01T09:30:00+11:00'
const untilMs = Date.parse(until)
const dayMs = 86_400_000

describe('generated lines', () => {
  it('are the same bytes for the same options', () => {
    assert.deepEqual(text({ seed: 7 }), text({ seed: 7 }))
    assert.deepEqual(text({ seed: 7 }), text({ seed: '7' }))
  })

  it('are other bytes for another seed', () => {
    const [one, other] = [text({ seed: 1 }), new Set(text({ seed: 2 }))]

    assert.ok(one.filter((line) => other.has(line)).length < one.length / 100)
  })

  it('are the same for a customer however many follow', () => {
    const few = text({ seed: 3, customers: 11 })
    const many = text({ seed: 3, customers: 30 })

    assert.deepEqual(many.slice(0, few.length), few)
  })

  it('come one by one, whatever the size', () => {
    const endless = generateLines({ customers: 1e9, seed: 1, until, largeAccount: 1e12 })

    assert.equal(endless.take(20_000).toArray().length, 20_000)
  })

  it('keep the contract for any options', () => {
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
        const lines = [...generateLines(options)].map(parsed)

        assert.deepEqual(lines.flatMap(problemsOf), [])
        assert.deepEqual(strangersIn(lines), [])
        assertOrdered(lines, Date.parse(options.until))
        assertBalanced(lines)
      }),
      { numRuns: 40 },
    )
  })
})

describe('generated records', () => {
  const lines = text({ customers: 150, transactions: 120 }).map(parsed)
  const accounts = linesOf(lines, 'banking.account')
  const energy = linesOf(lines, 'energy.account')
  const transactions = recordsOf(lines, 'banking.transaction')
  const histories = Map.groupBy(transactions, ({ accountId }) => accountId)

  it('keep the contract', () => assert.deepEqual(lines.flatMap(problemsOf), []))

  it('mention only what exists', () => assert.deepEqual(strangersIn(lines), []))

  it('have each key once', () => {
    const fields = ['id', 'transactionId', 'scheduledPaymentId', 'invoiceNumber', 'product_id']
    const keys = lines.map(({ type, id, accountId, record }) => {
      const own = record as Readonly<Record<string, unknown>>
      return [type, id, accountId, own['accountId'], ...fields.map((name) => own[name])].join()
    })

    assert.equal(new Set(keys).size, keys.length)
  })

  it('name every holder of a shared account among its users', () => {
    for (const { holders = [], record } of [...accounts, ...energy]) {
      if (holders.length > 1) assert.ok((record.users ?? []).length >= holders.length)
    }
  })

  it('are in order of time', () => assertOrdered(lines, untilMs))

  it('reach back for years', () => {
    const usual = recordsOf(text({ customers: 40 }).map(parsed), 'banking.transaction')

    assert.ok(untilMs - usual.map(effectiveMs).reduce((a, b) => Math.min(a, b)) > 3 * 365 * dayMs)
  })

  it('reach up to now where an account is in daily use', () => {
    const newest = histories.get('b-000001-1')?.findLast((one) => one.status === 'POSTED')

    assert.ok(newest && untilMs - effectiveMs(newest) < 7 * dayMs)
  })

  it('pay a salary every fortnight', () => {
    const paid = (histories.get('b-000001-1') ?? [])
      .filter(({ description }) => description?.startsWith('Salary'))
      .map((one) => Math.round(effectiveMs(one) / dayMs))

    assert.ok(paid.length > 3)
    assert.deepEqual(
      paid.slice(1).map((day, index) => Math.round((day - (paid[index] ?? 0)) / 7)),
      paid.slice(1).map(() => 2),
    )
  })

  it('take it easy on weekends', () => {
    const posted = transactions.flatMap(({ postingDateTime: time }) => time ?? [])
    const weekend = posted.filter((time) => [0, 6].includes(new Date(time).getUTCDay()))

    assert.ok(weekend.length < (posted.length * 2) / 7)
  })

  it('add up to the balances', () => assertBalanced(lines))

  it('end at zero where an account is closed', () => {
    const balances = new Map(recordsOf(lines, 'banking.balance').map((one) => [one.accountId, one]))
    const closed = accounts.filter(({ record }) => record.openStatus === 'CLOSED')

    assert.ok(closed.length > 0)
    for (const { record } of closed) {
      const { currentBalance, availableBalance } = balances.get(record.accountId) ?? {}
      assert.deepEqual([currentBalance, availableBalance], ['0.00', '0.00'])
    }
  })

  it('tell the last debit of each authorisation', () => {
    const debits = recordsOf(lines, 'banking.directDebit')
    const made = Map.groupBy(
      transactions.filter(({ type }) => type === 'DIRECT_DEBIT'),
      ({ accountId, description }) => `${accountId} ${description}`,
    )

    assert.equal(debits.length, made.size)
    for (const { accountId, authorisedEntity, lastDebitDateTime, lastDebitAmount } of debits) {
      const last = made.get(`${accountId} ${authorisedEntity?.description}`)?.at(-1)
      assert.deepEqual(
        [last?.postingDateTime, last?.amount],
        [lastDebitDateTime, `-${lastDebitAmount}`],
      )
    }
  })
})

describe('generated bills', () => {
  const lines = text({ customers: 150, transactions: 120 }).map(parsed)
  const billing = Map.groupBy(recordsOf(lines, 'energy.billing'), ({ accountId }) => accountId)
  const invoices = Map.groupBy(recordsOf(lines, 'energy.invoice'), ({ accountId }) => accountId)

  it('are what was charged, with a tenth of tax on all but credits', () => {
    for (const invoice of [...invoices.values()].flat()) {
      const charges = (billing.get(invoice.accountId) ?? []).filter(
        (one) => chargeOf(one)?.invoiceNumber === invoice.invoiceNumber,
      )
      const taxed = charges.filter(({ gst }) => gst)
      const gst = sum(taxed.map((one) => centsOf(one.gst)))

      assert.equal(centsOf(invoice.invoiceAmount), sum(charges.map(chargedCents)))
      assert.equal(centsOf(invoice.gstAmount), gst)
      assert.ok(Math.abs(gst * 11 - sum(taxed.map(chargedCents))) <= 5)
      assert.ok(charges.every((one) => one.gst || chargedCents(one) <= 0))
    }
  })

  it('are paid, less what is taken off in time, and carry on what is not', () => {
    for (const [accountId, list] of invoices) {
      const payments = (billing.get(accountId) ?? []).flatMap(({ payment }) => payment ?? [])
      let owed = 0
      let paid = 0
      for (const { invoiceAmount, balanceAtIssue, payOnTimeDiscount, paymentStatus } of list) {
        owed += centsOf(invoiceAmount)
        assert.equal(centsOf(balanceAtIssue), owed)
        if (owed <= 0 || paymentStatus === 'NOT_PAID') continue
        const isAll = paymentStatus === 'PAID'
        const share = isAll
          ? owed - centsOf(payOnTimeDiscount?.discountAmount)
          : Math.floor(owed / 2)
        paid += share
        owed = isAll ? 0 : owed - share
      }

      assert.equal(sum(payments.map(({ amount }) => centsOf(amount))), paid)
    }
  })

  it('are in order, and past wherever their times are read', () => {
    for (const list of billing.values()) {
      const times = list.map(({ executionDateTime }) => executionDateTime)

      assert.deepEqual(times, [...times].sort())
      assert.ok(times.every((time) => Date.parse(`${time}Z`) < untilMs))
    }
  })
})

describe('the size', () => {
  const lines = text({ customers: 400, transactions: 50 }).map(parsed)
  const banking = linesOf(lines, 'banking.account').length
  const accounts = banking + linesOf(lines, 'energy.account').length

  it('has as many customers as are asked for', () => {
    assert.equal(linesOf(lines, 'customer').length, 400)
    assert.deepEqual(text({ customers: 0, largeAccount: 5, products: 0 }), [])
  })

  for (const [what, asked, actual] of [
    ['accounts a customer', generateDefaults.accounts, accounts / 400],
    ['transactions a banking account', 50, linesOf(lines, 'banking.transaction').length / banking],
  ] as const) {
    it(`has about as many ${what} as are asked for`, () => {
      assert.ok(Math.abs(actual / asked - 1) < 0.15, `${actual} for ${asked}`)
    })
  }

  for (const count of [1, 2, 7, 1000, 30_000]) {
    it(`has one account with exactly ${count} transactions where that is asked for`, () => {
      const large = text({ customers: 2, largeAccount: count }).map(parsed)
      const own = recordsOf(large, 'banking.transaction').filter(
        ({ accountId }) => accountId === 'b-000001-large',
      )

      assert.equal(own.length, count)
      assert.ok(untilMs - Math.max(...own.map(effectiveMs).filter(Number.isFinite)) < 7 * dayMs)
      assertOrdered(large, untilMs)
      assertBalanced(large)
    })
  }

  it('has as many products as are asked for', () => {
    assert.equal(linesOf(text({ products: 40 }).map(parsed), 'product').length, 40)
  })

  it('can be nothing but people', () => {
    const types = text({ accounts: 0, products: 0 }).map((line) => parsed(line).type)

    assert.deepEqual(new Set(types), new Set(['customer']))
  })
})

function text(options: Partial<GenerateOptions>): string[] {
  return [...generateLines({ customers: 25, seed: 's', until, ...options })]
}

function chargeOf({ usage, demand, onceOff, otherCharges }: EnergyBillingTransaction) {
  return usage ?? demand ?? onceOff ?? otherCharges
}

/** The amount of a charge with its corrections. */
function chargedCents(one: EnergyBillingTransaction): number {
  const adjustments = (one.usage ?? one.demand)?.adjustments ?? []
  return sum([chargeOf(one), ...adjustments].map((part) => centsOf(part?.amount)))
}
