import { explanationRules, valueFormats } from '../additional-values.ts'
import { oneOf, values, valuesV3 } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { onlyOne, union } from '../rules.ts'
import { DecimalOrText, Duration, Money, Text } from '../scalars.ts'
import { Type } from '../type.ts'
import { explanation } from './banking-rates.ts'

const FeeRate = described(DecimalOrText, 'Served as loaded.')

const FixedAmount = record('FixedAmount', {
  description: 'A fixed amount of money.',
  required: { amount: Money },
})

const feeRange = { feeMinimum: Money, feeMaximum: Money }
const FeeRange = record('FeeRange', {
  description: 'The smallest and the largest amount of a fee that is a rate.',
  optional: feeRange,
})

const FeeRateBased = record('FeeRateBased', {
  description: 'A fee that is a rate of an amount.',
  required: { rateType: oneOf(values.feeRateType), rate: FeeRate },
  optional: { accrualFrequency: Duration, amountRange: FeeRange },
})

const DiscountRange = record('DiscountRange', {
  description: 'The smallest and the largest amount of a discount that is a rate.',
  optional: { discountMinimum: Money, discountMaximum: Money },
})

const DiscountRateBased = record('DiscountRateBased', {
  description: 'A discount that is a rate of an amount.',
  required: { rateType: oneOf(values.discountRateType), rate: FeeRate },
  optional: { amountRange: DiscountRange },
})

const DiscountEligibility = record('DiscountEligibility', {
  description: 'A condition that the customer must meet for a discount.',
  required: { discountEligibilityType: oneOf(values.discountEligibilityType) },
  optional: explanation,
  rules: explanationRules('discountEligibilityType', 'discountEligibility'),
})

const discountMethods = ['fixedAmount', 'rateBased'] as const
const discount = {
  description: Text,
  discountType: oneOf(values.discountType),
  ...explanation,
  eligibility: Type.Array(DiscountEligibility),
}

const FeeDiscount = record('FeeDiscount', {
  description: 'A discount on a fee of an account.',
  optional: {
    ...discount,
    discountMethodUType: oneOf(discountMethods),
    fixedAmount: FixedAmount,
    rateBased: DiscountRateBased,
  },
  rules: [
    ...union('discountMethodUType', discountMethods),
    ...valueFormats('discountType', 'discount'),
  ],
  // The Versioning section of the interface uses this name for fees and discounts.
  aliases: { feeMethodUType: 'discountMethodUType' },
})

const feeMethods = ['fixedAmount', 'rateBased', 'variable'] as const
const fee = {
  name: Text,
  ...explanation,
  currency: Text,
}

export const Fee = record('Fee', {
  description: 'A fee of an account.',
  optional: {
    feeType: oneOf(values.feeType),
    ...fee,
    feeMethodUType: oneOf(feeMethods),
    fixedAmount: FixedAmount,
    rateBased: FeeRateBased,
    variable: record('FeeVariable', {
      description: 'The range of a fee whose amount varies.',
      optional: feeRange,
    }),
    feeCap: Money,
    feeCapPeriod: Duration,
    discounts: Type.Array(FeeDiscount),
  },
  rules: [...union('feeMethodUType', feeMethods), ...explanationRules('feeType', 'fee')],
})

const FeeDiscountV3 = record('FeeDiscountV3', {
  description: 'A discount on a fee of an account, version 3.',
  optional: {
    ...discount,
    amount: Money,
    balanceRate: FeeRate,
    transactionRate: FeeRate,
    accruedRate: FeeRate,
    feeRate: FeeRate,
  },
  rules: [
    ...valueFormats('discountType', 'discount'),
    ...onlyOne(['amount', 'balanceRate', 'transactionRate', 'accruedRate', 'feeRate']),
  ],
})

export const FeeV3 = record('FeeV3', {
  description: 'A fee of an account, version 3.',
  optional: {
    feeType: described(oneOf(valuesV3.feeType), 'The kind of a fee, in version 3.'),
    ...fee,
    amount: Money,
    balanceRate: FeeRate,
    transactionRate: FeeRate,
    accruedRate: FeeRate,
    accrualFrequency: Duration,
    discounts: Type.Array(FeeDiscountV3),
  },
  rules: [
    ...explanationRules('feeType', 'fee', valuesV3.feeType),
    ...onlyOne(['amount', 'balanceRate', 'transactionRate', 'accruedRate']),
  ],
})
