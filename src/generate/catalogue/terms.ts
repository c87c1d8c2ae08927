import {
  personalLoanProduct,
  savingsProduct,
  variableRate,
} from '../../contract/examples/product.ts'
import type { Product } from '../../contract/index.ts'
import type { AccountType } from '../banking/account-types.ts'
import { formatMoney } from '../money.ts'
import type { Random } from '../random.ts'

type Elements<Name extends keyof Product> =
  NonNullable<Product[Name]> extends readonly (infer Element)[] ? Element : never

export function createDepositRates(rate: string, random: Random): Elements<'deposit_rates'>[] {
  const base = { ...variableRate, rate }
  const bonus: Elements<'deposit_rates'> = {
    deposit_rate_type: 'BONUS',
    rate: '0.0150',
    application_type: 'PERIODIC',
    application_frequency: 'P1M',
    additional_value: 'At least one deposit each month',
    additional_info: 'On top of the base rate',
    applicability_conditions: [{ rate_applicability_type: 'MIN_DEPOSITS', additional_value: '1' }],
  }
  return random.chance(0.5) ? [base, bonus] : [base]
}

export function createLendingRates(rate: string, random: Random): Elements<'lending_rates'>[] {
  const base: Elements<'lending_rates'> = {
    lending_rate_type: 'VARIABLE',
    rate,
    comparison_rate: rate,
    repayment_type: 'PRINCIPAL_AND_INTEREST',
    loan_purpose: 'OTHER',
    interest_payment_due: 'IN_ARREARS',
    application_type: 'PERIODIC',
    application_frequency: 'P1M',
    calculation_frequency: 'P1D',
  }
  const fixed: Elements<'lending_rates'> = {
    lending_rate_type: 'FIXED',
    rate,
    additional_value: 'P3Y',
    repayment_type: 'INTEREST_ONLY',
    loan_purpose: 'INVESTMENT',
    interest_payment_due: 'IN_ADVANCE',
    application_type: 'PERIODIC',
    application_frequency: 'P1M',
    tiers: [
      { name: 'LVR to 80%', unit_of_measure: 'PERCENT', minimum_value: '0', maximum_value: '0.8' },
    ],
  }
  return random.chance(0.5) ? [base, fixed] : [base]
}

export function createConstraints(type: AccountType, random: Random): Elements<'constraints'>[] {
  const minimum = formatMoney(random.integer(1, 50) * 100)
  if (!type.limitDollars) {
    return [{ constraint_type: 'OPENING_BALANCE', additional_value: minimum }]
  }
  const [min, max] = type.limitDollars
  return [
    { constraint_type: 'MIN_LIMIT', additional_value: formatMoney(min * 100) },
    { constraint_type: 'MAX_LIMIT', additional_value: formatMoney(max * 100) },
  ]
}

export const eligibility: readonly Elements<'eligibility'>[] = [
  { eligibility_type: 'NATURAL_PERSON' },
  { eligibility_type: 'MIN_AGE', additional_value: '18' },
  { eligibility_type: 'RESIDENCY_STATUS', additional_value: 'Australian residents' },
  { eligibility_type: 'OTHER', additional_info: 'Lives, works or studies in the region' },
]

export const features: readonly Elements<'features'>[] = [
  { feature_type: 'DIGITAL_BANKING' },
  { feature_type: 'UNLIMITED_TXNS' },
  { feature_type: 'ADDITIONAL_CARDS', additional_value: '3' },
  {
    feature_type: 'CASHBACK_OFFER',
    additional_value: '150.00',
    additional_info: 'Paid once, to new customers',
  },
  { feature_type: 'OTHER', additional_info: 'A tree for every thousandth purchase' },
]

export const fees: readonly Elements<'fees'>[] = [savingsProduct, personalLoanProduct].flatMap(
  (product) => product.fees ?? [],
)
