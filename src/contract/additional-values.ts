import type { CdsScalarName } from './cds/field-types.ts'
import type { Rule } from './rules.ts'
import type { ScalarName } from './scalars.ts'

const eligibility = {
  EMPLOYMENT_STATUS: 'text',
  MAX_AGE: 'count',
  MIN_AGE: 'count',
  MIN_INCOME: 'amount',
  MIN_TURNOVER: 'amount',
  RESIDENCY_STATUS: 'text',
} as const

/**
 * The format of `additionalValue` by type (docs/decisions/0035), as the Consumer Data Standards define it. Other types
 * accept any text.
 */
export const additionalValues = {
  condition: {
    DEPOSIT_BALANCE_INCREASED: 'amount',
    MAX_WITHDRAWALS: 'count',
    MAX_WITHDRAWAL_AMOUNT: 'amount',
    MIN_DEPOSITS: 'count',
    MIN_DEPOSIT_AMOUNT: 'amount',
    MIN_PURCHASES: 'count',
  },
  constraint: {
    MAX_BALANCE: 'amount',
    MAX_LIMIT: 'amount',
    MAX_LVR: 'rate',
    MIN_BALANCE: 'amount',
    MIN_LIMIT: 'amount',
    MIN_LVR: 'rate',
    OPENING_BALANCE: 'amount',
  },
  depositRate: {
    BONUS: 'text',
    BUNDLE_BONUS: 'text',
    FIXED: 'duration',
    FLOATING: 'text',
    INTRODUCTORY: 'duration',
    MARKET_LINKED: 'text',
  },
  discount: {
    BALANCE: 'amount',
    DEPOSITS: 'amount',
    FEE_CAP: 'duration',
    PAYMENTS: 'amount',
  },
  discountEligibility: { ...eligibility, INTRODUCTORY: 'duration' },
  eligibility,
  feature: {
    ADDITIONAL_CARDS: 'count',
    BONUS_REWARDS: 'text',
    CARD_ACCESS: 'text',
    CASHBACK_OFFER: 'amount',
    COMPLEMENTARY_PRODUCT_DISCOUNTS: 'text',
    DIGITAL_WALLET: 'text',
    FREE_TXNS: 'count',
    FREE_TXNS_ALLOWANCE: 'amount',
    FUNDS_AVAILABLE_AFTER: 'duration',
    INSURANCE: 'text',
    INTEREST_FREE: 'duration',
    INTEREST_FREE_TRANSFERS: 'duration',
    LOYALTY_PROGRAM: 'text',
    NOTIFICATIONS: 'text',
  },
  fee: { LATE_PAYMENT: 'count', PERIODIC: 'duration' },
  lendingRate: {
    BUNDLE_DISCOUNT_FIXED: 'text',
    BUNDLE_DISCOUNT_VARIABLE: 'text',
    DISCOUNT: 'text',
    FIXED: 'duration',
    FLOATING: 'text',
    INTRODUCTORY: 'duration',
    MARKET_LINKED: 'text',
    PENALTY: 'text',
  },
} as const satisfies Record<string, Record<string, CdsScalarName>>

type Kind = keyof typeof additionalValues

/** What the records accept for a format of the standards. */
const accepted: Partial<Record<CdsScalarName, ScalarName>> = {
  amount: 'decimal',
  count: 'wholeNumber',
  duration: 'duration',
  rate: 'decimal',
}

/** Rules for the format of `additionalValue`, by the type in `field`. */
export function valueFormats(field: string, kind: Kind): Rule[] {
  return Object.entries(additionalValues[kind]).flatMap(([type, format]) => {
    const scalar = accepted[format]
    if (!scalar) return []
    const value = inCaseOf(field, 'additionalValue', 'additional_value')
    return { when: { field, is: [type] }, format: { field: value, scalar } }
  })
}

/**
 * Rules for the format of `additionalValue`, and for the explanation in `additionalInfo` that the type OTHER requires. An
 * earlier version may have fewer types.
 */
export function explanationRules(field: string, kind: Kind, types?: readonly string[]): Rule[] {
  const info = inCaseOf(field, 'additionalInfo', 'additional_info')
  const explained: Rule = { when: { field, is: ['OTHER'] }, needs: [info] }
  const hasTypes = ({ when }: Rule) =>
    types === undefined || ('is' in when && when.is.every((type) => types.includes(type)))
  return [explained, ...valueFormats(field, kind)].filter(hasTypes)
}

/** Account records use camelCase field names, product records snake_case. */
function inCaseOf(field: string, camel: string, snake: string): string {
  return field.includes('_') ? snake : camel
}
