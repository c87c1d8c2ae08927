import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { computeBudget } from './budget.ts'

const first = Temporal.PlainDate.from('2026-06-01')

function transaction(type: string, description: string, amount: string, month = '2026-06') {
  return { type, description, amount, currency: 'AUD', postingDateTime: `${month}-15T10:00:00Z` }
}

describe('the budget of shared transactions', () => {
  it('adds money in and out by month, without transfers between own accounts', () => {
    const { months } = computeBudget(
      [
        transaction('TRANSFER_INCOMING', 'Salary Clinic', '3000.10'),
        transaction('TRANSFER_INCOMING', 'Regular saving', '250.00'),
        transaction('TRANSFER_OUTGOING', 'Transfer to savings', '-250.00'),
        transaction('PAYMENT', 'Supermarket', '-0.10'),
        transaction('PAYMENT', 'Supermarket', '-0.20'),
        transaction('PAYMENT', 'Supermarket', '-5.00', '2026-11'),
        transaction('PAYMENT', 'Supermarket', '-7.00', '2026-05'),
      ],
      first,
    )

    assert.equal(months.length, 6)
    assert.deepEqual(months[0], { start: '2026-06-01', moneyIn: 300_010, moneyOut: 30 })
    assert.deepEqual(months[5], { start: '2026-11-01', moneyIn: 0, moneyOut: 500 })
  })

  it('lists the largest merchants first', () => {
    const { merchants } = computeBudget(
      [
        transaction('PAYMENT', 'Bakery', '-10.00'),
        transaction('DIRECT_DEBIT', 'Insurance', '-30.00'),
        transaction('PAYMENT', 'Bakery', '-25.00'),
        transaction('FEE', 'Account fee', '-99.00'),
        transaction('PAYMENT', 'Refund', '99.00'),
      ],
      first,
    )

    assert.deepEqual(merchants, [
      { name: 'Bakery', payments: 2, cents: 3500 },
      { name: 'Insurance', payments: 1, cents: 3000 },
    ])
  })
})
