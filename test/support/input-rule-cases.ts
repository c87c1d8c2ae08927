import type { TSchema } from 'typebox'
import { AccountIds, ProductInput } from '../../src/contract/index.ts'

/** A name, a schema, a value and the expected errors. An empty list means that the value is valid. */
export type RuleCase = readonly [string, TSchema, unknown, readonly string[]]

const product = (fields: object) => ({
  brand: 'b',
  description: 'd',
  is_tailored: false,
  name: 'n',
  product_category: 'LEASES',
  ...fields,
})

/** Products and lists of accounts, in requests. */
export const inputRuleCases: readonly RuleCase[] = [
  [
    'a product’s type OTHER without a text',
    ProductInput,
    product({
      eligibility: [{ eligibility_type: 'OTHER' }],
      constraints: [{ constraint_type: 'OTHER' }],
      features: [{ feature_type: 'OTHER' }],
    }),
    [
      'constraints[0].additional_info is required when constraint_type is OTHER',
      'eligibility[0].additional_info is required when eligibility_type is OTHER',
      'features[0].additional_info is required when feature_type is OTHER',
    ],
  ],
  [
    'an age that is not a number',
    ProductInput,
    product({ eligibility: [{ eligibility_type: 'MIN_AGE', additional_value: 'eighteen' }] }),
    [
      'eligibility[0].additional_value must be a whole number as a string when eligibility_type is MIN_AGE',
    ],
  ],
  [
    'a limit that is not an amount',
    ProductInput,
    product({ constraints: [{ constraint_type: 'MAX_LIMIT', additional_value: 'P1M' }] }),
    ['constraints[0].additional_value must be a decimal string when constraint_type is MAX_LIMIT'],
  ],
  [
    'a product fee with the sibling in camelCase',
    ProductInput,
    product({ fees: [{ fee_method_u_type: 'fixedAmount', fixedAmount: { amount: '1' } }] }),
    [
      'fees[0].fixed_amount is required when fee_method_u_type is fixedAmount',
      'fees[0].fixedAmount is not a field of this record',
    ],
  ],
  [
    'a product without its required fields',
    ProductInput,
    {},
    [
      'brand is required',
      'description is required',
      'is_tailored is required',
      'name is required',
      'product_category is required',
    ],
  ],
  [
    'a product rate that is a number',
    ProductInput,
    product({ deposit_rates: [{ deposit_rate_type: 'VARIABLE', rate: 0.1 }] }),
    ['deposit_rates[0].rate must be a decimal string'],
  ],
  [
    'a product that ends before it starts',
    ProductInput,
    product({
      effective_from: '2026-01-01T10:00:00+11:00',
      effective_to: '2025-12-31T22:59:59Z',
    }),
    ['effective_to must not be before effective_from'],
  ],
  [
    'a product that ends when it starts',
    ProductInput,
    product({
      effective_from: '2026-01-01T10:00:00+11:00',
      effective_to: '2025-12-31T23:00:00Z',
    }),
    [],
  ],
  [
    'a product with an end alone',
    ProductInput,
    product({ effective_to: '2025-12-31T23:00:00Z' }),
    [],
  ],
  [
    'a product that starts at no time',
    ProductInput,
    product({ effective_from: 'soon', effective_to: '2025-12-31T23:00:00Z' }),
    ['effective_from must be an RFC 3339 date-time'],
  ],
  [
    'a tier whose minimum exceeds its maximum',
    ProductInput,
    product({
      deposit_rates: [
        {
          deposit_rate_type: 'BONUS',
          rate: '0.1',
          tiers: [
            { minimum_value: '9', maximum_value: '10.00' },
            { minimum_value: '-1', maximum_value: '-1.5' },
          ],
        },
      ],
    }),
    ['deposit_rates[0].tiers[1].maximum_value must not be less than minimum_value'],
  ],
  [
    'a tier of one value',
    ProductInput,
    product({
      lending_rates: [
        {
          lending_rate_type: 'FIXED',
          rate: '0.1',
          tiers: [{ minimum_value: '10', maximum_value: '10.00' }],
        },
      ],
    }),
    [],
  ],
  [
    'a product without a brand and a name',
    ProductInput,
    product({ brand: '', name: '' }),
    [
      'brand must be a string of at least 1 character',
      'name must be a string of at least 1 character',
    ],
  ],
  ['a body without data', AccountIds, {}, ['data is required']],
  ['a body without ids', AccountIds, { data: {} }, ['data.accountIds is required']],
  [
    'a body with a number among the ids',
    AccountIds,
    { data: { accountIds: ['a', 7] } },
    ['data.accountIds[1] must be a string'],
  ],
  [
    'a body with too many ids',
    AccountIds,
    { data: { accountIds: Array(1001).fill('a') } },
    ['data.accountIds must be a list of 0 to 1000 elements'],
  ],
  ['a body with other members', AccountIds, { data: { accountIds: [] }, meta: {} }, []],
]
