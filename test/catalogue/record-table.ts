import { minimalProduct, type Product } from './products.ts'

/**
 * The product record, written by hand from the interface and the Consumer Data Standards: its objects, their required
 * fields, and the kind of each field. An array contains the values of an enumeration.
 */
export type Kind = keyof typeof kinds | readonly string[]

/** Valid and invalid values of each kind. */
export const kinds = {
  text: {
    valid: ['Some text', '', 'ünïcødé 漢字 🐚 "\\'],
    invalid: [7, true, null, ['text'], { a: 1 }],
  },
  name: {
    valid: ['Some text', ' ', 'ünïcødé 漢字 🐚 "\\'],
    invalid: ['', 7, true, null, ['text']],
  },
  flag: { valid: [true, false], invalid: ['true', 1, null, []] },
  count: { valid: [0, 12, 2 ** 53 - 1], invalid: ['12', -1, 1.5, 2 ** 53, null, [1]] },
  decimal: {
    valid: ['10.50', '0', '-3', '12345678901234567890.000000001'],
    invalid: ['ten', '', '1,5', '1e3', '+1', '.5', '5.', ' 1', 'NaN', null, ['1']],
  },
  time: {
    valid: ['2026-01-31T09:30:00+11:00', '2026-01-31T09:30:00.123456789Z'],
    invalid: ['2026-01-31', '2026-02-30T00:00:00Z', '2026-01-31T09:30:00', 'now', 1767225600, null],
  },
  duration: {
    valid: ['P1M', 'P7Y', 'PT30M', 'P1DT12H'],
    invalid: ['monthly', 'P', '1M', 'P1X', 30, null],
  },
  uri: {
    valid: ['https://bank.example/a?b=%20#c', 'HTTP://[::1]:8080'],
    invalid: [
      ...['', 'bank.example', '//bank.example', 'https:bank.example', 'https://', 'https://a b'],
      ...['javascript:alert(1)', 'data:text/html,x', 'ftp://bank.example', ' https://bank.example'],
      ...[7, null, ['https://bank.example']],
    ],
  },
  ids: { valid: [['p-1', 'p-2'], []], invalid: ['p-1', { a: 'p-1' }, null] },
} as const

const additionalFields = {
  additional_info: 'text',
  additional_info_uri: 'uri',
  additional_value: 'text',
} as const
const link = { additional_info_uri: 'uri', description: 'text' } as const
const linkExample = { additional_info_uri: 'https://bank.example/more' }

const applicabilityTypes = [
  'DEPOSIT_BALANCE_INCREASED',
  'EXISTING_CUST',
  'MAX_WITHDRAWALS',
  'MAX_WITHDRAWAL_AMOUNT',
  'MIN_DEPOSITS',
  'MIN_DEPOSIT_AMOUNT',
  'MIN_PURCHASES',
  'NEW_ACCOUNTS',
  'NEW_CUSTOMER',
  'NEW_CUSTOMER_TO_GROUP',
  'ONLINE_ONLY',
  'OTHER',
]
const condition = { rate_applicability_type: applicabilityTypes, ...additionalFields } as const
const conditionExample = { rate_applicability_type: 'ONLINE_ONLY' }
const tier = {
  name: 'text',
  unit_of_measure: ['DAY', 'DOLLAR', 'MONTH', 'PERCENT'],
  additional_info: 'text',
  additional_info_uri: 'uri',
  maximum_value: 'decimal',
  minimum_value: 'decimal',
  rate_application_method: ['PER_TIER', 'WHOLE_BALANCE'],
} as const
const rate = {
  rate: 'decimal',
  ...additionalFields,
  application_type: ['MATURITY', 'PERIODIC', 'UPFRONT'],
  application_frequency: 'duration',
  calculation_frequency: 'duration',
} as const
const eligibilityTypes = [
  'BUSINESS',
  'EMPLOYMENT_STATUS',
  'MAX_AGE',
  'MIN_AGE',
  'MIN_INCOME',
  'MIN_TURNOVER',
  'NATURAL_PERSON',
  'OTHER',
  'PENSION_RECIPIENT',
  'RESIDENCY_STATUS',
  'STAFF',
  'STUDENT',
]

export interface Part {
  readonly fields: Readonly<Record<string, Kind>>
  /** The required fields. */
  readonly required?: Product
  /** Fields that the parent must have for this part to be allowed. */
  readonly siblings?: Product
}

