import type { Static, TSchema } from 'typebox'
import { explanationRules } from '../additional-values.ts'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { inOrder } from '../rules.ts'
import { Count, Flag, Id, Money, NonEmpty, Text, Timestamp, WebUri } from '../scalars.ts'
import { Type } from '../type.ts'
import { ProductFee, ProductFeeRead } from './product-fees.ts'
import { explanation, ProductDepositRate, ProductLendingRate } from './product-rates.ts'

const MoreInformation = Type.Array(
  record('MoreInformation', {
    description: 'A link to more information.',
    required: { additional_info_uri: WebUri },
    optional: { description: Text },
  }),
)

export const AdditionalInformation = record('AdditionalInformation', {
  description: 'Links to information about a product.',
  optional: {
    bundle_uri: WebUri,
    eligibility_uri: WebUri,
    fees_and_pricing_uri: WebUri,
    overview_uri: WebUri,
    terms_uri: WebUri,
    additional_bundle_uris: MoreInformation,
    additional_eligibility_uris: MoreInformation,
    additional_fees_and_pricing_uris: MoreInformation,
    additional_overview_uris: MoreInformation,
    additional_terms_uris: MoreInformation,
  },
})

const Bundle = record('Bundle', {
  description: 'A bundle of products.',
  optional: {
    name: Text,
    additional_info: Text,
    additional_info_uri: WebUri,
    description: Text,
    product_ids: Type.Array(Id),
  },
})

const CardArt = record('CardArt', {
  description: 'An image of a card.',
  optional: {
    image_uri: WebUri,
    card_scheme: oneOf(values.cardScheme),
    card_type: oneOf(values.cardType),
    title: Text,
  },
})

export const Constraint = record('Constraint', {
  description: 'A limit of a product.',
  required: { constraint_type: oneOf(values.constraintType) },
  optional: explanation,
  rules: explanationRules('constraint_type', 'constraint'),
})

export const Eligibility = record('Eligibility', {
  description: 'A condition for applicants.',
  required: { eligibility_type: oneOf(values.eligibilityType) },
  optional: explanation,
  rules: explanationRules('eligibility_type', 'eligibility'),
})

export const ProductFeature = record('ProductFeature', {
  description: 'A feature of a product.',
  required: { feature_type: oneOf(values.featureType) },
  optional: explanation,
  rules: explanationRules('feature_type', 'feature'),
})

export const Instalments = record('Instalments', {
  description: 'The limits of instalment plans.',
  optional: {
    maximum_split: Count,
    minimum_split: Count,
    instalments_limit: Money,
    maximum_concurrent_plans: Count,
    maximum_plan_value: Money,
    minimum_plan_value: Money,
  },
})

const required = {
  brand: described(NonEmpty, 'The brand of the institution.'),
  description: described(Text, 'For display.'),
  is_tailored: Flag,
  name: described(NonEmpty, 'For display.'),
  product_category: oneOf(values.productCategory),
}

const rules = [inOrder('effective_from', 'effective_to', 'dateTime')]

/** Input and output differ only in the discounts of a fee. */
function optional<Fee extends TSchema>(fee: Fee) {
  return {
    additional_information: AdditionalInformation,
    application_uri: described(WebUri, 'The web page for applications.'),
    brand_name: Text,
    bundles: Type.Array(Bundle),
    card_art: Type.Array(CardArt),
    constraints: Type.Array(Constraint),
    deposit_rates: Type.Array(ProductDepositRate),
    effective_from: described(Timestamp, 'Default: available immediately.'),
    effective_to: described(Timestamp, 'When the product closes for new applications.'),
    eligibility: Type.Array(Eligibility),
    features: Type.Array(ProductFeature),
    fees: Type.Array(fee),
    instalments: Instalments,
    lending_rates: Type.Array(ProductLendingRate),
  }
}

export type ProductInput = Static<typeof ProductInput>
export const ProductInput = record('ProductInput', {
  description: 'A product in a create or replace request.',
  required,
  optional: optional(ProductFee),
  rules,
  ignores: ['product_id', 'last_updated'],
})

export type Product = Static<typeof Product>
export const Product = record('Product', {
  description: 'A product in a load or dump.',
  required: { product_id: Id, ...required },
  optional: { ...optional(ProductFee), last_updated: Timestamp },
  rules,
})

export type ProductRead = Static<typeof ProductRead>
export const ProductRead = record('ProductRead', {
  description: 'A product in a response.',
  required: { product_id: Id, ...required, last_updated: Timestamp },
  optional: optional(ProductFeeRead),
})

export const changes = ['CREATED', 'UPDATED', 'DELETED'] as const

export type ProductChange = Static<typeof ProductChange>
export const ProductChange = record('ProductChange', {
  description: 'A change of a product.',
  required: {
    version: described(Count, 'Starts at 1. `?version=` returns the product in this version.'),
    change: described(Type.Enum(changes), 'What happened to the product.'),
    changed_at: Timestamp,
    changed_by: described(
      Text,
      'The subject of the person, the id of the API client, `load` or `products` (the commands of that name).',
    ),
    changed_by_name: described(Text, 'The name of the author at that time.'),
  },
  optional: {
    changed_by_issuer: described(Text, 'The identity provider of a person. Absent for others.'),
    origin: described(
      Id,
      'The data holder that `holdfast products import` read the version from. Default: it was written here.',
    ),
  },
})
