import type { Static } from 'typebox'
import { otherRequiresInfo, valueFormats } from '../additional-values.ts'
import { oneOf, values, without } from '../enumerations.ts'
import { acceptsNumber, described, record } from '../record.ts'
import { Decimal, Duration, Money, Text } from '../scalars.ts'
import { Type } from '../type.ts'

/** The misspelling in a sample of the interface. */
const misspelled = { rateApplicablityType: 'rateApplicabilityType' }

export type RateCondition = Static<typeof RateCondition>
export const RateCondition = record(
  'RateCondition',
  { rateApplicabilityType: oneOf(values.rateApplicabilityType) },
  { additionalValue: Text, additionalInfo: Text, additionalInfoUri: Text },
  {
    description: 'A condition that the customer must meet for the rate to apply.',
    rules: [
      otherRequiresInfo('rateApplicabilityType'),
      ...valueFormats('rateApplicabilityType', 'condition'),
    ],
    aliases: misspelled,
  },
)

const tier = {
  name: Text,
  unitOfMeasure: oneOf(values.unitOfMeasure),
  rateApplicationMethod: oneOf(values.rateApplicationMethod),
  additionalInfo: Text,
  additionalInfoUri: Text,
}

export type RateTier = Static<typeof RateTier>
export const RateTier = record(
  'RateTier',
  {},
  {
    ...tier,
    minimumValue: acceptsNumber(Money),
    maximumValue: acceptsNumber(Money),
    applicabilityConditions: Type.Array(RateCondition),
  },
  { description: 'The range of the balance, term or ratio that the rate applies to.' },
)

const depositRate = {
  depositRateType: oneOf(values.depositRateType),
  rate: Decimal,
  calculationFrequency: Duration,
  applicationFrequency: Duration,
  applicationType: oneOf(values.applicationType),
  additionalValue: Text,
  additionalInfo: Text,
  additionalInfoUri: Text,
}

export type DepositRate = Static<typeof DepositRate>
export const DepositRate = record(
  'DepositRate',
  {},
  {
    ...depositRate,
    applicabilityConditions: Type.Array(RateCondition),
    tiers: Type.Array(RateTier),
  },
  {
    description: 'An interest rate that the account earns.',
    rules: valueFormats('depositRateType', 'rate'),
  },
)

const lendingRate = {
  rate: Decimal,
  comparisonRate: Decimal,
  calculationFrequency: Duration,
  applicationFrequency: Duration,
  applicationType: oneOf(values.applicationType),
  interestPaymentDue: oneOf(values.interestPaymentDue),
  additionalValue: Text,
  additionalInfo: Text,
  additionalInfoUri: Text,
}

export type LendingRate = Static<typeof LendingRate>
export const LendingRate = record(
  'LendingRate',
  {},
  {
    lendingRateType: oneOf(values.lendingRateType),
    repaymentType: oneOf(values.repaymentType),
    loanPurpose: oneOf(values.loanPurpose),
    ...lendingRate,
    applicabilityConditions: Type.Array(RateCondition),
    tiers: Type.Array(RateTier),
  },
  {
    description: 'An interest rate that the customer pays.',
    rules: valueFormats('lendingRateType', 'rate'),
  },
)

export type RateConditionV3 = Static<typeof RateConditionV3>
export const RateConditionV3 = record(
  'RateConditionV3',
  {},
  { additionalInfo: Text, additionalInfoUri: Text },
  { description: 'The condition of a version-3 tier, as text.' },
)

/** A number in version 3, a string in version 4. The limit keeps it within a version-4 decimal. */
const TierBoundV3 = Type.Number({ minimum: -1e31, maximum: 1e31 })

export type RateTierV3 = Static<typeof RateTierV3>
export const RateTierV3 = record(
  'RateTierV3',
  {},
  {
    ...tier,
    minimumValue: TierBoundV3,
    maximumValue: TierBoundV3,
    applicabilityConditions: RateConditionV3,
  },
  { description: 'The range of the balance, term or ratio that the rate applies to, version 3.' },
)

export type DepositRateV3 = Static<typeof DepositRateV3>
export const DepositRateV3 = record(
  'DepositRateV3',
  {},
  { ...depositRate, tiers: Type.Array(RateTierV3) },
  {
    description: 'An interest rate that the account earns, version 3.',
    rules: valueFormats('depositRateType', 'rate'),
  },
)

export const lendingRateTypesV3 = without(values.lendingRateType, 'BALANCE_TRANSFER')
export const repaymentTypesV3 = without(values.repaymentType, 'OTHER', 'UNCONSTRAINED')
export const loanPurposesV3 = without(values.loanPurpose, 'OTHER', 'UNCONSTRAINED')

export type LendingRateV3 = Static<typeof LendingRateV3>
export const LendingRateV3 = record(
  'LendingRateV3',
  {},
  {
    lendingRateType: described(
      oneOf(lendingRateTypesV3),
      'The kind of an interest rate that a customer pays, in version 3.',
    ),
    repaymentType: described(
      oneOf(repaymentTypesV3),
      'What the repayments of a loan cover, in version 3.',
    ),
    loanPurpose: described(oneOf(loanPurposesV3), 'The purpose of a loan, in version 3.'),
    ...lendingRate,
    tiers: Type.Array(RateTierV3),
  },
  {
    description: 'An interest rate that the customer pays, version 3.',
    rules: valueFormats('lendingRateType', 'rate'),
  },
)
