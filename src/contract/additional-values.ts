import type { Rule } from './rules.ts'
import type { ScalarName } from './scalars.ts'

/** The form of `additionalValue` by type (docs/decisions/0035). Types not listed take any text. */
const forms = {
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

/** The form that a value must have by the type in `field`, where it is given at all. */
export function valueForms(field: string, kind: keyof typeof forms): Rule[] {
  return Object.entries(forms[kind]).map(([type, scalar]) => ({
    when: { field, is: [type] },
    form: { field: spelledLike(field, 'additionalValue', 'additional_value'), scalar },
  }))
}

/** A type of OTHER says nothing by itself, so the text beside it must. */
export function otherNeedsInfo(field: string): Rule {
  const info = spelledLike(field, 'additionalInfo', 'additional_info')
  return { when: { field, is: ['OTHER'] }, needs: [info] }
}

/** Account records spell their fields in camelCase, product records in snake_case. */
function spelledLike(field: string, camel: string, snake: string): string {
  return field.includes('_') ? snake : camel
}
