import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { personalLoanProduct, savingsProduct } from '../examples/product.ts'
import { formatProblem } from '../problems.ts'
import type { ProductInput } from '../records/product.ts'
import { findPublicationFaults } from './publication-faults.ts'

const minimal: ProductInput = {
  brand: 'Example Bank',
  name: 'Saver',
  description: 'Savings',
  is_tailored: false,
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
}

const depositRate = {
  deposit_rate_type: 'VARIABLE',
  rate: '0.01',
  application_type: 'UPFRONT',
} as const
const lendingRate = {
  lending_rate_type: 'VARIABLE',
  rate: '0.01',
  application_type: 'UPFRONT',
  loan_purpose: 'OTHER',
  repayment_type: 'OTHER',
} as const
const tier = { name: 'All', unit_of_measure: 'MONTH', minimum_value: '1' } as const
const fee = { name: 'Fee', fee_type: 'EXIT' } as const

describe('findPublicationFaults', () => {
  it('accepts a product with the required fields only', () => {
    assert.deepEqual(findPublicationFaults(minimal), [])
  })

  for (const [fields, ...sentences] of [
    [
      { product_id: 'p–1' },
      'product_id must be a string of ASCII characters other than . and .. for publication',
    ],
    [
      { product_id: '..' },
      'product_id must be a string of ASCII characters other than . and .. for publication',
    ],
    [{ description: ' ' }, 'description must not be empty for publication'],
    ...['bank.example', 'javascript:alert(1)', 'data:text/html,x', ''].map(
      (application_uri) =>
        [
          { application_uri },
          'application_uri must be an http or https URI for publication',
        ] as const,
    ),
    [
      { card_art: [{ title: 'Blue' }] },
      'card_art[0].card_scheme is required for publication',
      'card_art[0].card_type is required for publication',
      'card_art[0].image_uri is required for publication',
    ],
    [
      { bundles: [{ name: 'Both', product_ids: ['p-1', 'p–2'] }] },
      'bundles[0].description is required for publication',
      'bundles[0].product_ids[1] must be a string of ASCII characters for publication',
    ],
    [
      {
        additional_information: {
          additional_terms_uris: [{ additional_info_uri: 'https://bank.example' }],
        },
      },
      'additional_information.terms_uri is required for publication when additional_terms_uris is present',
    ],
    [
      { deposit_rates: [{ deposit_rate_type: 'VARIABLE', rate: '0.01' }] },
      'deposit_rates[0].application_type is required for publication',
    ],
    [
      { deposit_rates: [{ ...depositRate, application_type: 'PERIODIC' }] },
      'deposit_rates[0].application_frequency is required for publication when application_type is PERIODIC',
    ],
    [
      { deposit_rates: [{ ...depositRate, deposit_rate_type: 'BONUS', rate: '-0.01' }] },
      'deposit_rates[0].rate must be a rate that is not negative, with at most 16 digits before and after the decimal point for publication',
      'deposit_rates[0].additional_value is required for publication when deposit_rate_type is BONUS',
    ],
    [
      { lending_rates: [{ lending_rate_type: 'VARIABLE', rate: '0.01' }] },
      'lending_rates[0].application_type is required for publication',
      'lending_rates[0].repayment_type is required for publication',
      'lending_rates[0].loan_purpose is required for publication',
    ],
    [
      { lending_rates: [{ ...lendingRate, tiers: [{}] }] },
      'lending_rates[0].tiers[0].name is required for publication',
      'lending_rates[0].tiers[0].unit_of_measure is required for publication',
      'lending_rates[0].tiers[0].minimum_value is required for publication',
    ],
    [
      { lending_rates: [{ ...lendingRate, tiers: [{ ...tier, maximum_value: '1.5' }] }] },
      'lending_rates[0].tiers[0].maximum_value must be a whole number for publication',
    ],
    [{ fees: [fee] }, 'fees[0].fee_method_u_type is required for publication'],
    [
      { fees: [{ ...fee, fee_method_u_type: 'variable', variable: {}, currency: 'dollars' }] },
      'fees[0].currency must be a currency code of three capital letters for publication',
    ],
    [
      { features: [{ feature_type: 'LOYALTY_PROGRAM' }] },
      'features[0].additional_value is required for publication when feature_type is LOYALTY_PROGRAM',
    ],
    [
      { constraints: [{ constraint_type: 'MAX_LIMIT', additional_value: `1${'0'.repeat(16)}` }] },
      'constraints[0].additional_value must be an amount with at most 16 digits before the decimal point for publication',
    ],
    [
      { instalments: { minimum_split: 0 } },
      'instalments.minimum_split must be a whole number of at least 1 for publication',
      'instalments.maximum_split is required for publication',
    ],
  ] as const) {
    it(`says that ${sentences.join(', that ')}`, () => {
      const product = { ...minimal, ...fields } as unknown as ProductInput

      assert.deepEqual(findPublicationFaults(product).map(formatProblem), sentences)
    })
  }

  it('returns at most as many faults as requested', () => {
    const card_art = Array.from({ length: 100 }, () => ({}))

    assert.equal(findPublicationFaults({ ...minimal, card_art }).length, 50)
    assert.equal(findPublicationFaults({ ...minimal, card_art }, 2).length, 2)
  })
})

describe('the products of the documentation', () => {
  it('can be published, as in the OpenAPI document', () => {
    assert.deepEqual(findPublicationFaults(savingsProduct), [])
    assert.deepEqual(findPublicationFaults(personalLoanProduct), [])
  })

  it('can be published, as in the guides', () => {
    const products = ['catalogue', 'load-data'].flatMap(readGuideProducts)

    assert.deepEqual(
      products.map(({ name }) => name),
      ['Everyday Saver', 'Personal Loan', 'Everyday Saver'],
    )
    assert.deepEqual(
      products.flatMap((product) => findPublicationFaults(product)),
      [],
    )
  })
})

/** The products that a reader is to save or load. Invalid ones, which show errors, are in shell commands. */
function readGuideProducts(guide: string): ProductInput[] {
  const text = readFileSync(new URL(`../../../docs/guides/${guide}.md`, import.meta.url), 'utf8')
  const documents = [...text.matchAll(/```json\n(\{.*?\n\})\n```/gs)].map(([, json = '']) => json)
  const lines = [...text.matchAll(/^\{"type":"product",.*\}$/gm)].map(([json]) => json)
  return [...documents, ...lines]
    .map((json) => JSON.parse(json))
    .map((document) => document.record ?? document)
    .filter((document) => 'product_category' in document)
}
