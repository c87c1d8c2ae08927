import type { Product } from '../../contract/index.ts'
import { type AccountType, accountTypes } from '../banking/account-types.ts'
import { formatTime } from '../calendar.ts'
import { formatMoney } from '../money.ts'
import { formatLine, type GenerationContext } from '../options.ts'
import { createRandom, type Random } from '../random.ts'
import {
  createConstraints,
  createDepositRates,
  createLendingRates,
  eligibility,
  features,
  fees,
} from './terms.ts'

const brands = ['Wattlebird Bank', 'Saltbush Mutual', 'Wattlebird Business']
const site = 'https://www.example.com'

const descriptions: Readonly<Record<Product['product_category'], string>> = {
  BUSINESS_LOANS: 'Finance for equipment, vehicles and growth',
  BUY_NOW_PAY_LATER: 'Split a purchase into payments without interest',
  CRED_AND_CHRG_CARDS: 'A card for everyday purchases, online and in store',
  LEASES: 'Vehicles and equipment for a fixed monthly payment',
  MARGIN_LOANS: 'Borrow against shares and managed funds',
  OVERDRAFTS: 'Cover short gaps, and pay interest only on what you use',
  PERS_LOANS: 'A loan for a car, a holiday or a renovation, with monthly repayments',
  REGULATED_TRUST_ACCOUNTS: 'Client money, kept apart as the law requires',
  RESIDENTIAL_MORTGAGES: 'A home loan with extra repayments and redraw',
  TERM_DEPOSITS: 'A fixed rate for a fixed term',
  TRADE_FINANCE: 'Pay suppliers abroad before your customers pay you',
  TRANS_AND_SAVINGS_ACCOUNTS: 'An account for daily spending and saving',
  TRAVEL_CARDS: 'Load several currencies, and spend them abroad',
}

/** The products of each category, with the names that generated accounts use. */
const offersByCategory = Map.groupBy(
  Object.values<AccountType>(accountTypes).flatMap((type) =>
    type.names.map((name) => ({ type, name })),
  ),
  ({ type }) => type.category,
)

/** Generates products of each category in rotation. */
export function* generateProducts(context: GenerationContext, count: number): Generator<string> {
  const categories = [...offersByCategory.values()]
  for (let index = 0; index < count; index += 1) {
    const round = Math.floor(index / categories.length)
    const offers = categories[index % categories.length] ?? []
    const offer = offers[round % offers.length]
    const edition = Math.floor(round / offers.length) + 1
    const name = edition > 1 ? `${offer?.name} ${edition}` : offer?.name
    if (offer && name) yield formatLine('product', createProduct(context, index, name, offer.type))
  }
}

function createProduct(
  context: GenerationContext,
  index: number,
  name: string,
  type: AccountType,
): Product {
  const random = createRandom(context.seed, 'product', index)
  const page = `${site}/products/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  const effectiveDay = context.lastDay - random.integer(30, 2000)
  return {
    product_id: productId(index),
    last_updated: formatTime(context.lastDay - random.integer(0, 30), 10 * 3_600_000, 'utc'),
    brand: random.pick(brands),
    name,
    description: descriptions[type.category],
    is_tailored: random.chance(0.2),
    product_category: type.category,
    ...(random.chance(0.4) && { brand_name: 'Wattlebird & Friends' }),
    ...(random.chance(0.6) && { application_uri: `${page}/apply` }),
    ...(random.chance(0.7) && { effective_from: formatTime(effectiveDay, 0, 'utc') }),
    ...(random.chance(0.2) && { effective_to: formatTime(context.lastDay + 400, 0, 'utc') }),
    additional_information: {
      overview_uri: page,
      terms_uri: `${page}/terms`,
      ...(random.chance(0.3) && {
        additional_terms_uris: [
          { additional_info_uri: `${site}/terms`, description: 'Terms that apply to all products' },
        ],
      }),
    },
    ...createBundles(index, random),
    constraints: createConstraints(type, random),
    eligibility: pickSome(eligibility, random),
    features: pickSome(features, random),
    fees: pickSome(fees, random),
    ...createRates(type, random),
    ...createSpecifics(type, page, random),
  }
}

function productId(index: number): string {
  return `p-${String(index + 1).padStart(4, '0')}`
}

/** Bundles a product with the preceding one, which exists. */
function createBundles(index: number, random: Random): Pick<Product, 'bundles'> {
  if (index === 0 || random.chance(0.7)) return {}
  const product_ids = [productId(index - 1), productId(index)]
  return {
    bundles: [
      { name: 'Home & Hearth bundle', description: 'Two products, one monthly fee', product_ids },
    ],
  }
}

function createRates(
  { limitDollars, openingDollars, rateBasisPoints }: AccountType,
  random: Random,
): Partial<Product> {
  const rate = (random.integer(...rateBasisPoints) / 10_000).toFixed(4)
  return limitDollars || openingDollars[0] < 0
    ? { lending_rates: createLendingRates(rate, random) }
    : { deposit_rates: createDepositRates(rate, random) }
}

/** The fields specific to cards and instalment plans. */
function createSpecifics(type: AccountType, page: string, random: Random): Partial<Product> {
  switch (type.category) {
    case 'BUY_NOW_PAY_LATER':
      return {
        instalments: {
          minimum_split: 4,
          maximum_split: random.integer(4, 8),
          maximum_concurrent_plans: 3,
          instalments_limit: formatMoney(random.integer(10, 30) * 10_000),
          minimum_plan_value: '10.00',
          maximum_plan_value: '1500.00',
        },
      }
    case 'CRED_AND_CHRG_CARDS':
    case 'TRAVEL_CARDS':
      return {
        card_art: [
          {
            card_scheme: 'OTHER',
            card_type: random.pick(['CREDIT', 'CHARGE', 'DEBIT'] as const),
            image_uri: `${page}/card.png`,
            title: 'Wattle yellow',
          },
        ],
      }
    default:
      return {}
  }
}

function pickSome<T>(list: readonly T[], random: Random): T[] {
  return list.filter(() => random.chance(0.5))
}
