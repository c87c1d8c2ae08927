import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import {
  adjustment,
  amount,
  ascii,
  currency,
  dateTime,
  duration,
  explanation,
  listOf,
  object,
  oneOf,
  otherHasInfo,
  rate,
  type Schema,
  text,
  uri,
  value,
  when,
  wholeNumber,
} from './cds-schema-types.ts'

/**
 * JSON schemas of Get Products and Get Product Detail, written by hand from the field tables of the Consumer Data Standards
 * 1.32.0 (list 3, detail 4), 1.33.1 (detail 5), 1.34.1 (list 4, detail 6) and 1.36.0 (list 5, detail 7). They do not use the
 * tables of the contract, so that an error in those is found.
 */
export function compileCdsSchemas(): {
  readonly list: ReadonlyMap<number, ValidateFunction>
  readonly detail: ReadonlyMap<number, ValidateFunction>
} {
  const ajv = new Ajv2020({
    strict: false,
    formats: {
      uri: (value: string) => !/[\s"<>\\^`{|}\u0080-\uffff]/u.test(value) && URL.canParse(value),
      'date-time': (value: string) =>
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) &&
        !Number.isNaN(Date.parse(value)),
    },
  })
  const list = [3, 4, 5].map((version) => [version, ajv.compile(listProduct(version + 2))] as const)
  const detail = [4, 5, 6, 7].map(
    (version) => [version, ajv.compile(detailProduct(version))] as const,
  )
  return { list: new Map(list), detail: new Map(detail) }
}

const documents = listOf(object({ additionalInfoUri: uri }, { description: text }))
const topics = ['overview', 'terms', 'eligibility', 'feesAndPricing', 'bundle']
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const additionalInformation = object(
  {},
  Object.fromEntries(
    topics.flatMap((topic) => [
      [`${topic}Uri`, uri],
      [`additional${capital(topic)}Uris`, documents],
    ]),
  ),
  ...topics.map((topic) => ({
    if: {
      properties: { [`additional${capital(topic)}Uris`]: { minItems: 1 } },
      required: [`additional${capital(topic)}Uris`],
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: [`${topic}Uri`] },
  })),
)

const cardArt = (version: number) =>
  version >= 6
    ? object(
        {
          cardScheme: oneOf('AMEX EFTPOS MASTERCARD VISA OTHER'),
          cardType: oneOf('CHARGE CREDIT DEBIT'),
          imageUri: uri,
        },
        { title: text },
      )
    : object({ imageUri: uri }, { title: text })

const categories =
  'BUSINESS_LOANS CRED_AND_CHRG_CARDS LEASES MARGIN_LOANS OVERDRAFTS PERS_LOANS REGULATED_TRUST_ACCOUNTS RESIDENTIAL_MORTGAGES TERM_DEPOSITS TRADE_FINANCE TRANS_AND_SAVINGS_ACCOUNTS TRAVEL_CARDS'

const listMandatory = (version: number) => ({
  productId: ascii,
  lastUpdated: dateTime,
  productCategory: oneOf(version >= 7 ? `${categories} BUY_NOW_PAY_LATER` : categories),
  name: text,
  description: text,
  brand: text,
  isTailored: { type: 'boolean' },
})

const listOptional = (version: number) => ({
  effectiveFrom: dateTime,
  effectiveTo: dateTime,
  brandName: text,
  ...(version >= 7 && { brandGroup: ascii }),
  applicationUri: uri,
  additionalInformation,
  cardArt: listOf(cardArt(version)),
})

const listProduct = (version: number) => object(listMandatory(version), listOptional(version))

const bundle = object(
  { name: text, description: text },
  { additionalInfo: text, additionalInfoUri: uri, productIds: listOf(ascii) },
)

