import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { readErrors, sharedPlatform } from '../support/platform.ts'
import { type Product, productWithFields } from './products.ts'
import { getValue, joinPath, productWith } from './record-table.ts'

const open = sharedPlatform()

async function assertAccepted(product: Product): Promise<Product> {
  const answer = await (await open()).create(product)
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

async function assertRejected(product: unknown, ...errors: string[]): Promise<void> {
  assert.deepEqual(readErrors(await (await open()).create(product)), errors)
}

const siblings: Product = {
  fixed_amount: { amount: '1.00' },
  rate_based: { rate: '0.1', rate_type: 'BALANCE' },
  variable: { fee_minimum: '1.00' },
}

/** The discriminator and its value, the field that it requires, and the part of the record that contains both. */
const methods: readonly [part: string, method: string, value: string, sibling: string][] = [
  ['fees[0]', 'fee_method_u_type', 'fixedAmount', 'fixed_amount'],
  ['fees[0]', 'fee_method_u_type', 'rateBased', 'rate_based'],
  ['fees[0]', 'fee_method_u_type', 'variable', 'variable'],
  ['fees[0].discounts[0]', 'discount_method_u_type', 'fixedAmount', 'fixed_amount'],
  ['fees[0].discounts[0]', 'discount_method_u_type', 'rateBased', 'rate_based'],
]

describeOnce('a method', () => {
  for (const [part, method, value, sibling] of methods) {
    const others = methods.filter((each) => each[0] === part && each[3] !== sibling)

    it(`of ${value} in ${part} requires ${sibling}`, async () => {
      await assertAccepted(productWith(part, { [method]: value, [sibling]: siblings[sibling] }))
      await assertRejected(
        productWith(part, { [method]: value }),
        `${part}.${sibling} is required when ${method} is ${value}`,
      )
    })

    for (const [, , otherValue, other] of others) {
      it(`of ${value} in ${part} rejects ${other}`, () =>
        assertRejected(
          productWith(part, {
            [method]: value,
            [sibling]: siblings[sibling],
            [other]: siblings[other],
          }),
          `${part}.${other} must be absent when ${method} is not ${otherValue}`,
        ))
    }

    it(`is required for ${part}.${sibling}`, () =>
      assertRejected(
        productWith(part, { [sibling]: siblings[sibling] }),
        `${part}.${sibling} must be absent when ${method} is not ${value}`,
      ))
  }

  for (const [part, method, ...unknown] of [
    ['fees[0]', 'fee_method_u_type', 'fixed_amount', 'FIXED_AMOUNT', 'tiered'],
    ['fees[0].discounts[0]', 'discount_method_u_type', 'fixed_amount', 'variable'],
  ] as const) {
    it(`of ${part} is rejected if it is unknown`, async () => {
      const platform = await open()
      for (const value of unknown) {
        const errors = readErrors(await platform.create(productWith(part, { [method]: value })))
        assert.equal(errors.length, 1)
        assert.ok(errors[0]?.startsWith(`${part}.${method} must be one of fixedAmount, rateBased`))
      }
    })
  }
})

/** Types that can be OTHER and then require a description. */
const otherTypes: readonly [part: string, type: string][] = [
  ['constraints[0]', 'constraint_type'],
  ['eligibility[0]', 'eligibility_type'],
  ['features[0]', 'feature_type'],
  ['fees[0]', 'fee_type'],
  ['fees[0].discounts[0].eligibility[0]', 'discount_eligibility_type'],
  ['deposit_rates[0].applicability_conditions[0]', 'rate_applicability_type'],
  ['deposit_rates[0].tiers[0].applicability_conditions[0]', 'rate_applicability_type'],
  ['lending_rates[0].applicability_conditions[0]', 'rate_applicability_type'],
  ['lending_rates[0].tiers[0].applicability_conditions[0]', 'rate_applicability_type'],
]

describeOnce('a type of OTHER', () => {
  for (const [part, type] of otherTypes) {
    it(`in ${part} requires additional_info`, async () => {
      const other = (info?: string) => productWith(part, { [type]: 'OTHER', additional_info: info })

      await assertAccepted(other('Round-ups'))
      await assertRejected(other(), `${part}.additional_info is required when ${type} is OTHER`)
      for (const blank of ['', ' \t']) {
        await assertRejected(
          other(blank),
          `${part}.additional_info must not be empty when ${type} is OTHER`,
        )
      }
    })
  }

  it('of a card, a loan purpose or a repayment requires nothing', async () => {
    await assertAccepted(productWith('card_art[0]', { card_scheme: 'OTHER' }))
    await assertAccepted(
      productWith('lending_rates[0]', { loan_purpose: 'OTHER', repayment_type: 'OTHER' }),
    )
  })
})

describeOnce('a tier', () => {
  const camel = {
    name: 'Up to fifty thousand',
    unitOfMeasure: 'DOLLAR',
    minimumValue: 0,
    maximumValue: '50000.00',
    rateApplicationMethod: 'PER_TIER',
    additionalInfo: 'Info',
    additionalInfoUri: 'https://bank.example/tiers',
    applicabilityConditions: [
      { rateApplicabilityType: 'MIN_DEPOSITS', additionalValue: '1', additionalInfo: 'One' },
    ],
  }
  const snake = {
    name: 'Up to fifty thousand',
    unit_of_measure: 'DOLLAR',
    minimum_value: '0',
    maximum_value: '50000.00',
    rate_application_method: 'PER_TIER',
    additional_info: 'Info',
    additional_info_uri: 'https://bank.example/tiers',
    applicability_conditions: [
      { rate_applicability_type: 'MIN_DEPOSITS', additional_value: '1', additional_info: 'One' },
    ],
  }

  for (const part of ['deposit_rates[0].tiers[0]', 'lending_rates[0].tiers[0]']) {
    it(`of ${part} is accepted in camelCase and stored in snake_case`, async () => {
      const made = await assertAccepted(productWith(part, camel))
      assert.deepEqual(getValue(made, part), snake)
    })

    it(`of ${part} has its errors reported in snake_case`, () =>
      assertRejected(
        productWith(part, { unitOfMeasure: 'EURO', minimumValue: 'none' }),
        `${part}.unit_of_measure must be one of DAY, DOLLAR, MONTH, PERCENT`,
        `${part}.minimum_value must be a decimal string`,
      ))

    it(`of ${part} is rejected if a field has both names`, () =>
      assertRejected(
        productWith(part, { minimum_value: '1', minimumValue: '2' }),
        `${part}.minimumValue is not a field of this record`,
      ))
  }

  it('accepts numbers for its bounds without loss', async () => {
    const numbers: readonly [number, string][] = [
      [0.1, '0.1'],
      [1e21, '1000000000000000000000'],
      [1e-7, '0.0000001'],
      [-5, '-5'],
    ]
    const tiers = numbers.map(([minimum_value]) => ({ minimum_value }))
    const made = await assertAccepted(productWith('deposit_rates[0]', { tiers }))

    assert.deepEqual(
      getValue(made, 'deposit_rates[0].tiers'),
      numbers.map(([, minimum_value]) => ({ minimum_value })),
    )
  })

  it('is the only part that is accepted in camelCase', async () => {
    for (const [part, field] of [
      ['', 'brandName'],
      ['fees[0]', 'feeType'],
      ['features[0]', 'additionalInfo'],
      ['deposit_rates[0]', 'applicationType'],
    ] as const) {
      await assertRejected(
        productWith(part, { [field]: 'PERIODIC' }),
        `${joinPath(part, field)} is not a field of this record`,
      )
    }
  })
})

const legacyNames = ['amount', 'balance_rate', 'transaction_rate', 'accrued_rate', 'fee_rate']

describeOnce('the legacy fields of a discount', () => {
  const getDiscount = (product: Product) => getValue(product, 'fees[0].discounts[0]') as Product
  const getLegacyFields = (product: Product) =>
    Object.fromEntries(
      Object.entries(getDiscount(product)).filter(([name]) => legacyNames.includes(name)),
    )
  const productWithDiscount = (discount: object) =>
    productWith('fees[0].discounts[0]', { ...discount })
  const fixed = { discount_method_u_type: 'fixedAmount', fixed_amount: { amount: '4.00' } }
  const rated = (rate_type: string, more = {}) => ({
    discount_method_u_type: 'rateBased',
    rate_based: { rate: '0.5', rate_type, ...more },
  })

  it('are the amount of a fixed amount', async () => {
    assert.deepEqual(getLegacyFields(await assertAccepted(productWithDiscount(fixed))), {
      amount: '4.00',
    })
  })

  for (const [type, name] of [
    ['BALANCE', 'balance_rate'],
    ['TRANSACTION', 'transaction_rate'],
    ['INTEREST_ACCRUED', 'accrued_rate'],
    ['FEE', 'fee_rate'],
  ] as const) {
    it(`are the ${name} of a rate of type ${type}`, async () => {
      const made = await assertAccepted(productWithDiscount(rated(type)))
      assert.deepEqual(getLegacyFields(made), { [name]: '0.5' })
      assert.deepEqual(getLegacyFields(await (await open()).read(String(made['product_id']))), {
        [name]: '0.5',
      })
    })
  }

  it('are absent if the discount has no method', async () => {
    assert.deepEqual(
      getLegacyFields(await assertAccepted(productWithDiscount({ description: 'Free' }))),
      {},
    )
  })

  it('include the range under the names of a fee', async () => {
    const range = { discount_maximum: '20.00', discount_minimum: '1.00' }
    const made = await assertAccepted(productWithDiscount(rated('FEE', { amount_range: range })))

    assert.deepEqual(getDiscount(made)['rate_based'], {
      rate: '0.5',
      rate_type: 'FEE',
      amount_range: { fee_maximum: '20.00', fee_minimum: '1.00' },
    })
  })

  it('are ignored if the discount has a method', async () => {
    const made = await assertAccepted(
      productWithDiscount({ ...fixed, amount: '9.99', fee_rate: '7' }),
    )
    assert.deepEqual(getDiscount(made), { ...fixed, amount: '4.00' })
  })

  it('are rejected without a method: the price would be lost', async () => {
    for (const name of legacyNames) {
      await assertRejected(
        productWithDiscount({ [name]: '1.00' }),
        `fees[0].discounts[0].${name} is not a field of this record`,
      )
    }
  })

  it('are not fields of a fee', () =>
    assertRejected(
      productWith('fees[0]', { amount: '1.00' }),
      'fees[0].amount is not a field of this record',
    ))

  it('do not allow a range under both names', () =>
    assertRejected(
      productWithDiscount(
        rated('FEE', { amount_range: { discount_maximum: '2', fee_maximum: '3' } }),
      ),
      'fees[0].discounts[0].rate_based.amount_range.fee_maximum is not a field of this record',
    ))
})

describeOnce('a validation error', () => {
  it('lists all errors of the record, each with its path', () =>
    assertRejected(
      {
        brand: 7,
        name: 'Saver',
        product_category: 'CAR_LOANS',
        features: [{ feature_type: 'OFFSET' }, { feature_type: 'OTHER' }],
        fees: [{ fee_method_u_type: 'variable', fixed_amount: { amount: 'four' } }],
        deposit_rates: [{ rate: '0.1', tiers: [{ minimumValue: true }], fee: 1 }],
        colour: 'blue',
      },
      'description is required',
      'is_tailored is required',
      'brand must be a string of at least 1 character',
      'product_category must be one of BUSINESS_LOANS, BUY_NOW_PAY_LATER, CRED_AND_CHRG_CARDS, LEASES, MARGIN_LOANS, OVERDRAFTS, PERS_LOANS, REGULATED_TRUST_ACCOUNTS, RESIDENTIAL_MORTGAGES, TERM_DEPOSITS, TRADE_FINANCE, TRANS_AND_SAVINGS_ACCOUNTS, TRAVEL_CARDS',
      'deposit_rates[0].deposit_rate_type is required',
      'deposit_rates[0].tiers[0].minimum_value must be a decimal string',
      'deposit_rates[0].fee is not a field of this record',
      'features[1].additional_info is required when feature_type is OTHER',
      'fees[0].fixed_amount.amount must be a decimal string',
      'fees[0].fixed_amount must be absent when fee_method_u_type is not fixedAmount',
      'fees[0].variable is required when fee_method_u_type is variable',
      'colour is not a field of this record',
    ))

  it('is the same for an update and a create, and changes nothing', async () => {
    const platform = await open()
    const id = await platform.made(productWithFields({}))
    const before = await platform.read(id)
    const invalid = productWithFields({ name: 1, features: [{}], colour: 'blue' })

    const [put, post] = [await platform.replace(id, invalid), await platform.create(invalid)]

    assert.deepEqual(readErrors(put), [
      'name must be a string of at least 1 character',
      'features[0].feature_type is required',
      'colour is not a field of this record',
    ])
    assert.equal(put.text, post.text)
    assert.deepEqual(await platform.read(id), before)
  })

  it('lists the first fifty errors', async () => {
    const features = Array.from({ length: 51 }, () => ({}))
    const expected = features.map((_, index) => `features[${index}].feature_type is required`)

    await assertRejected(
      productWithFields({ features: features.slice(1) }),
      ...expected.slice(0, 50),
    )
    await assertRejected(productWithFields({ features }), ...expected.slice(0, 50))
  })

  for (const [name, body] of Object.entries({
    'an array': [],
    'a string': '"text"',
    null: 'null',
  })) {
    it(`for ${name} says that the body must be an object`, () =>
      assertRejected(body, 'the body must be an object'))
  }
})
