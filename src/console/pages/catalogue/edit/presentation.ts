import { isObject, type Node } from '../../../../contract/schema.ts'
import { formatPercent, toLabel } from '../../../labels.ts'

/** The sections of the form. Together they have every field of a product. */
export const sections: readonly { readonly title: string; readonly fields: readonly string[] }[] = [
  {
    title: 'Basics',
    fields: [
      'name',
      'product_category',
      'brand',
      'brand_name',
      'description',
      'effective_from',
      'effective_to',
      'application_uri',
      'is_tailored',
    ],
  },
  { title: 'Deposit rates', fields: ['deposit_rates'] },
  { title: 'Lending rates', fields: ['lending_rates'] },
  { title: 'Fees', fields: ['fees'] },
  { title: 'Features', fields: ['features'] },
  { title: 'Eligibility', fields: ['eligibility'] },
  { title: 'Constraints', fields: ['constraints'] },
  { title: 'Links', fields: ['additional_information'] },
  { title: 'Bundles', fields: ['bundles'] },
  { title: 'Card art', fields: ['card_art'] },
  { title: 'Instalments', fields: ['instalments'] },
]

const explained = ['additional_value', 'additional_info']
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
  ['ProductRateCondition', ['rate_applicability_type', ...explained]],
  [
    'ProductFee',
    [
      'name',
      'fee_type',
      'fee_method_u_type',
      'fixed_amount',
      'rate_based',
      'variable',
      ...explained,
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
  ['ProductDiscountEligibility', ['discount_eligibility_type', ...explained]],
  ['ProductFeature', ['feature_type', ...explained]],
  ['Eligibility', ['eligibility_type', ...explained]],
  ['Constraint', ['constraint_type', ...explained]],
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

/** What one element of a list is called. */
const nouns: ReadonlyMap<string, string> = new Map([
  ['deposit_rates', 'deposit rate'],
  ['lending_rates', 'lending rate'],
  ['fees', 'fee'],
  ['features', 'feature'],
  ['eligibility', 'condition'],
  ['constraints', 'constraint'],
  ['bundles', 'bundle'],
  ['card_art', 'card image'],
  ['tiers', 'tier'],
  ['discounts', 'discount'],
  ['applicability_conditions', 'condition'],
  ['product_ids', 'product ID'],
])

export function nameElement(list: string): string {
  return nouns.get(list) ?? 'link'
}

/** What distinguishes an element in its list: its name, or its type. */
export function describeElement(value: unknown): string {
  if (!isObject(value)) return typeof value === 'string' ? value : ''
  const type = Object.entries(value).find(
    ([name, content]) =>
      /_type$/.test(name) && !/_u_type$/.test(name) && typeof content === 'string',
  )
  const title = value['name'] ?? value['title'] ?? value['description']
  const { rate: given } = value
  const rateText = typeof given === 'string' ? (formatPercent(given) ?? given) : undefined
  return [title, type && toLabel(String(type[1])), rateText]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' · ')
}

export function isLongText(name: string, value: unknown): boolean {
  return (
    name === 'description' ||
    name === 'additional_info' ||
    (typeof value === 'string' && value.includes('\n'))
  )
}
