import { explanationRules, valueFormats } from '../additional-values.ts'
import { oneOf, values } from '../enumerations.ts'
import { record } from '../record.ts'
import { mappedUnion } from '../rules.ts'
import { Duration, Money, RateText, Text } from '../scalars.ts'
import { Type } from '../type.ts'
import { explanation } from './product-rates.ts'

const fixedAmount = record('ProductFixedAmount', {
  description: 'A fixed amount of money.',
  required: { amount: Money },
})

const feeRange = { fee_maximum: Money, fee_minimum: Money }
const ProductFeeRange = record('ProductFeeRange', {
  description: 'The smallest and the largest amount of a fee or discount that is a rate.',
  optional: feeRange,
})

export const ProductDiscountEligibility = record('ProductDiscountEligibility', {
  description: 'A condition that the customer must meet for a discount.',
  required: { discount_eligibility_type: oneOf(values.discountEligibilityType) },
  optional: explanation,
  rules: explanationRules('discount_eligibility_type', 'discountEligibility'),
})

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

const ProductDiscountRange = record('ProductDiscountRange', {
  description: 'The smallest and the largest amount of a discount that is a rate.',
  optional: { discount_maximum: Money, discount_minimum: Money },
  aliases: { fee_maximum: 'discount_maximum', fee_minimum: 'discount_minimum' },
})

export const ProductDiscount = record('ProductDiscount', {
  description: 'A discount on a fee.',
  optional: {
    ...discount,
    rate_based: record('ProductDiscountRateBased', {
      description: 'A discount that is a rate of an amount.',
      required: discountRate,
      optional: { amount_range: ProductDiscountRange },
    }),
  },
  rules: discountRules,
  ignores: Object.keys(legacyDiscount),
  ignoresWhenPresent: 'discount_method_u_type',
})

const ProductDiscountRead = record('ProductDiscountRead', {
  description: 'A discount on a fee in a response, with the fields of the older structure.',
  optional: {
    ...discount,
    rate_based: record('ProductDiscountRateBasedRead', {
      description: 'A discount that is a rate of an amount, in a response.',
      required: discountRate,
      optional: { amount_range: ProductFeeRange },
    }),
    ...legacyDiscount,
  },
  rules: discountRules,
})

const fee = {
  fee_type: oneOf(values.feeType),
  name: Text,
  ...explanation,
  currency: Text,
  fee_cap: Money,
  fee_cap_period: Duration,
  fee_method_u_type: oneOf(Object.keys(feeMethods) as (keyof typeof feeMethods)[]),
  fixed_amount: fixedAmount,
  rate_based: record('ProductFeeRateBased', {
    description: 'A fee that is a rate of an amount.',
    required: { rate: RateText, rate_type: oneOf(values.feeRateType) },
    optional: { accrual_frequency: Duration, amount_range: ProductFeeRange },
  }),
  variable: record('ProductFeeVariable', {
    description: 'The range of a fee whose amount varies.',
    optional: feeRange,
  }),
}
const feeRules = [
  ...mappedUnion('fee_method_u_type', feeMethods),
  ...explanationRules('fee_type', 'fee'),
]

export const ProductFee = record('ProductFee', {
  description: 'A fee of a product.',
  optional: { ...fee, discounts: Type.Array(ProductDiscount) },
  rules: feeRules,
})

export const ProductFeeRead = record('ProductFeeRead', {
  description: 'A fee of a product, in a response.',
  optional: { ...fee, discounts: Type.Array(ProductDiscountRead) },
  rules: feeRules,
})
