import type { BankingAccount } from '../../contract/index.ts'
import type { Random } from '../random.ts'
import type { AccountType } from './account-types.ts'

type DepositRate = NonNullable<BankingAccount['depositRates']>[number]
type LendingRates = NonNullable<BankingAccount['lendingRates']>
type LendingRate = Exclude<LendingRates, readonly unknown[]>
type Feature = NonNullable<BankingAccount['features']>[number]
type Fee = NonNullable<BankingAccount['fees']>[number]

/** Rounds to four decimals: floating-point arithmetic adds more. */
function roundRate(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** A base rate, sometimes with a conditional bonus rate. */
export function createDepositRates(rate: number, random: Random): DepositRate[] {
  const depositRateType = random.pick(['VARIABLE', 'VARIABLE', 'FLOATING'] as const)
  const base: DepositRate = {
    depositRateType,
    ...(depositRateType === 'FLOATING' && { additionalValue: 'Follows the cash rate' }),
    rate: roundRate(rate),
    calculationFrequency: 'P1D',
    applicationFrequency: 'P1M',
    applicationType: 'PERIODIC',
    tiers: [
      {
        name: 'Up to fifty thousand',
        unitOfMeasure: 'DOLLAR',
        minimumValue: '0',
        maximumValue: '50000',
        rateApplicationMethod: 'PER_TIER',
      },
      {
        name: 'Above',
        unitOfMeasure: 'DOLLAR',
        minimumValue: '50000.01',
        rateApplicationMethod: 'PER_TIER',
        ...(random.chance(0.3) && {
          applicabilityConditions: [
            { rateApplicabilityType: 'NEW_CUSTOMER', additionalInfo: 'For the first year' },
          ],
        }),
      },
    ],
  }
  if (random.chance(0.4)) return [base]
  return [base, random.pick(bonusRates)]
}

const bonusRates: readonly DepositRate[] = [
  {
    depositRateType: 'BONUS',
    rate: 0.015,
    additionalValue: 'A deposit and no withdrawal in the month',
    applicationType: 'PERIODIC',
    applicationFrequency: 'P1M',
    additionalInfo: 'On top of the base rate',
    applicabilityConditions: [
      { rateApplicabilityType: 'MIN_DEPOSITS', additionalValue: '1' },
      { rateApplicabilityType: 'MAX_WITHDRAWALS', additionalValue: '0' },
    ],
  },
  {
    depositRateType: 'INTRODUCTORY',
    rate: 0.0075,
    additionalValue: 'P4M',
    applicationType: 'PERIODIC',
    applicationFrequency: 'P1M',
    applicabilityConditions: [
      { rateApplicabilityType: 'OTHER', additionalInfo: 'First account with us, 100% online' },
    ],
  },
]

/** A single rate is an object, several are an array: the interface accepts both. */
export function createLendingRates(type: AccountType, rate: number, random: Random): LendingRates {
  const isHome = type.category === 'RESIDENTIAL_MORTGAGES'
  const applied = { applicationFrequency: 'P1M', applicationType: 'PERIODIC' } as const
  const main: LendingRate = {
    lendingRateType: type.category === 'CRED_AND_CHRG_CARDS' ? 'PURCHASE' : 'VARIABLE',
    rate: roundRate(rate),
    comparisonRate: roundRate(rate + 0.0021),
    calculationFrequency: 'P1D',
    ...applied,
    interestPaymentDue: 'IN_ARREARS',
    repaymentType: random.pick(['PRINCIPAL_AND_INTEREST', 'UNCONSTRAINED'] as const),
    loanPurpose: isHome ? random.pick(['OWNER_OCCUPIED', 'INVESTMENT'] as const) : 'OTHER',
  }
  if (random.chance(0.5)) return main
  const more: LendingRate =
    type.category === 'CRED_AND_CHRG_CARDS'
      ? {
          lendingRateType: 'BALANCE_TRANSFER',
          rate: 0,
          ...applied,
          additionalInfo: 'For 18 months',
        }
      : {
          lendingRateType: 'FIXED',
          rate: roundRate(rate - 0.004),
          additionalValue: 'P3Y',
          ...applied,
          tiers: [
            { name: 'LVR to 80%', unitOfMeasure: 'PERCENT', minimumValue: '0', maximumValue: '80' },
          ],
        }
  return [main, more]
}

const commonFeatures: readonly Feature[] = [
  { featureType: 'DIGITAL_BANKING', isActivated: 'ACTIVATED' },
  { featureType: 'NOTIFICATIONS', additionalValue: 'Push & SMS', isActivated: 'UNKNOWN' },
  { featureType: 'OTHER', additionalInfo: 'A tree for every thousandth transaction' },
]

const depositFeatures: readonly Feature[] = [
  { featureType: 'NPP_PAYID', additionalInfo: 'By phone number', isActivated: 'ACTIVATED' },
  { featureType: 'FREE_TXNS', additionalValue: '30', isActivated: 'ACTIVATED' },
  { featureType: 'FUNDS_AVAILABLE_AFTER', additionalValue: 'P1D', isActivated: 'UNKNOWN' },
]

const cardFeatures: readonly Feature[] = [
  { featureType: 'DIGITAL_WALLET', additionalValue: 'Phone and watch', isActivated: 'ACTIVATED' },
  { featureType: 'ADDITIONAL_CARDS', additionalValue: '2', isActivated: 'NOT_ACTIVATED' },
  { featureType: 'INTEREST_FREE', additionalValue: 'P55D', isActivated: 'ACTIVATED' },
]

const loanFeatures: readonly Feature[] = [
  { featureType: 'REDRAW', isActivated: 'NOT_ACTIVATED' },
  { featureType: 'EXTRA_REPAYMENTS', isActivated: 'ACTIVATED' },
]

const fees: readonly Fee[] = [
  {
    name: 'Account keeping',
    feeType: 'PERIODIC',
    feeMethodUType: 'fixedAmount',
    fixedAmount: { amount: '4.00' },
    additionalValue: 'P1M',
    discounts: [
      {
        description: 'No fee for students',
        discountType: 'ELIGIBILITY_ONLY',
        discountMethodUType: 'rateBased',
        rateBased: { rateType: 'FEE', rate: 1 },
        eligibility: [{ discountEligibilityType: 'STUDENT' }],
      },
      {
        description: 'No fee with deposits of 2,000 a month',
        discountType: 'DEPOSITS',
        additionalValue: '2000.00',
        discountMethodUType: 'fixedAmount',
        fixedAmount: { amount: '4.00' },
      },
    ],
  },
  {
    name: 'Overseas purchase 3%',
    feeType: 'PURCHASE',
    feeMethodUType: 'rateBased',
    rateBased: {
      rateType: 'TRANSACTION',
      rate: '0.03',
      amountRange: { feeMinimum: '0.30', feeMaximum: '150.00' },
    },
  },
  {
    name: 'Early exit',
    feeType: 'EXIT',
    feeMethodUType: 'variable',
    variable: { feeMinimum: '0.00', feeMaximum: '995.00' },
    additionalInfo: 'Depends on how early',
  },
  {
    name: 'Late payment',
    feeType: 'LATE_PAYMENT',
    feeMethodUType: 'fixedAmount',
    fixedAmount: { amount: '20.00' },
    feeCap: '60.00',
    feeCapPeriod: 'P1Y',
    additionalValue: '5',
    currency: 'AUD',
  },
]

export function pickFeatures(type: AccountType, random: Random): Feature[] {
  const own = type.limitDollars
    ? cardFeatures
    : type.openingDollars[0] < 0
      ? loanFeatures
      : depositFeatures
  return [...own, ...commonFeatures].filter(() => random.chance(0.5))
}

export function pickFees(random: Random): Fee[] {
  return fees.filter(() => random.chance(0.4))
}
