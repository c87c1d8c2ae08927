import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatProblem } from '../problems.ts'
import { fromCdsProductDetail } from './read-product.ts'

const minimal = {
  productId: 'p-1',
  brand: 'Other Bank',
  name: 'Saver',
  description: 'Savings',
  isTailored: false,
  productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
  lastUpdated: '2026-07-01T00:00:00Z',
}

function read(fields: object) {
  const { product, lost } = fromCdsProductDetail({ ...minimal, ...fields })
  return { product, lost: lost.map(formatProblem) }
}

describe('a product of another holder', () => {
  it('becomes a product of the catalogue, with null as absent', () => {
    const { product, lost } = read({
      brandName: null,
      features: [null],
      cardArt: [{ title: null }],
    })

    assert.deepEqual(lost, [])
    assert.deepEqual(product, {
      product_id: 'p-1',
      brand: 'Other Bank',
      name: 'Saver',
      description: 'Savings',
      is_tailored: false,
      product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
      last_updated: '2026-07-01T00:00:00Z',
      features: [],
      card_art: [{}],
    })
  })

  it('has the newer structure of fees and tiers, read from the older one', () => {
    const { product, lost } = read({
      fees: [
        { name: 'Monthly', feeType: 'PERIODIC', amount: '5.00', additionalValue: 'P1M' },
        { name: 'At cost', feeType: 'VARIABLE' },
      ],
      depositRates: [
        {
          depositRateType: 'VARIABLE',
          rate: '0.01',
          tiers: [{ minimumValue: 1000, applicabilityConditions: { additionalInfo: 'Online' } }],
        },
      ],
    })

    assert.deepEqual(lost, [])
    assert.deepEqual(product?.fees, [
      {
        name: 'Monthly',
        fee_type: 'PERIODIC',
        additional_value: 'P1M',
        fee_method_u_type: 'fixedAmount',
        fixed_amount: { amount: '5.00' },
      },
      {
        name: 'At cost',
        fee_type: 'OTHER',
        fee_method_u_type: 'variable',
        variable: {},
        additional_info: 'At cost',
      },
    ])
    assert.deepEqual(product?.deposit_rates?.[0]?.tiers, [
      {
        minimum_value: '1000',
        applicability_conditions: [{ rate_applicability_type: 'OTHER', additional_info: 'Online' }],
      },
    ])
  })

  it('names what the catalogue has no field or value for', () => {
    const { product, lost } = read({
      brandGroup: 'Group',
      features: [
        { featureType: 'TELEPATHY' },
        { featureType: 'OFFSET', isActivated: true },
        { featureType: 'OTHER' },
        { featureType: 'INTEREST_FREE', additionalValue: '55 days' },
      ],
      fees: [{ name: 'Exit', feeType: 'EXIT', amount: 'free' }],
    })

    assert.deepEqual(product?.features, [
      { feature_type: 'OFFSET' },
      { feature_type: 'INTEREST_FREE' },
    ])
    assert.deepEqual(product?.fees, [])
    assert.deepEqual(
      lost.map((sentence) => sentence.replace(/one of .*/, 'one of …')),
      [
        'brandGroup is not a field of the catalogue',
        'features[1].isActivated is not a field of the catalogue',
        'features[0].featureType must be one of …',
        'features[2] is left out: additionalInfo is required when featureType is OTHER',
        'features[3].additionalValue must be an ISO 8601 duration when featureType is INTEREST_FREE',
        'fees[0].amount must be a decimal string',
        'features[0] is left out: featureType is required',
        'fees[0] is left out: amount is required',
        'fees[0] is left out: fixedAmount is required when feeMethodUType is fixedAmount',
      ],
    )
  })

  it('is rejected if a field is missing or invalid that the catalogue requires', () => {
    assert.deepEqual(read({ name: undefined, isTailored: 'no' }), {
      product: undefined,
      lost: ['name is required', 'isTailored must be true or false'],
    })
    assert.deepEqual(fromCdsProductDetail([]), {
      lost: [{ path: '', reason: 'must be an object' }],
    })
  })

  it('is read in bounded depth', () => {
    let deep: unknown = 'end'
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep]

    assert.deepEqual(read({ extension: deep }).lost, ['extension is not a field of the catalogue'])
  })
})
