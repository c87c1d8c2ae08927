import type { Rule } from './rules.ts'
import type { ScalarName } from './scalars.ts'

/** The format of `additionalValue` by type (docs/decisions/0035). Other types accept any text. */
const formats = {
  condition: {
    DEPOSIT_BALANCE_INCREASED: 'decimal',
    MAX_WITHDRAWALS: 'wholeNumber',
    MAX_WITHDRAWAL_AMOUNT: 'decimal',
    MIN_DEPOSITS: 'wholeNumber',
    MIN_DEPOSIT_AMOUNT: 'decimal',
    MIN_PURCHASES: 'wholeNumber',
  },
  constraint: {
    MAX_BALANCE: 'decimal',
    MAX_LIMIT: 'decimal',
    MAX_LVR: 'decimal',
    MIN_BALANCE: 'decimal',
    MIN_LIMIT: 'decimal',
    MIN_LVR: 'decimal',
    OPENING_BALANCE: 'decimal',
  },
  discount: {
    BALANCE: 'decimal',
    DEPOSITS: 'decimal',
    FEE_CAP: 'duration',
    PAYMENTS: 'decimal',
  },
  eligibility: {
    MAX_AGE: 'wholeNumber',
    MIN_AGE: 'wholeNumber',
    MIN_INCOME: 'decimal',
    MIN_TURNOVER: 'decimal',
  },
  feature: {
    ADDITIONAL_CARDS: 'wholeNumber',
    CASHBACK_OFFER: 'decimal',
    FREE_TXNS: 'wholeNumber',
    FREE_TXNS_ALLOWANCE: 'decimal',
    FUNDS_AVAILABLE_AFTER: 'duration',
    INTEREST_FREE: 'duration',
    INTEREST_FREE_TRANSFERS: 'duration',
  },
  fee: {
    LATE_PAYMENT: 'wholeNumber',
    PERIODIC: 'duration',
  },
  rate: {
    FIXED: 'duration',
    INTRODUCTORY: 'duration',
  },
} as const satisfies Record<string, Record<string, ScalarName>>

/** Rules for the format of `additionalValue`, by the type in `field`. */
export function valueFormats(field: string, kind: keyof typeof formats): Rule[] {
  return Object.entries(formats[kind]).map(([type, scalar]) => ({
    when: { field, is: [type] },
    format: { field: inCaseOf(field, 'additionalValue', 'additional_value'), scalar },
  }))
}

/** The type OTHER requires an explanation in `additionalInfo`. */
export function otherRequiresInfo(field: string): Rule {
  const info = inCaseOf(field, 'additionalInfo', 'additional_info')
  return { when: { field, is: ['OTHER'] }, needs: [info] }
}

/** Account records use camelCase field names, product records snake_case. */
function inCaseOf(field: string, camel: string, snake: string): string {
  return field.includes('_') ? snake : camel
}
