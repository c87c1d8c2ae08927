import { isObject } from '../../src/contract/schema.ts'

/**
 * The objects of version 3 of the account whose fields or values version 4 changed, transcribed from the field tables of the
 * Consumer Data Standards. They do not use the lists of the contract, so that an error in those is found.
 */
const explained = 'additionalValue additionalInfo additionalInfoUri'
const rate = `rate calculationFrequency applicationFrequency tiers ${explained}`

interface Shape {
  readonly fields: string
  readonly values?: Readonly<Record<string, string>>
  readonly inner?: Readonly<Record<string, Shape>>
}

const tiers: Shape = {
  fields:
    'name unitOfMeasure minimumValue maximumValue rateApplicationMethod applicabilityConditions additionalInfo additionalInfoUri',
  inner: { applicabilityConditions: { fields: 'additionalInfo additionalInfoUri' } },
}
const repaymentType = 'INTEREST_ONLY PRINCIPAL_AND_INTEREST'

const versionThree: Readonly<Record<string, Shape>> = {
  depositRates: {
    fields: `depositRateType ${rate}`,
    values: {
      depositRateType: 'BONUS BUNDLE_BONUS FIXED FLOATING INTRODUCTORY MARKET_LINKED VARIABLE',
    },
    inner: { tiers },
  },
  lendingRates: {
    fields: `lendingRateType comparisonRate interestPaymentDue repaymentType loanPurpose ${rate}`,
    values: {
      lendingRateType:
        'BUNDLE_DISCOUNT_FIXED BUNDLE_DISCOUNT_VARIABLE CASH_ADVANCE DISCOUNT FIXED FLOATING INTRODUCTORY MARKET_LINKED PENALTY PURCHASE VARIABLE',
      repaymentType,
      loanPurpose: 'INVESTMENT OWNER_OCCUPIED',
    },
    inner: { tiers },
  },
  features: {
    fields: `featureType isActivated ${explained}`,
    values: {
      featureType:
        'ADDITIONAL_CARDS BALANCE_TRANSFERS BILL_PAYMENT BONUS_REWARDS CARD_ACCESS CASHBACK_OFFER COMPLEMENTARY_PRODUCT_DISCOUNTS DIGITAL_BANKING DIGITAL_WALLET DONATE_INTEREST EXTRA_REPAYMENTS FRAUD_PROTECTION FREE_TXNS FREE_TXNS_ALLOWANCE GUARANTOR INSTALMENT_PLAN INSURANCE INTEREST_FREE INTEREST_FREE_TRANSFERS LOYALTY_PROGRAM NOTIFICATIONS NPP_ENABLED NPP_PAYID OFFSET OTHER OVERDRAFT REDRAW RELATIONSHIP_MANAGEMENT UNLIMITED_TXNS',
      isActivated: 'true false',
    },
  },
  fees: {
    fields: `name feeType amount balanceRate transactionRate accruedRate accrualFrequency currency discounts ${explained}`,
    values: {
      feeType:
        'DEPOSIT EVENT EXIT PAYMENT PERIODIC PURCHASE TRANSACTION UPFRONT VARIABLE WITHDRAWAL',
    },
    inner: {
      discounts: {
        fields: `description discountType amount balanceRate transactionRate accruedRate feeRate eligibility ${explained}`,
        values: { discountType: 'BALANCE DEPOSITS ELIGIBILITY_ONLY FEE_CAP PAYMENTS' },
      },
    },
  },
  loan: {
    fields:
      'originalStartDate originalLoanAmount originalLoanCurrency loanEndDate nextInstalmentDate minInstalmentAmount minInstalmentCurrency maxRedraw maxRedrawCurrency minRedraw minRedrawCurrency offsetAccountEnabled offsetAccountIds repaymentFrequency repaymentType',
    values: { repaymentType },
  },
}

/** The fields and values of an account that version 3 does not have, such as `fees.feeType LATE_PAYMENT`. */
export function listLaterContent(account: object): string[] {
  return Object.entries(versionThree).flatMap(([name, shape]) => [
    ...findLater(shape, (account as Record<string, unknown>)[name], name),
  ])
}

function* findLater(
  { fields, values = {}, inner = {} }: Shape,
  value: unknown,
  path: string,
): Generator<string> {
  for (const object of [value].flat().filter(isObject)) {
    for (const [name, content] of Object.entries(object)) {
      if (!fields.split(' ').includes(name)) yield `${path}.${name}`
      if (values[name] && !values[name].split(' ').includes(String(content))) {
        yield `${path}.${name} ${content}`
      }
      if (inner[name]) yield* findLater(inner[name], content, `${path}.${name}`)
    }
  }
}