const featureTypes =
  'ADDITIONAL_CARDS BALANCE_TRANSFERS BILL_PAYMENT BONUS_REWARDS CARD_ACCESS CASHBACK_OFFER COMPLEMENTARY_PRODUCT_DISCOUNTS DIGITAL_BANKING DIGITAL_WALLET DONATE_INTEREST EXTRA_REPAYMENTS FRAUD_PROTECTION FREE_TXNS FREE_TXNS_ALLOWANCE GUARANTOR INSTALMENT_PLAN INSURANCE INTEREST_FREE INTEREST_FREE_TRANSFERS LOYALTY_PROGRAM NOTIFICATIONS NPP_ENABLED NPP_PAYID OFFSET OTHER OVERDRAFT REDRAW RELATIONSHIP_MANAGEMENT UNLIMITED_TXNS'
const feature = (version: number) =>
  object(
    {
      featureType: oneOf(
        featureTypes +
          (version >= 6 ? ' FUNDS_AVAILABLE_AFTER' : '') +
          (version >= 7 ? ' EXTRA_DOWN_PAYMENT' : ''),
      ),
    },
    explanation,
    otherHasInfo('featureType'),
    value(
      'featureType',
      'BONUS_REWARDS CARD_ACCESS COMPLEMENTARY_PRODUCT_DISCOUNTS DIGITAL_WALLET INSURANCE LOYALTY_PROGRAM NOTIFICATIONS',
    ),
    value('featureType', 'CASHBACK_OFFER FREE_TXNS_ALLOWANCE', amount),
    value('featureType', 'FREE_TXNS', wholeNumber),
    value('featureType', 'FUNDS_AVAILABLE_AFTER INTEREST_FREE INTEREST_FREE_TRANSFERS', duration),
  )

const amountConstraints = 'MAX_BALANCE MAX_LIMIT MIN_BALANCE MIN_LIMIT OPENING_BALANCE'
const constraint = (version: number) =>
  object(
    {
      constraintType: oneOf(
        amountConstraints +
          (version >= 5 ? ' MAX_LVR MIN_LVR' : '') +
          (version >= 6 ? ' OTHER' : ''),
      ),
    },
    explanation,
    otherHasInfo('constraintType'),
    value('constraintType', amountConstraints, amount),
    value('constraintType', 'MAX_LVR MIN_LVR', rate),
  )

const eligibilityTypes =
  'BUSINESS EMPLOYMENT_STATUS MAX_AGE MIN_AGE MIN_INCOME MIN_TURNOVER NATURAL_PERSON OTHER PENSION_RECIPIENT RESIDENCY_STATUS STAFF STUDENT'
const eligibilityRules = (field: string) => [
  otherHasInfo(field),
  value(field, 'EMPLOYMENT_STATUS RESIDENCY_STATUS'),
  value(field, 'MAX_AGE MIN_AGE', wholeNumber),
  value(field, 'MIN_INCOME MIN_TURNOVER', amount),
]
const eligibility = object(
  { eligibilityType: oneOf(eligibilityTypes) },
  explanation,
  ...eligibilityRules('eligibilityType'),
)
const discountEligibility = object(
  { discountEligibilityType: oneOf(`${eligibilityTypes} INTRODUCTORY`) },
  explanation,
  ...eligibilityRules('discountEligibilityType'),
  value('discountEligibilityType', 'INTRODUCTORY', duration),
)

const exactlyOne = (...fields: string[]) => ({
  oneOf: fields.map((field) => ({ required: [field] })),
})

const discountMandatory = {
  description: text,
  discountType: oneOf('BALANCE DEPOSITS ELIGIBILITY_ONLY FEE_CAP PAYMENTS'),
}
const discountOptional = { ...explanation, eligibility: listOf(discountEligibility) }
const discountRules = [
  value('discountType', 'BALANCE DEPOSITS PAYMENTS', amount),
  value('discountType', 'FEE_CAP', duration),
  when('discountType', 'ELIGIBILITY_ONLY', 'eligibility', { minItems: 1 }),
]
const discount = (version: number) =>
  version >= 6
    ? object(
        { ...discountMandatory, discountMethodUType: oneOf('fixedAmount rateBased') },
        {
          ...discountOptional,
          fixedAmount: object({ amount }),
          rateBased: object(
            { rateType: oneOf('BALANCE FEE INTEREST_ACCRUED TRANSACTION'), rate },
            { amountRange: object({}, { discountMinimum: amount, discountMaximum: amount }) },
          ),
        },
        ...discountRules,
        ...['fixedAmount', 'rateBased'].map((name) => when('discountMethodUType', name, name)),
        exactlyOne('fixedAmount', 'rateBased'),
      )
    : object(
        discountMandatory,
        {
          ...discountOptional,
          amount,
          balanceRate: rate,
          transactionRate: rate,
          accruedRate: rate,
          feeRate: rate,
        },
        ...discountRules,
        exactlyOne('amount', 'balanceRate', 'transactionRate', 'accruedRate', 'feeRate'),
      )

