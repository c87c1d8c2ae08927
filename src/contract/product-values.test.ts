import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { additionalValues } from './additional-values.ts'
import { findMeasure, findPlace, findUnit, formatValue, parsePath } from './product-values.ts'

const product = {
  name: 'P1M',
  product_category: 'TERM_DEPOSITS',
  effective_from: '2026-01-01T00:00:00Z',
  constraints: [
    { constraint_type: 'MIN_BALANCE', additional_value: '5000' },
    { constraint_type: 'MAX_LVR', additional_value: '0.8' },
  ],
  deposit_rates: [
    {
      deposit_rate_type: 'BONUS',
      rate: '0.0150',
      application_frequency: 'P1M',
      tiers: [
        { unit_of_measure: 'DOLLAR', minimum_value: '1000', maximum_value: '2000.50' },
        { unit_of_measure: 'PERCENT', minimum_value: '0.6' },
        { unit_of_measure: 'MONTH', minimum_value: '1', maximum_value: '12' },
        { unit_of_measure: 'DAY', minimum_value: 'soon' },
      ],
    },
  ],
  lending_rates: [{ rate: '0.06', comparison_rate: '0.0615' }],
  fees: [
    { name: 'Local', fixed_amount: { amount: '5.00' } },
    {
      currency: 'NZD',
      fixed_amount: { amount: '-1200' },
      discounts: [{ discount_type: 'FEE_CAP', additional_value: 'P1Y', rate_based: { rate: '1' } }],
    },
    { fee_type: 'LATE_PAYMENT', additional_value: '14', currency: '' },
  ],
  features: [{ feature_type: 'CARD_ACCESS', additional_value: '0.5' }],
  unknown: '0.5',
}

function show(path: string): string | undefined {
  const parts = parsePath(path)
  const value = parts.reduce((at: unknown, part) => (at as never)[part], product)
  return formatValue(findPlace(product, parts), String(value))
}

describe('a value of a product', () => {
  it('is shown in words by its type, by that of its record and in the currency of its fee', () => {
    for (const [path, text] of [
      ['name', undefined],
      ['product_category', 'Term deposits'],
      ['constraints[0].additional_value', '5,000 AUD'],
      ['constraints[1].additional_value', '80 %'],
      ['deposit_rates[0].rate', '1.5 % a year'],
      ['deposit_rates[0].application_frequency', '1 month'],
      ['deposit_rates[0].tiers[0].minimum_value', '1,000 AUD'],
      ['deposit_rates[0].tiers[0].maximum_value', '2,000.50 AUD'],
      ['deposit_rates[0].tiers[1].minimum_value', '60 %'],
      ['deposit_rates[0].tiers[2].minimum_value', '1 month'],
      ['deposit_rates[0].tiers[2].maximum_value', '12 months'],
      ['deposit_rates[0].tiers[3].minimum_value', undefined],
      ['lending_rates[0].comparison_rate', '6.15 % a year'],
      ['fees[0].name', undefined],
      ['fees[0].fixed_amount.amount', '5.00 AUD'],
      ['fees[1].fixed_amount.amount', '−1,200 NZD'],
      ['fees[1].discounts[0].additional_value', '1 year'],
      ['fees[1].discounts[0].rate_based.rate', '100 %'],
      ['fees[2].additional_value', '14 days'],
      ['features[0].additional_value', undefined],
      ['unknown', undefined],
    ] as const) {
      assert.equal(show(path), text, path)
    }
  })

  it('has the unit that a control shows', () => {
    for (const [path, unit] of [
      ['deposit_rates[0].rate', '% a year'],
      ['deposit_rates[0].tiers[1].maximum_value', '%'],
      ['deposit_rates[0].tiers[2].maximum_value', 'months'],
      ['fees[1].fee_cap', 'NZD'],
      ['fees[2].fee_cap', 'AUD'],
      ['fees[0].name', undefined],
    ] as const) {
      assert.equal(findUnit(findPlace(product, parsePath(path))), unit, path)
    }
    assert.equal(findMeasure(findPlace(product, ['effective_from'])), 'dateTime')
  })

  it('has the format that the standards define for its type', () => {
    for (const [type, format] of Object.entries(additionalValues.eligibility)) {
      const eligibility = [{ eligibility_type: type }]
      const place = findPlace({ eligibility }, ['eligibility', 0, 'additional_value'])
      assert.equal(findMeasure(place), format, type)
    }
  })

  it('has no meaning under the name of an inherited property', () => {
    for (const path of ['constructor', '__proto__.name', 'fees[0].toString', 'name.length']) {
      const place = findPlace(product, parsePath(path))
      assert.equal(findMeasure(place), undefined, path)
      assert.equal(formatValue(place, '1'), undefined)
    }
    const place = findPlace({ fees: [{ fee_type: 'toString' }] }, ['fees', 0, 'additional_value'])
    assert.equal(findMeasure(place), 'text')
  })
})
