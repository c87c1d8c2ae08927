import type { Arbitrary } from 'fast-check'
import { findPublicationFaults, Product, type PublishedProduct } from '../../src/contract/index.ts'
import { anyOf } from './arbitrary.ts'

type Fields = Record<string, unknown>

/** Values for fields that a published product must have, or in another format. Several are tried in turn. */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  additional_value: ['25', 'P3M', 'As described'],
  amount_range: [{}],
  application_frequency: ['P1M'],
  application_type: ['UPFRONT', 'PERIODIC'],
  card_scheme: ['VISA', 'OTHER'],
  card_type: ['DEBIT', 'CREDIT'],
  currency: ['AUD', 'USD'],
  discount_method_u_type: ['fixedAmount'],
  discount_type: ['ELIGIBILITY_ONLY', 'BALANCE'],
  eligibility: [[{ discount_eligibility_type: 'STAFF' }]],
  fee_method_u_type: ['fixedAmount'],
  fee_type: ['UPFRONT', 'EXIT'],
  fixed_amount: [{ amount: '3.5' }],
  loan_purpose: ['OTHER', 'OWNER_OCCUPIED'],
  maximum_split: [12],
  minimum_split: [1],
  minimum_value: ['0', '3'],
  rate: ['0.0525'],
  repayment_type: ['UNCONSTRAINED', 'INTEREST_ONLY'],
  unit_of_measure: ['MONTH', 'DOLLAR'],
}

const text = ['Some text']
const link = ['https://bank.example/more?a=b#c', 'http://bank.example']

/** Valid products of the catalogue, changed until they can be published. */
export function anyPublishableProduct(): Arbitrary<PublishedProduct> {
  return anyOf(Product).map((product) => makePublishable(product))
}

const roundsMax = 20

function makePublishable(product: Product): PublishedProduct {
  const published = { last_updated: '2026-05-01T00:00:00.5Z', ...structuredClone(product) }
  for (let round = 0; round < roundsMax; round += 1) {
    const faults = findPublicationFaults(published, Number.POSITIVE_INFINITY)
    if (faults.length === 0) return published
    for (const { path } of faults) repair(published, path, round)
  }
  throw new Error(`not publishable: ${JSON.stringify(findPublicationFaults(published))}`)
}

function repair(product: Fields, path: string, round: number): void {
  const keys = path.match(/[^.[\]]+/g) ?? []
  const field = keys.at(-1) ?? ''
  const parent = keys
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Fields)[key], product) as Fields
  const values = samples[field] ?? (field.endsWith('_uri') ? link : text)
  parent[field] = values[(round + path.length) % values.length]
  // A new minimum may be above the old maximum.
  if (field === 'minimum_value' || field === 'maximum_value') {
    parent['minimum_value'] = samples['minimum_value']?.[round % 2]
    if ('maximum_value' in parent) parent['maximum_value'] = '9000000'
  }
}
