import type { Static } from 'typebox'
import { otherRequiresInfo, valueFormats } from '../additional-values.ts'
import { oneOf, values } from '../enumerations.ts'
import { record } from '../record.ts'
import { mappedUnion } from '../rules.ts'
import { Duration, Money, RateText, Text } from '../scalars.ts'
import { Type } from '../type.ts'
import { explanation } from './product-rates.ts'

const fixedAmount = record(
  'ProductFixedAmount',
  { amount: Money },
  {},
  { description: 'A fixed amount of money.' },
)

const feeRange = { fee_maximum: Money, fee_minimum: Money }
export const ProductFeeRange = record('ProductFeeRange', {}, feeRange, {
  description: 'The smallest and the largest amount of a fee or discount that is a rate.',
})

export const ProductDiscountEligibility = record(
  'ProductDiscountEligibility',
  { discount_eligibility_type: oneOf(values.discountEligibilityType) },
  explanation,
  {
    description: 'A condition that the customer must meet for a discount.',
    rules: [
      otherRequiresInfo('discount_eligibility_type'),
      ...valueFormats('discount_eligibility_type', 'eligibility'),
    ],
  },
)

/** Even here, the values of the union are camelCase, while its fields are snake_case. */
const discountMethods = { fixedAmount: 'fixed_amount', rateBased: 'rate_based' } as const
const feeMethods = { ...discountMethods, variable: 'variable' } as const

const discountRate = { rate: RateText, rate_type: oneOf(values.discountRateType) }
const discount = {
  description: Text,
  discount_type: oneOf(values.discountType),
  ...explanation,
  eligibility: Type.Array(ProductDiscountEligibility),
  discount_method_u_type: oneOf(Object.keys(discountMethods) as (keyof typeof discountMethods)[]),
  fixed_amount: fixedAmount,
}
const discountRules = [
  ...mappedUnion('discount_method_u_type', discountMethods),
  ...valueFormats('discount_type', 'discount'),
]

/** Derived from the discount method on reads, for clients that use the older structure. */
const legacyDiscount = {
  accrued_rate: RateText,
  amount: Money,
  balance_rate: RateText,
  fee_rate: RateText,
  transaction_rate: RateText,
}

export const ProductDiscountRange = record(
  'ProductDiscountRange',
  {},
  { discount_maximum: Money, discount_minimum: Money },
  {
    description: 'The smallest and the largest amount of a discount that is a rate.',
    aliases: { fee_maximum: 'discount_maximum', fee_minimum: 'discount_minimum' },
  },
)

export type ProductDiscount = Static<typeof ProductDiscount>
export const ProductDiscount = record(
  'ProductDiscount',
  {},
  {
    ...discount,
    rate_based: record(
      'ProductDiscountRateBased',
      discountRate,
      {
        amount_range: ProductDiscountRange,
      },
      { description: 'A discount that is a rate of an amount.' },
    ),
  },
  {
    description: 'A discount on a fee.',
    rules: discountRules,
    ignores: Object.keys(legacyDiscount),
    ignoresWhenPresent: 'discount_method_u_type',
  },
)

export type ProductDiscountRead = Static<typeof ProductDiscountRead>
export const ProductDiscountRead = record(
  'ProductDiscountRead',
  {},
  {
    ...discount,
    rate_based: record(
      'ProductDiscountRateBasedRead',
      discountRate,
      {
        amount_range: ProductFeeRange,
      },
      { description: 'A discount that is a rate of an amount, in a response.' },
    ),
    ...legacyDiscount,
  },
  {
    description: 'A discount on a fee in a response, with the fields of the older structure.',
    rules: discountRules,
  },
)

const fee = {
  fee_type: oneOf(values.feeType),
  name: Text,
  ...explanation,
  currency: Text,
  fee_cap: Money,
  fee_cap_period: Duration,
  fee_method_u_type: oneOf(Object.keys(feeMethods) as (keyof typeof feeMethods)[]),
  fixed_amount: fixedAmount,
  rate_based: record(
    'ProductFeeRateBased',
    { rate: RateText, rate_type: oneOf(values.feeRateType) },
    { accrual_frequency: Duration, amount_range: ProductFeeRange },
    { description: 'A fee that is a rate of an amount.' },
  ),
  variable: record('ProductFeeVariable', {}, feeRange, {
    description: 'The range of a fee whose amount varies.',
  }),
}
const feeRules = [
  ...mappedUnion('fee_method_u_type', feeMethods),
  otherRequiresInfo('fee_type'),
  ...valueFormats('fee_type', 'fee'),
]

export type ProductFee = Static<typeof ProductFee>
export const ProductFee = record(
  'ProductFee',
  {},
  { ...fee, discounts: Type.Array(ProductDiscount) },
  { description: 'A fee of a product.', rules: feeRules },
)

export type ProductFeeRead = Static<typeof ProductFeeRead>
export const ProductFeeRead = record(
  'ProductFeeRead',
  {},
  { ...fee, discounts: Type.Array(ProductDiscountRead) },
  { description: 'A fee of a product, in a response.', rules: feeRules },
)
