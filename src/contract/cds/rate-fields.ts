import { additionalValues } from '../additional-values.ts'
import { downgradeRate, upgradeRate } from '../convert-account-version.ts'
import { values } from '../enumerations.ts'
import {
  type CdsDependentType,
  type CdsFields,
  type CdsObject,
  explainedBy,
  mandatory,
} from './mapping.ts'

const condition: CdsObject = {
  fields: {
    rate_applicability_type: { type: { oneOf: values.rateApplicabilityType }, mandatory },
    ...explainedBy('rate_applicability_type', additionalValues.condition),
  },
}

const bound: CdsDependentType = {
  by: 'unit_of_measure',
  formats: { DAY: 'count', DOLLAR: 'amount', MONTH: 'count', PERCENT: 'rate' },
  otherwise: 'text',
}

const tier: CdsFields = {
  name: { type: 'text', mandatory },
  unit_of_measure: { type: { oneOf: values.unitOfMeasure }, mandatory },
  minimum_value: { type: bound, mandatory },
  maximum_value: { type: bound },
  rate_application_method: { type: { oneOf: values.rateApplicationMethod } },
  applicability_conditions: { type: { list: condition } },
  additional_info: { type: 'text' },
  additional_info_uri: { type: 'uri' },
}

const applied = {
  calculation_frequency: { type: 'duration' },
  application_type: { type: { oneOf: values.applicationType }, mandatory, since: 6 },
  application_frequency: {
    type: 'duration',
    mandatory: { field: 'application_type', is: ['PERIODIC'] },
  },
} as const satisfies CdsFields

const tiered = {
  tiers: { type: { list: { fields: tier } } },
  applicability_conditions: { type: { list: condition }, since: 6 },
} as const satisfies CdsFields

const restructuredRate = {
  description:
    'The conditions of a rate are added to its `additionalInfo`. The conditions of a tier are one object with a text and a link. `minimumValue` and `maximumValue` are numbers.',
  downgrade: downgradeRate,
  upgrade: upgradeRate,
}

export const depositRate: CdsObject = {
  fields: {
    deposit_rate_type: { type: { oneOf: values.depositRateType }, mandatory },
    rate: {
      type: {
        by: 'deposit_rate_type',
        formats: { BONUS: 'adjustment', BUNDLE_BONUS: 'adjustment', INTRODUCTORY: 'adjustment' },
        otherwise: 'rate',
      },
      mandatory,
    },
    ...applied,
    ...tiered,
    ...explainedBy('deposit_rate_type', additionalValues.depositRate),
  },
  restructured: restructuredRate,
}

export const lendingRate: CdsObject = {
  fields: {
    lending_rate_type: {
      type: {
        oneOf: values.lendingRateType,
        added: { BALANCE_TRANSFER: 6 },
        before: 'omitObject',
      },
      mandatory,
    },
    rate: {
      type: {
        by: 'lending_rate_type',
        formats: {
          BUNDLE_DISCOUNT_FIXED: 'adjustment',
          BUNDLE_DISCOUNT_VARIABLE: 'adjustment',
          DISCOUNT: 'adjustment',
          INTRODUCTORY: 'adjustment',
          PENALTY: 'adjustment',
        },
        otherwise: 'rate',
      },
      mandatory,
    },
    comparison_rate: { type: 'rate' },
    ...applied,
    interest_payment_due: { type: { oneOf: values.interestPaymentDue } },
    repayment_type: {
      type: { oneOf: values.repaymentType, added: { OTHER: 6, UNCONSTRAINED: 6 } },
      mandatory,
    },
    loan_purpose: {
      type: { oneOf: values.loanPurpose, added: { OTHER: 6, UNCONSTRAINED: 6 } },
      mandatory,
    },
    ...tiered,
    ...explainedBy('lending_rate_type', additionalValues.lendingRate),
  },
  restructured: restructuredRate,
}
