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
      applicationUri: 'javascript:alert(1)',
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
        'applicationUri must be an http or https URI',
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

  describe('with a fee that has several prices', () => {
    const monthly = { name: 'Monthly', feeType: 'UPFRONT' }
    const fixed = (amount: string) => ({
      fee_method_u_type: 'fixedAmount',
      fixed_amount: { amount },
    })
    const rateBased = (rate_type: string, rate: string, fields: object = {}) => ({
      fee_method_u_type: 'rateBased',
      rate_based: { rate_type, rate, ...fields },
    })
    const readFee = (fields: object) => {
      const { product, lost } = read({ fees: [{ ...monthly, ...fields }] })
      const prices = product?.fees?.map(({ name, fee_type, ...fee }) => {
        assert.deepEqual([name, fee_type], ['Monthly', 'UPFRONT'])
        return fee
      })
      return { prices, lost }
    }

    for (const [structure, fee, prices] of [
      [
        'an amount and rates',
        { amount: '5.00', transactionRate: '0.03', balanceRate: '0.01', accrualFrequency: 'P1M' },
        [
          fixed('5.00'),
          rateBased('BALANCE', '0.01', { accrual_frequency: 'P1M' }),
          rateBased('TRANSACTION', '0.03', { accrual_frequency: 'P1M' }),
        ],
      ],
      [
        'several methods, of which it names one',
        {
          feeMethodUType: 'rateBased',
          fixedAmount: { amount: '5.00' },
          rateBased: { rateType: 'TRANSACTION', rate: '0.03' },
          variable: { feeMaximum: '50.00' },
        },
        [
          rateBased('TRANSACTION', '0.03'),
          fixed('5.00'),
          { fee_method_u_type: 'variable', variable: { fee_maximum: '50.00' } },
        ],
      ],
      [
        'methods of both structures, one of them twice',
        {
          feeMethodUType: 'fixedAmount',
          fixedAmount: { amount: '5' },
          amount: '5',
          accruedRate: '1',
        },
        [fixed('5'), rateBased('INTEREST_ACCRUED', '1')],
      ],
    ] as const) {
      it(`has a fee for each of them: ${structure}`, () => {
        assert.deepEqual(readFee(fee), { prices, lost: [] })
        const { separated } = fromCdsProductDetail({ ...minimal, fees: [{ ...monthly, ...fee }] })
        const reason = `has ${prices.length} prices, of which each is imported on its own`
        assert.deepEqual(separated, [{ path: 'fees[0]', reason }])
      })
    }

    it('names a price that adds nothing', () => {
      const zero = { amount: '0.00', balanceRate: '0', transactionRate: '0.03', variable: {} }
      const lost = ['amount', 'balanceRate', 'variable'].map(
        (field) => `fees[0].${field} is left out: it adds nothing to the other price`,
      )

      assert.deepEqual(readFee(zero), { prices: [rateBased('TRANSACTION', '0.03')], lost })
      assert.deepEqual(readFee({ amount: '0', accruedRate: '0.0' }), {
        prices: [fixed('0')],
        lost: ['fees[0].accruedRate is left out: it adds nothing to the other price'],
      })
    })

    it('keeps the price if the method is missing, unknown or another', () => {
      const fixedAmount = { amount: '5.00' }
      const lost = ['fees[0].feeMethodUType is left out: there is no such price']

      assert.deepEqual(readFee({ fixedAmount }), { prices: [fixed('5.00')], lost: [] })
      for (const feeMethodUType of ['flat', 'variable']) {
        const fee = { feeMethodUType, fixedAmount }
        assert.deepEqual(readFee(fee), { prices: [fixed('5.00')], lost })
      }
    })

    it('keeps the valid price and names the other', () => {
      const { prices, lost } = readFee({ amount: 'free', transactionRate: '0.03' })

      assert.deepEqual(prices, [rateBased('TRANSACTION', '0.03')])
      assert.equal(lost[0], 'fees[0].amount must be a decimal string')
    })

    it('repeats a discount only if it is a rate of the fee, and separates its prices too', () => {
      const half = { description: 'Half', discountType: 'BALANCE', additionalValue: '1.00' }
      const { prices, lost } = readFee({
        amount: '5.00',
        balanceRate: '0.01',
        discounts: [
          { ...half, feeRate: '0.5' },
          { ...half, amount: '2.00', transactionRate: '0.1' },
        ],
      })

      const discount = { description: 'Half', discount_type: 'BALANCE', additional_value: '1.00' }
      const rated = (rate_type: string, rate: string) => ({
        ...discount,
        discount_method_u_type: 'rateBased',
        rate_based: { rate_type, rate },
      })
      const amount = { discount_method_u_type: 'fixedAmount', fixed_amount: { amount: '2.00' } }
      assert.deepEqual(lost, [])
      assert.deepEqual(
        prices?.map(({ discounts }) => discounts),
        [
          [rated('FEE', '0.5'), { ...discount, ...amount }, rated('TRANSACTION', '0.1')],
          [rated('FEE', '0.5')],
        ],
      )
    })
  })

  it('is rejected if a field is missing or invalid that the catalogue requires', () => {
    assert.deepEqual(read({ name: undefined, isTailored: 'no' }), {
      product: undefined,
      lost: ['name is required', 'isTailored must be true or false'],
    })
    assert.deepEqual(fromCdsProductDetail([]), {
      lost: [{ path: '', reason: 'must be an object' }],
      separated: [],
    })
  })

  it('is read in bounded depth', () => {
    let deep: unknown = 'end'
    for (let depth = 0; depth < 50_000; depth += 1) deep = [deep]

    assert.deepEqual(read({ extension: deep }).lost, ['extension is not a field of the catalogue'])
  })
})
