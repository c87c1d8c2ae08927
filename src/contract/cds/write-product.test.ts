import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toAmount } from './field-types.ts'
import { type PublishedProduct, toCdsListProduct, toCdsProductDetail } from './write-product.ts'

const minimal: PublishedProduct = {
  product_id: 'p-1',
  brand: 'Example Bank',
  name: 'Saver',
  description: 'Savings',
  is_tailored: false,
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
  last_updated: '2026-07-01T00:00:00Z',
}

const detail = (fields: Partial<PublishedProduct>, version: 4 | 5 | 6 | 7) =>
  toCdsProductDetail({ ...minimal, ...fields }, version)

describe('a published product', () => {
  it('has the fields of the standards, in their order', () => {
    const product = { ...minimal, features: [], brand_name: 'Example' }

    assert.equal(
      JSON.stringify(toCdsListProduct(product, 5)),
      '{"productId":"p-1","lastUpdated":"2026-07-01T00:00:00Z","productCategory":"TRANS_AND_SAVINGS_ACCOUNTS","name":"Saver","description":"Savings","brand":"Example Bank","brandName":"Example","isTailored":false}',
    )
    assert.deepEqual(toCdsProductDetail(product, 7), {
      ...toCdsListProduct(product, 5),
      features: [],
    })
  })

  it('is not in versions that do not have its category', () => {
    const product = { ...minimal, product_category: 'BUY_NOW_PAY_LATER' } as const

    assert.equal(toCdsListProduct(product, 4), undefined)
    assert.equal(toCdsProductDetail(product, 6), undefined)
    assert.equal(toCdsListProduct(product, 5)?.['productCategory'], 'BUY_NOW_PAY_LATER')
    assert.equal(toCdsProductDetail(product, 7)?.['productCategory'], 'BUY_NOW_PAY_LATER')
  })

  it('has numbers as tier bounds and conditions as text before detail version 6', () => {
    const condition = { rate_applicability_type: 'MIN_DEPOSITS', additional_value: '5' } as const
    const tier = { name: 'All', unit_of_measure: 'DOLLAR', minimum_value: '01000' } as const
    const deposit_rates: PublishedProduct['deposit_rates'] = [
      {
        deposit_rate_type: 'VARIABLE',
        rate: '0.01',
        application_type: 'UPFRONT',
        applicability_conditions: [condition],
        tiers: [{ ...tier, applicability_conditions: [condition] }],
      },
    ]

    assert.deepEqual(detail({ deposit_rates }, 6)?.['depositRates'], [
      {
        depositRateType: 'VARIABLE',
        rate: '0.01',
        applicationType: 'UPFRONT',
        tiers: [
          {
            name: 'All',
            unitOfMeasure: 'DOLLAR',
            minimumValue: '1000.00',
            applicabilityConditions: [
              { rateApplicabilityType: 'MIN_DEPOSITS', additionalValue: '5' },
            ],
          },
        ],
        applicabilityConditions: [{ rateApplicabilityType: 'MIN_DEPOSITS', additionalValue: '5' }],
      },
    ])
    assert.deepEqual(detail({ deposit_rates }, 5)?.['depositRates'], [
      {
        depositRateType: 'VARIABLE',
        rate: '0.01',
        tiers: [
          {
            name: 'All',
            unitOfMeasure: 'DOLLAR',
            minimumValue: 1000,
            applicabilityConditions: { additionalInfo: 'MIN_DEPOSITS 5' },
          },
        ],
        additionalInfo: 'MIN_DEPOSITS 5',
      },
    ])
  })

  it('has the nearest older type of a fee, with the type and its value as text', () => {
    const fees: PublishedProduct['fees'] = [
      {
        name: 'Late',
        fee_type: 'LATE_PAYMENT',
        additional_value: '14',
        additional_info: 'Each time',
        fee_method_u_type: 'fixedAmount',
        fixed_amount: { amount: '15' },
      },
      { name: 'At cost', fee_type: 'EXIT', fee_method_u_type: 'variable', variable: {} },
    ]

    assert.deepEqual(detail({ fees }, 5)?.['fees'], [
      {
        name: 'Late',
        amount: '15.00',
        feeType: 'EVENT',
        additionalInfo: 'LATE_PAYMENT 14: Each time',
      },
      { name: 'At cost', feeType: 'VARIABLE', additionalInfo: 'EXIT' },
    ])
  })

  it('leaves out the constraints, rates and values that a version does not have', () => {
    const fields: Partial<PublishedProduct> = {
      constraints: [
        { constraint_type: 'MAX_LVR', additional_value: '0.8' },
        { constraint_type: 'OTHER', additional_info: 'Ask' },
        { constraint_type: 'MIN_LIMIT', additional_value: '5' },
      ],
      features: [
        { feature_type: 'FUNDS_AVAILABLE_AFTER', additional_value: 'P2D' },
        { feature_type: 'EXTRA_DOWN_PAYMENT' },
      ],
      instalments: { minimum_split: 1, maximum_split: 4 },
    }
    const types = (version: 4 | 5 | 6 | 7) => {
      const { constraints, features, instalments } = detail(fields, version) as {
        constraints: { constraintType: string }[]
        features: { featureType: string; additionalInfo?: string }[]
        instalments?: object
      }
      return [
        constraints.map(({ constraintType }) => constraintType).join(' '),
        features.map((feature) => feature.additionalInfo ?? feature.featureType).join(', '),
        instalments !== undefined,
      ]
    }

    assert.deepEqual(types(7), [
      'MAX_LVR OTHER MIN_LIMIT',
      'FUNDS_AVAILABLE_AFTER, EXTRA_DOWN_PAYMENT',
      true,
    ])
    assert.deepEqual(types(6), [
      'MAX_LVR OTHER MIN_LIMIT',
      'FUNDS_AVAILABLE_AFTER, EXTRA_DOWN_PAYMENT',
      false,
    ])
    assert.deepEqual(types(5), [
      'MAX_LVR MIN_LIMIT',
      'FUNDS_AVAILABLE_AFTER P2D, EXTRA_DOWN_PAYMENT',
      false,
    ])
    assert.deepEqual(types(4), [
      'MIN_LIMIT',
      'FUNDS_AVAILABLE_AFTER P2D, EXTRA_DOWN_PAYMENT',
      false,
    ])
  })

  for (const [unit_of_measure, minimum_value, minimumValue] of [
    ['DOLLAR', '5', '5.00'],
    ['PERCENT', '0.8', '0.8'],
    ['MONTH', '3.0', '3'],
    ['DAY', '007', '7'],
  ] as const) {
    it(`has the bound ${minimum_value} of a tier in ${unit_of_measure} as ${minimumValue}`, () => {
      const tiers = [{ name: 'All', unit_of_measure, minimum_value }]
      const deposit_rates: PublishedProduct['deposit_rates'] = [
        { deposit_rate_type: 'VARIABLE', rate: '0.01', application_type: 'UPFRONT', tiers },
      ]

      const published = detail({ deposit_rates }, 7)

      assert.deepEqual(published?.['depositRates'], [
        {
          depositRateType: 'VARIABLE',
          rate: '0.01',
          applicationType: 'UPFRONT',
          tiers: [{ name: 'All', unitOfMeasure: unit_of_measure, minimumValue }],
        },
      ])
    })
  }

  for (const [decimal, amount] of [
    ['1', '1.00'],
    ['-0.5', '-0.50'],
    ['10.25', '10.25'],
    ['0.123', '0.123'],
    ['007', '7.00'],
    ['-00.1', '-0.10'],
  ] as const) {
    it(`has the amount ${decimal} as ${amount}`, () => {
      assert.equal(toAmount(decimal), amount)
    })
  }
})