const feeTypes = 'DEPOSIT EVENT EXIT PAYMENT PERIODIC PURCHASE TRANSACTION UPFRONT WITHDRAWAL'
const fee = (version: number) => {
  const optional = { ...explanation, currency, discounts: listOf(discount(version)) }
  const period = value('feeType', 'PERIODIC', duration)
  if (version < 6) {
    return object(
      { name: text, feeType: oneOf(`${feeTypes} VARIABLE`) },
      {
        ...optional,
        amount,
        balanceRate: rate,
        transactionRate: rate,
        accruedRate: rate,
        accrualFrequency: duration,
      },
      period,
      {
        if: { properties: { feeType: { const: 'VARIABLE' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: {},
        else: exactlyOne('amount', 'balanceRate', 'transactionRate', 'accruedRate'),
      },
    )
  }
  const range = { feeMinimum: amount, feeMaximum: amount }
  const methods = {
    fixedAmount: object({ amount }),
    rateBased: object(
      { rateType: oneOf('BALANCE INTEREST_ACCRUED TRANSACTION'), rate },
      { accrualFrequency: duration, amountRange: object({}, range) },
    ),
    variable: object({}, range),
  }
  const newTypes =
    'CASH_ADVANCE DISHONOUR ENQUIRY LATE_PAYMENT OTHER REPLACEMENT UPFRONT_PER_PLAN VARIATION'
  return object(
    {
      name: text,
      feeType: oneOf(`${feeTypes} ${newTypes}`),
      feeMethodUType: oneOf(Object.keys(methods).join(' ')),
    },
    { ...optional, ...methods, feeCap: amount, feeCapPeriod: duration },
    period,
    otherHasInfo('feeType'),
    value('feeType', 'LATE_PAYMENT', wholeNumber),
    ...Object.keys(methods).map((name) => when('feeMethodUType', name, name)),
    exactlyOne(...Object.keys(methods)),
  )
}

const condition = object(
  {
    rateApplicabilityType: oneOf(
      'MIN_DEPOSITS MIN_DEPOSIT_AMOUNT DEPOSIT_BALANCE_INCREASED EXISTING_CUST NEW_ACCOUNTS NEW_CUSTOMER NEW_CUSTOMER_TO_GROUP ONLINE_ONLY OTHER MIN_PURCHASES MAX_WITHDRAWALS MAX_WITHDRAWAL_AMOUNT',
    ),
  },
  explanation,
  otherHasInfo('rateApplicabilityType'),
  value('rateApplicabilityType', 'MIN_DEPOSITS MIN_PURCHASES MAX_WITHDRAWALS', wholeNumber),
  value(
    'rateApplicabilityType',
    'MIN_DEPOSIT_AMOUNT DEPOSIT_BALANCE_INCREASED MAX_WITHDRAWAL_AMOUNT',
    amount,
  ),
)

const tier = (version: number) => {
  const bound = version >= 6 ? text : { type: 'number' }
  const bounds = (units: string, schema: Schema) => ({
    if: { properties: { unitOfMeasure: oneOf(units) } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { minimumValue: schema, maximumValue: schema } },
  })
  const formats = [
    bounds('DOLLAR', amount),
    bounds('PERCENT', rate),
    bounds('DAY MONTH', wholeNumber),
  ]
  return object(
    { name: text, unitOfMeasure: oneOf('DAY DOLLAR MONTH PERCENT'), minimumValue: bound },
    {
      maximumValue: bound,
      rateApplicationMethod: oneOf('PER_TIER WHOLE_BALANCE'),
      applicabilityConditions:
        version >= 6
          ? listOf(condition)
          : object({}, { additionalInfo: text, additionalInfoUri: uri }),
      additionalInfo: text,
      additionalInfoUri: uri,
    },
    ...(version >= 6 ? formats : []),
  )
}

const rateMandatory = (version: number) => ({
  rate,
  ...(version >= 6 && { applicationType: oneOf('MATURITY PERIODIC UPFRONT') }),
})
const rateOptional = (version: number) => ({
  calculationFrequency: duration,
  applicationFrequency: duration,
  tiers: listOf(tier(version)),
  ...(version >= 6 && { applicabilityConditions: listOf(condition) }),
  ...explanation,
})
const periodic = when('applicationType', 'PERIODIC', 'applicationFrequency')

const depositRate = (version: number) =>
  object(
    {
      ...rateMandatory(version),
      depositRateType: oneOf(
        'BONUS BUNDLE_BONUS FIXED FLOATING INTRODUCTORY MARKET_LINKED VARIABLE',
      ),
    },
    rateOptional(version),
    periodic,
    value('depositRateType', 'BONUS BUNDLE_BONUS FLOATING MARKET_LINKED'),
    value('depositRateType', 'FIXED INTRODUCTORY', duration),
    when('depositRateType', 'BONUS BUNDLE_BONUS INTRODUCTORY', 'rate', adjustment),
  )

const lendingRateTypes =
  'BUNDLE_DISCOUNT_FIXED BUNDLE_DISCOUNT_VARIABLE CASH_ADVANCE DISCOUNT FIXED FLOATING INTRODUCTORY MARKET_LINKED PENALTY PURCHASE VARIABLE'
const lendingRate = (version: number) => {
  const more = version >= 6 ? ' OTHER UNCONSTRAINED' : ''
  const purpose = {
    repaymentType: oneOf(`INTEREST_ONLY PRINCIPAL_AND_INTEREST${more}`),
    loanPurpose: oneOf(`INVESTMENT OWNER_OCCUPIED${more}`),
  }
  return object(
    {
      ...rateMandatory(version),
      ...(version >= 6 && purpose),
      lendingRateType: oneOf(lendingRateTypes + (version >= 6 ? ' BALANCE_TRANSFER' : '')),
    },
    {
      ...rateOptional(version),
      ...(version < 6 && purpose),
      comparisonRate: rate,
      interestPaymentDue: oneOf('IN_ADVANCE IN_ARREARS'),
    },
    periodic,
    value(
      'lendingRateType',
      'BUNDLE_DISCOUNT_FIXED BUNDLE_DISCOUNT_VARIABLE DISCOUNT FLOATING MARKET_LINKED PENALTY',
    ),
    value('lendingRateType', 'FIXED INTRODUCTORY', duration),
    when(
      'lendingRateType',
      'BUNDLE_DISCOUNT_FIXED BUNDLE_DISCOUNT_VARIABLE DISCOUNT INTRODUCTORY PENALTY',
      'rate',
      adjustment,
    ),
  )
}

const positive = { type: 'integer', minimum: 1 }
const instalments = object(
  { minimumSplit: positive, maximumSplit: positive },
  {
    maximumConcurrentPlans: { type: 'integer', minimum: 0 },
    instalmentsLimit: amount,
    minimumPlanValue: amount,
    maximumPlanValue: amount,
  },
)

const detailProduct = (version: number) =>
  object(listMandatory(version), {
    ...listOptional(version),
    bundles: listOf(bundle),
    features: listOf(feature(version)),
    constraints: listOf(constraint(version)),
    eligibility: listOf(eligibility),
    fees: listOf(fee(version)),
    depositRates: listOf(depositRate(version)),
    lendingRates: listOf(lendingRate(version)),
    ...(version >= 7 && { instalments }),
  })
