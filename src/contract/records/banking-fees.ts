import type { Static } from 'typebox'
import { otherRequiresInfo, valueFormats } from '../additional-values.ts'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { onlyOne, union } from '../rules.ts'
import { DecimalOrText, Duration, Money, Text } from '../scalars.ts'
import { Type } from '../type.ts'

const FeeRate = described(DecimalOrText, 'Served as loaded.')

export const FixedAmount = record(
  'FixedAmount',
  { amount: Money },
  {},
  { description: 'A fixed amount of money.' },
)

const feeRange = { feeMinimum: Money, feeMaximum: Money }
export const FeeRange = record('FeeRange', {}, feeRange, {
  description: 'The smallest and the largest amount of a fee that is a rate.',
})

export const FeeRateBased = record(
  'FeeRateBased',
  { rateType: oneOf(values.feeRateType), rate: FeeRate },
  { accrualFrequency: Duration, amountRange: FeeRange },
  { description: 'A fee that is a rate of an amount.' },
)

export const DiscountRange = record(
  'DiscountRange',
  {},
  {
    discountMinimum: Money,
    discountMaximum: Money,
  },
  { description: 'The smallest and the largest amount of a discount that is a rate.' },
)

export const DiscountRateBased = record(
  'DiscountRateBased',
  { rateType: oneOf(values.discountRateType), rate: FeeRate },
  { amountRange: DiscountRange },
  { description: 'A discount that is a rate of an amount.' },
)

export const DiscountEligibility = record(
  'DiscountEligibility',
  { discountEligibilityType: oneOf(values.discountEligibilityType) },
  { additionalValue: Text, additionalInfo: Text, additionalInfoUri: Text },
  {
    description: 'A condition that the customer must meet for a discount.',
    rules: [
      otherRequiresInfo('discountEligibilityType'),
      ...valueFormats('discountEligibilityType', 'eligibility'),
    ],
  },
)

const discountMethods = ['fixedAmount', 'rateBased'] as const
const discount = {
  description: Text,
  discountType: oneOf(values.discountType),
  additionalValue: Text,
  additionalInfo: Text,
  additionalInfoUri: Text,
  eligibility: Type.Array(DiscountEligibility),
}

export type FeeDiscount = Static<typeof FeeDiscount>
export const FeeDiscount = record(
  'FeeDiscount',
  {},
  {
    ...discount,
    discountMethodUType: oneOf(discountMethods),
    fixedAmount: FixedAmount,
    rateBased: DiscountRateBased,
  },
  {
    description: 'A discount on a fee of an account.',
    rules: [
      ...union('discountMethodUType', discountMethods),
      ...valueFormats('discountType', 'discount'),
    ],
    // The Versioning section of the interface uses this name for fees and discounts.
    aliases: { feeMethodUType: 'discountMethodUType' },
  },
)

const feeMethods = ['fixedAmount', 'rateBased', 'variable'] as const
const fee = {
  name: Text,
  additionalValue: Text,
  additionalInfo: Text,
  additionalInfoUri: Text,
  currency: Text,
}

export type Fee = Static<typeof Fee>
export const Fee = record(
  'Fee',
  {},
  {
    feeType: oneOf(values.feeType),
    ...fee,
    feeMethodUType: oneOf(feeMethods),
    fixedAmount: FixedAmount,
    rateBased: FeeRateBased,
    variable: record('FeeVariable', {}, feeRange, {
      description: 'The range of a fee whose amount varies.',
    }),
    feeCap: Money,
    feeCapPeriod: Duration,
    discounts: Type.Array(FeeDiscount),
  },
  {
    description: 'A fee of an account.',
    rules: [
      ...union('feeMethodUType', feeMethods),
      otherRequiresInfo('feeType'),
      ...valueFormats('feeType', 'fee'),
    ],
  },
)

export type FeeDiscountV3 = Static<typeof FeeDiscountV3>
export const FeeDiscountV3 = record(
  'FeeDiscountV3',
  {},
  {
    ...discount,
    amount: Money,
    balanceRate: FeeRate,
    transactionRate: FeeRate,
    accruedRate: FeeRate,
    feeRate: FeeRate,
  },
  {
    description: 'A discount on a fee of an account, version 3.',
    rules: [
      ...valueFormats('discountType', 'discount'),
      ...onlyOne(['amount', 'balanceRate', 'transactionRate', 'accruedRate', 'feeRate']),
    ],
  },
)

export type FeeV3 = Static<typeof FeeV3>
export const FeeV3 = record(
  'FeeV3',
  {},
  {
    feeType: described(oneOf([...values.feeType, 'VARIABLE']), 'The kind of a fee, in version 3.'),
    ...fee,
    amount: Money,
    balanceRate: FeeRate,
    transactionRate: FeeRate,
    accruedRate: FeeRate,
    accrualFrequency: Duration,
    discounts: Type.Array(FeeDiscountV3),
  },
  {
    description: 'A fee of an account, version 3.',
    rules: [
      otherRequiresInfo('feeType'),
      ...valueFormats('feeType', 'fee'),
      ...onlyOne(['amount', 'balanceRate', 'transactionRate', 'accruedRate']),
    ],
  },
)
