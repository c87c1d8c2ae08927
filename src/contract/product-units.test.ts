import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  formatDuration,
  formatNumber,
  formatPercent,
  fromPercent,
  toPercent,
} from './product-units.ts'

describe('a rate', () => {
  for (const [entered, stored] of [
    ['4.5', '0.045'],
    ['4.50', '0.0450'],
    ['0.05', '0.0005'],
    ['100', '1.00'],
    ['450', '4.50'],
    ['-1.25', '-0.0125'],
    ['0', '0.00'],
  ] as const) {
    it(`is entered as ${entered} % and stored as ${stored}`, () => {
      assert.equal(fromPercent(entered), stored)
      assert.equal(toPercent(stored), entered)
    })
  }

  it('is nothing that is not a number, or has more digits than a decimal', () => {
    for (const text of ['4,25', 'four', '4.', '', '1e5', '.5', '−1', `0.${'1'.repeat(33)}`]) {
      assert.equal(fromPercent(text), undefined)
      assert.equal(toPercent(text), undefined)
    }
    assert.equal(fromPercent('4.5 %'), '0.045')
    // Its fraction would have 33 digits.
    assert.equal(fromPercent(`0.${'1'.repeat(31)}`), undefined)
  })

  it('is shown as an exact percentage', () => {
    for (const [rate, text] of [
      ['0.0425', '4.25 %'],
      ['0.5', '50 %'],
      ['0', '0 %'],
      ['1', '100 %'],
      ['-0.001', '−0.1 %'],
      ['0.12345678901234567890', '12.345678901234567890 %'.replace(/0 %$/, ' %')],
      ['12', '1200 %'],
      ['4,25', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(formatPercent(rate), text)
    }
  })
})

it('a number is shown with groups of digits, exactly', () => {
  for (const [number, text] of [
    ['1234567.50', '1,234,567.50'],
    ['-1234', '−1,234'],
    ['0.10', '0.10'],
    ['1'.repeat(33), undefined],
    ['1,5', undefined],
  ] as const) {
    assert.equal(formatNumber(number), text)
  }
})

it('a duration is shown in words', () => {
  for (const [duration, text] of [
    ['P1M', '1 month'],
    ['P1Y6M', '1 year 6 months'],
    ['PT30M', '30 minutes'],
    ['P1000D', '1,000 days'],
    ['P01M', '1 month'],
    [`P${'1'.repeat(100)}Y`, undefined],
    ['P', undefined],
    ['monthly', undefined],
  ] as const) {
    assert.equal(formatDuration(duration), text)
  }
})
