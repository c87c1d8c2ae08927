import type { ProductChange, ProductInput, ProductRead } from '../records/product.ts'
import type { ListedDraft, ProductDraft } from '../records/product-draft.ts'
import type { ProductSummary } from '../records/product-summary.ts'
import type { UnpublishedProduct } from '../records/unpublished-product.ts'

export const variableRate: NonNullable<ProductInput['deposit_rates']>[number] = {
  deposit_rate_type: 'VARIABLE',
  rate: '0.035',
  application_type: 'PERIODIC',
  application_frequency: 'P1M',
  calculation_frequency: 'P1D',
  tiers: [
    {
      name: 'Up to fifty thousand',
      unit_of_measure: 'DOLLAR',
      minimum_value: '0',
      maximum_value: '50000',
      rate_application_method: 'PER_TIER',
    },
  ],
}

const balanceDiscount = {
  description: 'Free above two thousand',
  discount_type: 'BALANCE',
  additional_value: '2000.00',
  discount_method_u_type: 'fixedAmount',
  fixed_amount: { amount: '4.00' },
} as const

export const savingsProduct: ProductInput = {
  brand: 'Example Bank',
  brand_name: 'Example Bank Everyday',
  name: 'Everyday Saver',
  description: 'A savings account with a bonus for regular deposits',
  is_tailored: false,
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
  application_uri: 'https://bank.example/apply',
  effective_from: '2025-01-01T00:00:00+11:00',
  effective_to: '2027-01-01T00:00:00+11:00',
  additional_information: {
    overview_uri: 'https://bank.example/saver',
    terms_uri: 'https://bank.example/saver/terms',
    additional_terms_uris: [
      { additional_info_uri: 'https://bank.example/terms', description: 'General terms' },
    ],
  },
  bundles: [{ name: 'Everyday bundle', description: 'With a card', product_ids: ['prod-9'] }],
  card_art: [
    {
      card_scheme: 'AMEX',
      card_type: 'CHARGE',
      image_uri: 'https://bank.example/card.png',
      title: 'Blue card',
    },
  ],
  constraints: [
    { constraint_type: 'MAX_BALANCE', additional_value: '1000000.00' },
    { constraint_type: 'OPENING_BALANCE', additional_value: '1.00' },
  ],
  deposit_rates: [
    {
      deposit_rate_type: 'BONUS',
      rate: '0.02',
      application_type: 'MATURITY',
      additional_value: 'At least one deposit each month',
      additional_info: 'On top of the base rate',
      applicability_conditions: [
        { rate_applicability_type: 'MIN_DEPOSITS', additional_value: '1' },
      ],
    },
    variableRate,
  ],
  eligibility: [
    { eligibility_type: 'NATURAL_PERSON' },
    { eligibility_type: 'MIN_AGE', additional_value: '18' },
    { eligibility_type: 'RESIDENCY_STATUS', additional_value: 'Australian residents' },
    { eligibility_type: 'OTHER', additional_info: 'Holds a transaction account' },
  ],
  features: [
    { feature_type: 'ADDITIONAL_CARDS', additional_value: '2' },
    { feature_type: 'UNLIMITED_TXNS' },
    { feature_type: 'DIGITAL_BANKING' },
    { feature_type: 'OTHER', additional_info: 'Round-ups' },
  ],
  fees: [
    {
      name: 'Account keeping',
      fee_type: 'PERIODIC',
      fee_method_u_type: 'fixedAmount',
      fixed_amount: { amount: '4.00' },
      additional_value: 'P1M',
      currency: 'AUD',
      discounts: [
        balanceDiscount,
        {
          description: 'Half price for firms',
          discount_type: 'ELIGIBILITY_ONLY',
          discount_method_u_type: 'rateBased',
          rate_based: {
            rate: '0.5',
            rate_type: 'FEE',
            amount_range: { discount_minimum: '0.50', discount_maximum: '2.00' },
          },
          eligibility: [{ discount_eligibility_type: 'BUSINESS' }],
        },
      ],
    },
  ],
}

