import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findProductWarnings, formatProductWarning } from './product-warnings.ts'

const describeWarnings = (product: object) => findProductWarnings(product).map(formatProductWarning)

describe('the warnings of a product', () => {
  it('are rates above 50 % a year and fees without an amount', () => {
    const product = {
      deposit_rates: [{ rate: '0.5' }, { rate: '0.50001' }, { rate: '-0.6' }],
      lending_rates: [{ rate: '0.1', comparison_rate: '4.5' }],
      fees: [
        { fixed_amount: { amount: '0.00' } },
        { rate_based: { rate: '0.01' } },
        { variable: { fee_maximum: '5.00' } },
        { rate_based: { rate_type: 'BALANCE' } },
        { name: 'Free', variable: {} },
      ],
    }
    assert.deepEqual(describeWarnings(product), [
      'Deposit rate 2 › Rate is above 50 % a year: 50.001 %.',
      'Lending rate 1 › Comparison rate is above 50 % a year: 450 %.',
      'Fee 4 has no amount.',
      'Fee 5 has no amount.',
    ])
    assert.deepEqual(describeWarnings({}), [])
  })

  it('are found in a product that is not valid yet', () => {
    const rate = { rate: '4,5', comparison_rate: 4.5 }
    const product = { deposit_rates: [rate, null, 'x', []], lending_rates: {}, fees: 'none' }
    assert.deepEqual(describeWarnings(product), [])
    assert.deepEqual(describeWarnings(JSON.parse('{"__proto__": {"fees": [{}]}}')), [])
  })

  it('are at most fifty', () => {
    assert.equal(findProductWarnings({ fees: Array.from({ length: 60 }, () => ({})) }).length, 50)
  })
})
