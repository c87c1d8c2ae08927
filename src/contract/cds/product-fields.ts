import { additionalValues } from '../additional-values.ts'
import { earlierTypes, values } from '../enumerations.ts'
import { fee } from './fee-fields.ts'
import {
  type CdsEnumeration,
  type CdsField,
  type CdsFields,
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

const additionalInformation: CdsFields = Object.fromEntries([
  ...topics.map((topic): [string, CdsField] => [
    `${topic}_uri`,
    { type: 'uri', mandatory: { field: `additional_${topic}_uris` } },
  ]),
  ...topics.map((topic): [string, CdsField] => [
    `additional_${topic}_uris`,
    { type: { list: document } },
  ]),
])

const cardArt: CdsFields = {
  card_scheme: { type: { oneOf: values.cardScheme }, mandatory, since: 6 },
  card_type: { type: { oneOf: values.cardType }, mandatory, since: 6 },
  title: { type: 'text' },
  image_uri: { type: 'uri', mandatory },
}

const bundle: CdsFields = {
  name: { type: 'text', mandatory },
  description: { type: 'text', mandatory },
  additional_info: { type: 'text' },
  additional_info_uri: { type: 'uri' },
  product_ids: { type: { list: 'ascii' } },
}

/** The standards do not use the number of cards. */
const { ADDITIONAL_CARDS: _, ...featureValues } = additionalValues.feature

export const feature: CdsFields = {
  feature_type: {
    type: {
      oneOf: values.featureType,
      added: { FUNDS_AVAILABLE_AFTER: 6, EXTRA_DOWN_PAYMENT: 7 },
      before: earlierTypes.featureType,
    },
    mandatory,
  },
  ...explainedBy('feature_type', featureValues),
}

const constraint: CdsFields = {
  constraint_type: {
    type: {
      oneOf: values.constraintType,
      added: { MAX_LVR: 5, MIN_LVR: 5, OTHER: 6 },
      before: 'omitObject',
    },
    mandatory,
  },
  ...explainedBy('constraint_type', additionalValues.constraint),
}

const eligibility: CdsFields = {
  eligibility_type: { type: { oneOf: values.eligibilityType }, mandatory },
  ...explainedBy('eligibility_type', additionalValues.eligibility),
}

const instalments: CdsFields = {
  maximum_concurrent_plans: { type: 'naturalNumber' },
  instalments_limit: { type: 'amount' },
  minimum_plan_value: { type: 'amount' },
  maximum_plan_value: { type: 'amount' },
  minimum_split: { type: 'positiveInteger', mandatory },
  maximum_split: { type: 'positiveInteger', mandatory },
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
    additional_information: { type: { object: { fields: additionalInformation } }, inList },
    card_art: { type: { list: { fields: cardArt } }, inList },
    bundles: { type: { list: { fields: bundle } } },
    features: { type: { list: { fields: feature } } },
    constraints: { type: { list: { fields: constraint } } },
    eligibility: { type: { list: { fields: eligibility } } },
    fees: { type: { list: fee } },
    deposit_rates: { type: { list: depositRate } },
    lending_rates: { type: { list: lendingRate } },
    instalments: { type: { object: { fields: instalments } }, since: 7 },
  },
}