/** By path: `[0]` is an element of a list. */
export const parts: Readonly<Record<string, Part>> = {
  '': {
    required: minimalProduct,
    fields: {
      brand: 'name',
      description: 'text',
      is_tailored: 'flag',
      name: 'name',
      product_category: [
        'BUSINESS_LOANS',
        'BUY_NOW_PAY_LATER',
        'CRED_AND_CHRG_CARDS',
        'LEASES',
        'MARGIN_LOANS',
        'OVERDRAFTS',
        'PERS_LOANS',
        'REGULATED_TRUST_ACCOUNTS',
        'RESIDENTIAL_MORTGAGES',
        'TERM_DEPOSITS',
        'TRADE_FINANCE',
        'TRANS_AND_SAVINGS_ACCOUNTS',
        'TRAVEL_CARDS',
      ],
      application_uri: 'uri',
      brand_name: 'text',
      effective_from: 'time',
      effective_to: 'time',
    },
  },
  additional_information: {
    fields: {
      bundle_uri: 'uri',
      eligibility_uri: 'uri',
      fees_and_pricing_uri: 'uri',
      overview_uri: 'uri',
      terms_uri: 'uri',
    },
  },
  'additional_information.additional_bundle_uris[0]': { required: linkExample, fields: link },
  'additional_information.additional_eligibility_uris[0]': { required: linkExample, fields: link },
  'additional_information.additional_fees_and_pricing_uris[0]': {
    required: linkExample,
    fields: link,
  },
  'additional_information.additional_overview_uris[0]': { required: linkExample, fields: link },
  'additional_information.additional_terms_uris[0]': { required: linkExample, fields: link },
  'bundles[0]': {
    fields: {
      name: 'text',
      additional_info: 'text',
      additional_info_uri: 'uri',
      description: 'text',
      product_ids: 'ids',
    },
  },
  'card_art[0]': {
    fields: {
      image_uri: 'uri',
      title: 'text',
      card_scheme: ['AMEX', 'EFTPOS', 'MASTERCARD', 'VISA', 'OTHER'],
      card_type: ['CHARGE', 'CREDIT', 'DEBIT'],
    },
  },
  'constraints[0]': {
    required: { constraint_type: 'OTHER', additional_info: 'As agreed' },
    fields: {
      constraint_type: [
        'MAX_BALANCE',
        'MAX_LIMIT',
        'MAX_LVR',
        'MIN_BALANCE',
        'MIN_LIMIT',
        'MIN_LVR',
        'OPENING_BALANCE',
        'OTHER',
      ],
      additional_info_uri: 'uri',
      additional_value: 'text',
    },
  },
  'deposit_rates[0]': {
    required: { deposit_rate_type: 'VARIABLE', rate: '0.035' },
    fields: {
      deposit_rate_type: [
        'BONUS',
        'BUNDLE_BONUS',
        'FIXED',
        'FLOATING',
        'INTRODUCTORY',
        'MARKET_LINKED',
        'VARIABLE',
      ],
      ...rate,
    },
  },
  'deposit_rates[0].applicability_conditions[0]': { required: conditionExample, fields: condition },
  'deposit_rates[0].tiers[0]': { fields: tier },
  'deposit_rates[0].tiers[0].applicability_conditions[0]': {
    required: conditionExample,
    fields: condition,
  },
  'eligibility[0]': {
    required: { eligibility_type: 'STAFF' },
    fields: { eligibility_type: eligibilityTypes, ...additionalFields },
  },
  'features[0]': {
    required: { feature_type: 'OFFSET' },
    fields: {
      feature_type: [
        'ADDITIONAL_CARDS',
        'BALANCE_TRANSFERS',
        'BILL_PAYMENT',
        'BONUS_REWARDS',
        'CARD_ACCESS',
        'CASHBACK_OFFER',
        'COMPLEMENTARY_PRODUCT_DISCOUNTS',
        'DIGITAL_BANKING',
        'DIGITAL_WALLET',
        'DONATE_INTEREST',
        'EXTRA_DOWN_PAYMENT',
        'EXTRA_REPAYMENTS',
        'FRAUD_PROTECTION',
        'FREE_TXNS',
        'FREE_TXNS_ALLOWANCE',
        'FUNDS_AVAILABLE_AFTER',
        'GUARANTOR',
        'INSTALMENT_PLAN',
        'INSURANCE',
        'INTEREST_FREE',
        'INTEREST_FREE_TRANSFERS',
        'LOYALTY_PROGRAM',
        'NOTIFICATIONS',
        'NPP_ENABLED',
        'NPP_PAYID',
        'OFFSET',
        'OTHER',
        'OVERDRAFT',
        'REDRAW',
        'RELATIONSHIP_MANAGEMENT',
        'UNLIMITED_TXNS',
      ],
      ...additionalFields,
    },
  },
  'fees[0]': {
    fields: {
      fee_type: [
        'CASH_ADVANCE',
        'DEPOSIT',
        'DISHONOUR',
        'ENQUIRY',
        'EVENT',
        'EXIT',
        'LATE_PAYMENT',
        'OTHER',
        'PAYMENT',
        'PERIODIC',
        'PURCHASE',
        'REPLACEMENT',
        'TRANSACTION',
        'UPFRONT',
        'UPFRONT_PER_PLAN',
        'VARIATION',
        'WITHDRAWAL',
      ],
      name: 'text',
      ...additionalFields,
      currency: 'text',
      fee_cap: 'decimal',
      fee_cap_period: 'duration',
    },
  },
  'fees[0].fixed_amount': {
    siblings: { fee_method_u_type: 'fixedAmount' },
    required: { amount: '4.00' },
    fields: { amount: 'decimal' },
  },
  'fees[0].rate_based': {
    siblings: { fee_method_u_type: 'rateBased' },
    required: { rate: '0.01', rate_type: 'BALANCE' },
    fields: {
      rate: 'decimal',
      rate_type: ['BALANCE', 'INTEREST_ACCRUED', 'TRANSACTION'],
      accrual_frequency: 'duration',
    },
  },
  'fees[0].rate_based.amount_range': { fields: { fee_maximum: 'decimal', fee_minimum: 'decimal' } },
  'fees[0].variable': {
    siblings: { fee_method_u_type: 'variable' },
    fields: { fee_maximum: 'decimal', fee_minimum: 'decimal' },
  },
  'fees[0].discounts[0]': {
    fields: {
      description: 'text',
      discount_type: ['BALANCE', 'DEPOSITS', 'ELIGIBILITY_ONLY', 'FEE_CAP', 'PAYMENTS'],
      ...additionalFields,
    },
  },
  'fees[0].discounts[0].eligibility[0]': {
    required: { discount_eligibility_type: 'STAFF' },
    fields: {
      discount_eligibility_type: [...eligibilityTypes, 'INTRODUCTORY'],
      ...additionalFields,
    },
  },
  'fees[0].discounts[0].fixed_amount': {
    siblings: { discount_method_u_type: 'fixedAmount' },
    required: { amount: '4.00' },
    fields: { amount: 'decimal' },
  },
  'fees[0].discounts[0].rate_based': {
    siblings: { discount_method_u_type: 'rateBased' },
    required: { rate: '0.5', rate_type: 'FEE' },
    fields: {
      rate: 'decimal',
      rate_type: ['BALANCE', 'FEE', 'INTEREST_ACCRUED', 'TRANSACTION'],
    },
  },
  'fees[0].discounts[0].rate_based.amount_range': {
    fields: { discount_maximum: 'decimal', discount_minimum: 'decimal' },
  },
  instalments: {
    fields: {
      maximum_split: 'count',
      minimum_split: 'count',
      instalments_limit: 'decimal',
      maximum_concurrent_plans: 'count',
      maximum_plan_value: 'decimal',
      minimum_plan_value: 'decimal',
    },
  },
  'lending_rates[0]': {
    required: { lending_rate_type: 'VARIABLE', rate: '0.0899' },
    fields: {
      lending_rate_type: [
        'BALANCE_TRANSFER',
        'BUNDLE_DISCOUNT_FIXED',
        'BUNDLE_DISCOUNT_VARIABLE',
        'CASH_ADVANCE',
        'DISCOUNT',
        'FIXED',
        'FLOATING',
        'INTRODUCTORY',
        'MARKET_LINKED',
        'PENALTY',
        'PURCHASE',
        'VARIABLE',
      ],
      ...rate,
      loan_purpose: ['INVESTMENT', 'OTHER', 'OWNER_OCCUPIED', 'UNCONSTRAINED'],
      repayment_type: ['INTEREST_ONLY', 'OTHER', 'PRINCIPAL_AND_INTEREST', 'UNCONSTRAINED'],
      comparison_rate: 'decimal',
      interest_payment_due: ['IN_ADVANCE', 'IN_ARREARS'],
    },
  },
  'lending_rates[0].applicability_conditions[0]': { required: conditionExample, fields: condition },
  'lending_rates[0].tiers[0]': { fields: tier },
  'lending_rates[0].tiers[0].applicability_conditions[0]': {
    required: conditionExample,
    fields: condition,
  },
}

/** Creates a product with these fields in one of its parts, and the required fields around it. */
export function productWith(path: string, fields: Product): Product {
  const part = { ...parts[path]?.required, ...fields }
  if (path === '') return part
  const [, parent = '', name = '', isElement] = /^(?:(.*)\.)?(\w+)(\[0\])?$/.exec(path) ?? []
  return productWith(parent, { ...parts[path]?.siblings, [name]: isElement ? [part] : part })
}

/** The value at a path such as `fees[0].name`. */
export function getValue(product: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce((value, step) => (value as Product | undefined)?.[step], product)
}

export const joinPath = (part: string, field: string) => (part === '' ? field : `${part}.${field}`)
