import { additionalValues } from '../additional-values.ts'
import { downgradeFee, upgradeFee } from '../convert-account-version.ts'
import { earlierTypes, values } from '../enumerations.ts'
import { type CdsField, type CdsFields, type CdsObject, explainedBy, mandatory } from './mapping.ts'
import { separateDiscount, separateFee } from './separate-prices.ts'

const discountEligibility: CdsFields = {
  discount_eligibility_type: { type: { oneOf: values.discountEligibilityType }, mandatory },
  ...explainedBy('discount_eligibility_type', additionalValues.discountEligibility),
}

const fixedAmount: CdsObject = { fields: { amount: { type: 'amount', mandatory } } }

const feeRange = { fee_minimum: { type: 'amount' }, fee_maximum: { type: 'amount' } } as const

const feeRateBased: CdsFields = {
  rate_type: { type: { oneOf: values.feeRateType }, mandatory },
  rate: { type: 'rate', mandatory },
  accrual_frequency: { type: 'duration' },
  amount_range: { type: { object: { fields: feeRange } } },
}

const discountRateBased: CdsFields = {
  rate_type: { type: { oneOf: values.discountRateType }, mandatory },
  rate: { type: 'rate', mandatory },
  amount_range: {
    type: {
      object: {
        fields: { discount_minimum: { type: 'amount' }, discount_maximum: { type: 'amount' } },
      },
    },
  },
}

/** A member of a union: mandatory if `by` has the value, in detail version 6 and later. */
function member(by: string, value: string, object: CdsObject): CdsField {
  return { type: { object }, mandatory: { field: by, is: [value] }, since: 6 }
}

const discount: CdsObject = {
  separate: separateDiscount,
  fields: {
    description: { type: 'text', mandatory },
    discount_type: { type: { oneOf: values.discountType }, mandatory },
    discount_method_u_type: { type: { oneOf: ['fixedAmount', 'rateBased'] }, mandatory, since: 6 },
    fixed_amount: member('discount_method_u_type', 'fixedAmount', fixedAmount),
    rate_based: member('discount_method_u_type', 'rateBased', { fields: discountRateBased }),
    ...explainedBy('discount_type', additionalValues.discount),
    eligibility: {
      type: { list: { fields: discountEligibility } },
      mandatory: { field: 'discount_type', is: ['ELIGIBILITY_ONLY'] },
    },
  },
}

export const fee: CdsObject = {
  separate: separateFee,
  fields: {
    name: { type: 'text', mandatory },
    fee_type: {
      type: {
        oneOf: values.feeType,
        added: Object.fromEntries(Object.keys(earlierTypes.feeType).map((type) => [type, 6])),
        before: earlierTypes.feeType,
      },
      mandatory,
    },
    fee_method_u_type: {
      type: { oneOf: ['fixedAmount', 'rateBased', 'variable'] },
      mandatory,
      since: 6,
    },
    fixed_amount: member('fee_method_u_type', 'fixedAmount', fixedAmount),
    rate_based: member('fee_method_u_type', 'rateBased', { fields: feeRateBased }),
    variable: member('fee_method_u_type', 'variable', { fields: feeRange }),
    fee_cap: { type: 'amount', since: 6 },
    fee_cap_period: { type: 'duration', since: 6 },
    currency: { type: 'currency' },
    ...explainedBy('fee_type', additionalValues.fee),
    discounts: { type: { list: discount } },
  },
  restructured: {
    description:
      'A fee or discount has one of `amount`, `balanceRate`, `transactionRate`, `accruedRate` and, for discounts, `feeRate` instead of a method. `accrualFrequency` is a field of the fee. A fee with the method `variable` has the type `VARIABLE`. Ranges and caps are added to `additionalInfo`.',
    downgrade: downgradeFee,
    upgrade: upgradeFee,
  },
}
