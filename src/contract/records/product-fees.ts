import Type, { type Static } from 'typebox'
import { otherNeedsInfo, valueForms } from '../additional-values.ts'
import { oneOf, values } from '../enumerations.ts'
import { record } from '../record.ts'
import { mappedUnion } from '../rules.ts'
import { Duration, Money, RateText, Text } from '../scalars.ts'
import { explained } from './product-rates.ts'

const fixedAmount = record('ProductFixedAmount', { amount: Money })

const feeRange = { fee_maximum: Money, fee_minimum: Money }
export const ProductFeeRange = record('ProductFeeRange', {}, feeRange)

export const ProductDiscountEligibility = record(
  'ProductDiscountEligibility',
  { discount_eligibility_type: oneOf(values.discountEligibilityType) },
  explained,
  {
    rules: [
      otherNeedsInfo('discount_eligibility_type'),
      ...valueForms('discount_eligibility_type', 'eligibility'),
    ],
  },
)

/** The value of the union is in camelCase even here, its sibling in snake_case. */
const discountMethods = { fixedAmount: 'fixed_amount', rateBased: 'rate_based' } as const
const feeMethods = { ...discountMethods, variable: 'variable' } as const

const discountRate = { rate: RateText, rate_type: oneOf(values.discountRateType) }
const discount = {
  description: Text,
  discount_type: oneOf(values.discountType),
  ...explained,
  eligibility: Type.Array(ProductDiscountEligibility),
  discount_method_u_type: oneOf(Object.keys(discountMethods) as (keyof typeof discountMethods)[]),
  fixed_amount: fixedAmount,
}
const discountRules = [
  ...mappedUnion('discount_method_u_type', discountMethods),
  ...valueForms('discount_type', 'discount'),
]

/** What a read derives from the method of a discount, for readers of the older structure. */
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
  { aliases: { fee_maximum: 'discount_maximum', fee_minimum: 'discount_minimum' } },
)

export type ProductDiscount = Static<typeof ProductDiscount>
export const ProductDiscount = record(
  'ProductDiscount',
  {},
  {
    ...discount,
    rate_based: record('ProductDiscountRateBased', discountRate, {
      amount_range: ProductDiscountRange,
    }),
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
    rate_based: record('ProductDiscountRateBasedRead', discountRate, {
      amount_range: ProductFeeRange,
    }),
    ...legacyDiscount,
  },
  {
    description: 'A discount as P3 shows it, with its older spelling beside.',
    rules: discountRules,
  },
)

const fee = {
  fee_type: oneOf(values.feeType),
  name: Text,
  ...explained,
  currency: Text,
  fee_cap: Money,
  fee_cap_period: Duration,
  fee_method_u_type: oneOf(Object.keys(feeMethods) as (keyof typeof feeMethods)[]),
  fixed_amount: fixedAmount,
  rate_based: record(
    'ProductFeeRateBased',
    { rate: RateText, rate_type: oneOf(values.feeRateType) },
    { accrual_frequency: Duration, amount_range: ProductFeeRange },
  ),
  variable: record('ProductFeeVariable', {}, feeRange),
}
const feeRules = [
  ...mappedUnion('fee_method_u_type', feeMethods),
  otherNeedsInfo('fee_type'),
  ...valueForms('fee_type', 'fee'),
]

export type ProductFee = Static<typeof ProductFee>
export const ProductFee = record(
  'ProductFee',
  {},
  { ...fee, discounts: Type.Array(ProductDiscount) },
  { rules: feeRules },
)

export type ProductFeeRead = Static<typeof ProductFeeRead>
export const ProductFeeRead = record(
  'ProductFeeRead',
  {},
  { ...fee, discounts: Type.Array(ProductDiscountRead) },
  { rules: feeRules },
)
