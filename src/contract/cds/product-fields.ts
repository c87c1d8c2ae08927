import { values } from '../enumerations.ts'
import { eligibilityValues, fee } from './fee-fields.ts'
import {
  type CdsEnumeration,
  type CdsField,
  type CdsListVersion,
  type CdsObject,
  explainedBy,
  listAbsentValues,
  mandatory,
  toDetailVersion,
} from './mapping.ts'
import { depositRate, lendingRate } from './rate-fields.ts'

const inList = true

const document: CdsObject = {
  fields: {
    description: { type: 'text' },
    additional_info_uri: { type: 'uri', mandatory },
  },
}

const topics = ['overview', 'terms', 'eligibility', 'fees_and_pricing', 'bundle']

const additionalInformation: CdsObject = {
  fields: Object.fromEntries([
    ...topics.map((topic): [string, CdsField] => [
      `${topic}_uri`,
      { type: 'uri', mandatory: { field: `additional_${topic}_uris` } },
    ]),
    ...topics.map((topic): [string, CdsField] => [
      `additional_${topic}_uris`,
      { type: { list: document } },
    ]),
  ]),
}

const cardArt: CdsObject = {
  fields: {
    card_scheme: { type: { oneOf: values.cardScheme }, mandatory, since: 6 },
    card_type: { type: { oneOf: values.cardType }, mandatory, since: 6 },
    title: { type: 'text' },
    image_uri: { type: 'uri', mandatory },
  },
}

const bundle: CdsObject = {
  fields: {
    name: { type: 'text', mandatory },
    description: { type: 'text', mandatory },
    additional_info: { type: 'text' },
    additional_info_uri: { type: 'uri' },
    product_ids: { type: { list: 'ascii' } },
  },
}

const feature: CdsObject = {
  fields: {
    feature_type: {
      type: {
        oneOf: values.featureType,
        added: { FUNDS_AVAILABLE_AFTER: 6, EXTRA_DOWN_PAYMENT: 7 },
        before: { FUNDS_AVAILABLE_AFTER: 'OTHER', EXTRA_DOWN_PAYMENT: 'OTHER' },
      },
      mandatory,
    },
    ...explainedBy('feature_type', {
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
    }),
  },
}

const constraint: CdsObject = {
  fields: {
    constraint_type: {
      type: {
        oneOf: values.constraintType,
        added: { MAX_LVR: 5, MIN_LVR: 5, OTHER: 6 },
        before: 'omitObject',
      },
      mandatory,
    },
    ...explainedBy('constraint_type', {
      MAX_BALANCE: 'amount',
      MAX_LIMIT: 'amount',
      MAX_LVR: 'rate',
      MIN_BALANCE: 'amount',
      MIN_LIMIT: 'amount',
      MIN_LVR: 'rate',
      OPENING_BALANCE: 'amount',
    }),
  },
}

const eligibility: CdsObject = {
  fields: {
    eligibility_type: { type: { oneOf: values.eligibilityType }, mandatory },
    ...explainedBy('eligibility_type', eligibilityValues),
  },
}

const instalments: CdsObject = {
  fields: {
    maximum_concurrent_plans: { type: 'naturalNumber' },
    instalments_limit: { type: 'amount' },
    minimum_plan_value: { type: 'amount' },
    maximum_plan_value: { type: 'amount' },
    minimum_split: { type: 'positiveInteger', mandatory },
    maximum_split: { type: 'positiveInteger', mandatory },
  },
}

const category: CdsEnumeration = {
  oneOf: values.productCategory,
  added: { BUY_NOW_PAY_LATER: 7 },
  before: 'omitObject',
}

/** The categories of products that a version of the list has. */
export function listCdsCategories(version: CdsListVersion): readonly string[] {
  const absent = listAbsentValues(category, toDetailVersion(version))
  return category.oneOf.filter((value) => !absent.includes(value))
}

/**
 * How a product of the catalogue is published in the Consumer Data Standards, from 1.32.0 to 1.36.0: the fields in
 * the order of the standards, with their types and the versions that have them. The catalogue has no `brandGroup`.
 */
export const cdsProduct: CdsObject = {
  fields: {
    product_id: { type: 'pathSegment', mandatory, inList, isAssigned: true },
    effective_from: { type: 'dateTime', inList },
    effective_to: { type: 'dateTime', inList },
    last_updated: { type: 'dateTime', mandatory, inList, isAssigned: true },
    product_category: { type: category, mandatory, inList },
    name: { type: 'text', mandatory, inList },
    description: { type: 'text', mandatory, inList },
    brand: { type: 'text', mandatory, inList },
    brand_name: { type: 'text', inList },
    application_uri: { type: 'uri', inList },
    is_tailored: { type: 'flag', mandatory, inList },
    additional_information: { type: { object: additionalInformation }, inList },
    card_art: { type: { list: cardArt }, inList },
    bundles: { type: { list: bundle } },
    features: { type: { list: feature } },
    constraints: { type: { list: constraint } },
    eligibility: { type: { list: eligibility } },
    fees: { type: { list: fee } },
    deposit_rates: { type: { list: depositRate } },
    lending_rates: { type: { list: lendingRate } },
    instalments: { type: { object: instalments }, since: 7 },
  },
}
