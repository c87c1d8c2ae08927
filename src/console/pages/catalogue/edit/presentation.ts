import { findType, toLabel } from '../../../../contract/labels.ts'
import {
  enterPlace,
  formatValue,
  type Place,
  productPlace,
} from '../../../../contract/product-values.ts'
import { isObject, type Node } from '../../../../contract/schema.ts'

const basics = [
  'name',
  'product_category',
  'brand',
  'brand_name',
  'description',
  'effective_from',
  'effective_to',
  'application_uri',
  'is_tailored',
]

const parts = [
  'deposit_rates',
  'lending_rates',
  'fees',
  'features',
  'eligibility',
  'constraints',
  'additional_information',
  'bundles',
  'card_art',
  'instalments',
]

/** The sections of the form. Together they have every field of a product. */
export const sections: readonly { readonly title: string; readonly fields: readonly string[] }[] = [
  { title: 'Basics', fields: basics },
  ...parts.map((field) => ({
    title: field === 'additional_information' ? 'Links' : toLabel(field),
    fields: [field],
  })),
]

const explanation = ['additional_value', 'additional_info']
const rate = ['rate', 'comparison_rate', 'application_type', 'application_frequency', 'tiers']

/**
 * The fields of a record that are shown first, in this order; the others can be added. The siblings of a union are
 * shown if they apply. A record that is not listed shows all its fields.
 */
const usualFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['ProductDepositRate', ['deposit_rate_type', ...rate]],
  ['ProductLendingRate', ['lending_rate_type', ...rate, 'repayment_type', 'loan_purpose']],
  [
    'ProductRateTier',
    ['name', 'unit_of_measure', 'minimum_value', 'maximum_value', 'rate_application_method'],
  ],
  ['ProductRateCondition', ['rate_applicability_type', ...explanation]],
  [
    'ProductFee',
    [
      'name',
      'fee_type',
      'fee_method_u_type',
      'fixed_amount',
      'rate_based',
      'variable',
      ...explanation,
      'discounts',
    ],
  ],
  [
    'ProductDiscount',
    [
      'description',
      'discount_type',
      'discount_method_u_type',
      'fixed_amount',
      'rate_based',
      'additional_value',
    ],
  ],
  ['ProductDiscountEligibility', ['discount_eligibility_type', ...explanation]],
  ['ProductFeature', ['feature_type', ...explanation]],
  ['Eligibility', ['eligibility_type', ...explanation]],
  ['Constraint', ['constraint_type', ...explanation]],
  [
    'AdditionalInformation',
    ['overview_uri', 'terms_uri', 'eligibility_uri', 'fees_and_pricing_uri', 'bundle_uri'],
  ],
])

/** The fields of a record in the order of the form, and whether each is shown without being added. */
export function listFields(node: Node): { readonly name: string; readonly isUsual: boolean }[] {
  const all = Object.keys(node.properties ?? {})
  const usual = usualFields.get(node.name ?? '') ?? all
  const others = all.filter((name) => !usual.includes(name))
  return [
    ...usual.filter((name) => all.includes(name)).map((name) => ({ name, isUsual: true })),
    ...others.map((name) => ({ name, isUsual: false })),
  ]
}

/** What one element of a list is called, where it is not the singular of its name. */
const nouns: ReadonlyMap<string, string> = new Map([
  ['eligibility', 'condition'],
  ['card_art', 'card image'],
  ['applicability_conditions', 'condition'],
  ['product_ids', 'product ID'],
])

export function nameElement(list: string): string {
  if (list.endsWith('_uris')) return 'link'
  return nouns.get(list) ?? toLabel(list).toLowerCase().replace(/s$/, '')
}

/** What distinguishes an element in its list: its name, its type, and its rate or amount. */
export function describeElement(place: Place, value: unknown): string {
  if (!isObject(value)) return typeof value === 'string' ? value : ''
  const type = findType(value)
  const title = value['name'] ?? value['title'] ?? value['description']
  return [title, type && toLabel(type.value), describeNumber(place, value)]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' · ')
}

const termsShownMax = 3

/** The first rates and fees of a product. */
export function describeTerms(product: object): string {
  const terms = ['deposit_rates', 'lending_rates', 'fees'].flatMap((name) => {
    const list = (product as Readonly<Record<string, unknown>>)[name]
    const place = enterPlace(productPlace, product, name)
    if (!Array.isArray(list)) return []
    return list.map((element, index) => describeElement(enterPlace(place, list, index), element))
  })
  const described = terms.filter(Boolean)
  const rest = described.length - termsShownMax
  return [...described.slice(0, termsShownMax), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

function describeNumber(place: Place, value: Readonly<Record<string, unknown>>) {
  const { rate, fixed_amount: fixed } = value
  if (typeof rate === 'string') return formatValue(enterPlace(place, value, 'rate'), rate) ?? rate
  const amount = isObject(fixed) ? fixed['amount'] : undefined
  if (typeof amount !== 'string') return undefined
  const at = enterPlace(enterPlace(place, value, 'fixed_amount'), fixed, 'amount')
  return formatValue(at, amount) ?? amount
}

export function isLongText(name: string, value: unknown): boolean {
  return (
    name === 'description' ||
    name === 'additional_info' ||
    (typeof value === 'string' && value.includes('\n'))
  )
}
