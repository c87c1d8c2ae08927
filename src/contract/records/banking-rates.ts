import { explanationRules, valueFormats } from '../additional-values.ts'
import { oneOf, values, valuesV3 } from '../enumerations.ts'
import { acceptsNumber, described, record } from '../record.ts'
import { Decimal, Duration, Money, Text } from '../scalars.ts'
import { Type } from '../type.ts'

/** The explanation of a type, a link to more information, and the value that the type requires. */
export const explanation = { additionalValue: Text, additionalInfo: Text, additionalInfoUri: Text }

/** The misspelling in a sample of the interface. */
const misspelled = { rateApplicablityType: 'rateApplicabilityType' }

const RateCondition = record('RateCondition', {
  description: 'A condition that the customer must meet for the rate to apply.',
  required: { rateApplicabilityType: oneOf(values.rateApplicabilityType) },
  optional: explanation,
  rules: explanationRules('rateApplicabilityType', 'condition'),
  aliases: misspelled,
})

const tier = {
  name: Text,
  unitOfMeasure: oneOf(values.unitOfMeasure),
  rateApplicationMethod: oneOf(values.rateApplicationMethod),
  additionalInfo: Text,
  additionalInfoUri: Text,
}

const RateTier = record('RateTier', {
  description: 'The range of the balance, term or ratio that the rate applies to.',
  optional: {
    ...tier,
    minimumValue: acceptsNumber(Money),
    maximumValue: acceptsNumber(Money),
    applicabilityConditions: Type.Array(RateCondition),
  },
})

const applied = {
  calculationFrequency: Duration,
  applicationFrequency: Duration,
}
/** Rates in version 4 have these fields, too. */
const conditional = {
  applicationType: oneOf(values.applicationType),
  applicabilityConditions: Type.Array(RateCondition),
}
const depositRate = {
  depositRateType: oneOf(values.depositRateType),
  rate: Decimal,
  ...applied,
  ...explanation,
}

export const DepositRate = record('DepositRate', {
  description: 'An interest rate that the account earns.',
  optional: {
    ...depositRate,
    ...conditional,
    tiers: Type.Array(RateTier),
  },
  rules: valueFormats('depositRateType', 'depositRate'),
})

const lendingRate = {
  rate: Decimal,
  comparisonRate: Decimal,
  ...applied,
  interestPaymentDue: oneOf(values.interestPaymentDue),
  ...explanation,
}

export const LendingRate = record('LendingRate', {
  description: 'An interest rate that the customer pays.',
  optional: {
    lendingRateType: oneOf(values.lendingRateType),
    repaymentType: oneOf(values.repaymentType),
    loanPurpose: oneOf(values.loanPurpose),
    ...lendingRate,
    ...conditional,
    tiers: Type.Array(RateTier),
  },
  rules: valueFormats('lendingRateType', 'lendingRate'),
})

const RateConditionV3 = record('RateConditionV3', {
  description: 'The condition of a version-3 tier, as text.',
  optional: { additionalInfo: Text, additionalInfoUri: Text },
})

/** A number in version 3, a string in version 4. The limit keeps it within a version-4 decimal. */
const TierBoundV3 = Type.Number({ minimum: -1e31, maximum: 1e31 })

const RateTierV3 = record('RateTierV3', {
  description: 'The range of the balance, term or ratio that the rate applies to, version 3.',
  optional: {
    ...tier,
    minimumValue: TierBoundV3,
    maximumValue: TierBoundV3,
    applicabilityConditions: RateConditionV3,
  },
})

export const DepositRateV3 = record('DepositRateV3', {
  description: 'An interest rate that the account earns, version 3.',
  optional: { ...depositRate, tiers: Type.Array(RateTierV3) },
  rules: valueFormats('depositRateType', 'depositRate'),
})

export const repaymentTypeV3 = described(
  oneOf(valuesV3.repaymentType),
  'What the repayments of a loan cover, in version 3.',
)

export const LendingRateV3 = record('LendingRateV3', {
  description: 'An interest rate that the customer pays, version 3.',
  optional: {
    lendingRateType: described(
      oneOf(valuesV3.lendingRateType),
      'The kind of an interest rate that a customer pays, in version 3.',
    ),
    repaymentType: repaymentTypeV3,
    loanPurpose: described(oneOf(valuesV3.loanPurpose), 'The purpose of a loan, in version 3.'),
    ...lendingRate,
    tiers: Type.Array(RateTierV3),
  },
  rules: valueFormats('lendingRateType', 'lendingRate'),
})
