import { explanationRules, valueFormats } from '../additional-values.ts'
import { toCdsName } from '../cds/mapping.ts'
import { oneOf, values } from '../enumerations.ts'
import { acceptsNumber, record } from '../record.ts'
import { inOrder } from '../rules.ts'
import { Duration, Money, RateText, Text, WebUri } from '../scalars.ts'
import { Type } from '../type.ts'

/** The explanation of a type, a link to more information, and the value that the type requires. */
export const explanation = {
  additional_info: Text,
  additional_info_uri: WebUri,
  additional_value: Text,
}

/** Aliases such as `unitOfMeasure` for `unit_of_measure`: some create requests use camelCase in tiers. */
function camelCaseAliases(fields: readonly string[]): Record<string, string> {
  const renamed = fields.filter((field) => field.includes('_'))
  return Object.fromEntries(renamed.map((field) => [toCdsName(field), field]))
}

const condition = {
  rate_applicability_type: oneOf(values.rateApplicabilityType),
}

export const ProductRateCondition = record('ProductRateCondition', {
  description: 'A condition that the customer must meet for a rate to apply.',
  required: condition,
  optional: explanation,
  rules: explanationRules('rate_applicability_type', 'condition'),
  aliases: {
    ...camelCaseAliases(Object.keys({ ...condition, ...explanation })),
    rateApplicablityType: 'rate_applicability_type',
  },
})

const tier = {
  name: Text,
  unit_of_measure: oneOf(values.unitOfMeasure),
  additional_info: Text,
  additional_info_uri: WebUri,
  applicability_conditions: Type.Array(ProductRateCondition),
  maximum_value: acceptsNumber(Money),
  minimum_value: acceptsNumber(Money),
  rate_application_method: oneOf(values.rateApplicationMethod),
}

export const ProductRateTier = record('ProductRateTier', {
  description:
    'The range that the rate applies to. Field names in camelCase are accepted as aliases.',
  optional: tier,
  rules: [inOrder('minimum_value', 'maximum_value', 'decimal')],
  aliases: camelCaseAliases(Object.keys(tier)),
})

const rate = {
  ...explanation,
  application_type: oneOf(values.applicationType),
  application_frequency: Duration,
  calculation_frequency: Duration,
  applicability_conditions: Type.Array(ProductRateCondition),
  tiers: Type.Array(ProductRateTier),
}

export const ProductDepositRate = record('ProductDepositRate', {
  description: 'An interest rate that accounts of the product earn.',
  required: { deposit_rate_type: oneOf(values.depositRateType), rate: RateText },
  optional: rate,
  rules: valueFormats('deposit_rate_type', 'depositRate'),
})

export const ProductLendingRate = record('ProductLendingRate', {
  description: 'An interest rate that customers of the product pay.',
  required: { lending_rate_type: oneOf(values.lendingRateType), rate: RateText },
  optional: {
    loan_purpose: oneOf(values.loanPurpose),
    repayment_type: oneOf(values.repaymentType),
    comparison_rate: RateText,
    interest_payment_due: oneOf(values.interestPaymentDue),
    ...rate,
  },
  rules: valueFormats('lending_rate_type', 'lendingRate'),
})