export const personalLoanProduct: ProductInput = {
  brand: 'Example Bank',
  name: 'Personal Loan',
  description: 'An unsecured loan over one to seven years',
  is_tailored: true,
  product_category: 'PERS_LOANS',
  constraints: [
    { constraint_type: 'MIN_LIMIT', additional_value: '2000.00' },
    { constraint_type: 'MAX_LIMIT', additional_value: '50000.00' },
  ],
  eligibility: [{ eligibility_type: 'BUSINESS' }],
  fees: [
    {
      name: 'Establishment',
      fee_type: 'UPFRONT',
      fee_method_u_type: 'rateBased',
      rate_based: {
        rate: '0.01',
        rate_type: 'BALANCE',
        amount_range: { fee_minimum: '50.00', fee_maximum: '250.00' },
      },
    },
    {
      name: 'Cash advance',
      fee_type: 'CASH_ADVANCE',
      fee_method_u_type: 'variable',
      variable: { fee_minimum: '1.00', fee_maximum: '30.00' },
    },
    {
      name: 'Missed payment',
      fee_type: 'EVENT',
      fee_method_u_type: 'fixedAmount',
      fixed_amount: { amount: '15.00' },
      fee_cap: '45.00',
      fee_cap_period: 'P1Y',
    },
  ],
  instalments: {
    maximum_split: 84,
    minimum_split: 12,
    instalments_limit: '50000.00',
    maximum_concurrent_plans: 2,
    maximum_plan_value: '50000.00',
    minimum_plan_value: '2000.00',
  },
  lending_rates: [
    {
      lending_rate_type: 'FIXED',
      rate: '0.0899',
      comparison_rate: '0.0951',
      additional_value: 'P3Y',
      loan_purpose: 'OTHER',
      repayment_type: 'PRINCIPAL_AND_INTEREST',
      interest_payment_due: 'IN_ARREARS',
      application_type: 'PERIODIC',
      application_frequency: 'P1M',
      calculation_frequency: 'P1D',
    },
    {
      lending_rate_type: 'BALANCE_TRANSFER',
      rate: '0.0499',
      loan_purpose: 'INVESTMENT',
      repayment_type: 'INTEREST_ONLY',
      interest_payment_due: 'IN_ADVANCE',
      application_type: 'UPFRONT',
      tiers: [
        { name: 'First year', unit_of_measure: 'DAY', minimum_value: '0', maximum_value: '365' },
      ],
    },
  ],
}

const [keepingFee] = savingsProduct.fees ?? []

export const readProduct: ProductRead = {
  ...savingsProduct,
  product_id: 'prod-1',
  last_updated: '2025-02-01T00:00:00Z',
  fees: [
    {
      ...keepingFee,
      discounts: [
        { ...balanceDiscount, amount: '4.00' },
        {
          description: 'Half price for firms',
          discount_type: 'ELIGIBILITY_ONLY',
          discount_method_u_type: 'rateBased',
          rate_based: {
            rate: '0.5',
            rate_type: 'FEE',
            amount_range: { fee_minimum: '0.50', fee_maximum: '2.00' },
          },
          fee_rate: '0.5',
          eligibility: [{ discount_eligibility_type: 'BUSINESS' }],
        },
      ],
    },
  ],
}

export const productChange: ProductChange = {
  version: 2,
  change: 'UPDATED',
  changed_at: '2025-02-01T00:00:00Z',
  changed_by: 'products',
  changed_by_name: 'holdfast products',
  origin: 'https://bank.example',
}

const draftState = {
  base_version: 2,
  is_outdated: false,
  changed_at: '2025-03-01T00:00:00Z',
  changed_by: productChange.changed_by,
  changed_by_name: productChange.changed_by_name,
}

export const productDraft: ProductDraft = {
  product: { ...readProduct, last_updated: draftState.changed_at },
  ...draftState,
}

export const listedDraft: ListedDraft = {
  product_id: readProduct.product_id,
  name: readProduct.name,
  ...draftState,
}

export const productSummary: ProductSummary = {
  product_id: readProduct.product_id,
  name: readProduct.name,
  product_category: readProduct.product_category,
  brand: readProduct.brand,
  state: 'PUBLISHED',
  version: productChange.version,
  has_draft: true,
  effective_from: '2024-12-31T13:00:00Z',
  effective_to: '2026-12-31T13:00:00Z',
  updated_at: productChange.changed_at,
  updated_by: productChange.changed_by,
  updated_by_name: productChange.changed_by_name,
}

export const unpublishedProduct: UnpublishedProduct = {
  product_id: productSummary.product_id,
  name: savingsProduct.name,
  version: 1,
  changed_at: productChange.changed_at,
  faults: [
    {
      field: 'deposit_rates[0].application_type',
      message: 'deposit_rates[0].application_type is required for publication',
    },
  ],
}
