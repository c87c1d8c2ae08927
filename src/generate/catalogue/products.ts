import type { Product } from '../../contract/index.ts'
import { type AccountType, accountTypes } from '../banking/account-types.ts'
import { timeOf } from '../calendar.ts'
import { moneyText } from '../money.ts'
import { type GenerationContext, lineOf } from '../options.ts'
import { type Random, randomFrom } from '../random.ts'
import { constraintsOf, depositRates, eligibility, features, fees, lendingRates } from './terms.ts'

const brands = ['Wattlebird Bank', 'Saltbush Mutual', 'Wattlebird Business']
const site = 'https://www.example.com'

/** Everything on sale, by category: the names are those that accounts have. */
const shelves = Map.groupBy(
  Object.values<AccountType>(accountTypes).flatMap((kind) =>
    kind.names.map((name) => ({ kind, name })),
  ),
  ({ kind }) => kind.category,
)

/** The catalogue, every category by turns. */
export function* productLines(world: GenerationContext, count: number): Generator<string> {
  const categories = [...shelves.values()]
  for (let index = 0; index < count; index += 1) {
    const round = Math.floor(index / categories.length)
    const shelf = categories[index % categories.length] ?? []
    const offer = shelf[round % shelf.length]
    const edition = Math.floor(round / shelf.length) + 1
    const name = edition > 1 ? `${offer?.name} ${edition}` : offer?.name
    if (offer && name) yield lineOf('product', productOf(world, index, name, offer.kind))
  }
}

function productOf(
  world: GenerationContext,
  index: number,
  name: string,
  kind: AccountType,
): Product {
  const random = randomFrom(world.seed, 'product', index)
  const page = `${site}/products/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  const before = world.lastDay - random.whole(30, 2000)
  return {
    product_id: idOf(index),
    last_updated: timeOf(world.lastDay - random.whole(0, 30), 10 * 3_600_000, 'utc'),
    brand: random.pick(brands),
    name,
    description: `${name}: ${random.pick(['plain', 'no surprises, "promise"', 'für alle – 100%'])}`,
    is_tailored: random.chance(0.2),
    product_category: kind.category,
    ...(random.chance(0.4) && { brand_name: 'Wattlebird & Friends' }),
    ...(random.chance(0.6) && { application_uri: `${page}/apply` }),
    ...(random.chance(0.7) && { effective_from: timeOf(before, 0, 'utc') }),
    ...(random.chance(0.2) && { effective_to: timeOf(world.lastDay + 400, 0, 'utc') }),
    additional_information: {
      overview_uri: page,
      terms_uri: `${page}/terms`,
      ...(random.chance(0.3) && {
        additional_terms_uris: [
          { additional_info_uri: `${site}/terms`, description: 'In general' },
        ],
      }),
    },
    ...bundlesOf(index, random),
    constraints: constraintsOf(kind, random),
    eligibility: some(eligibility, random),
    features: some(features, random),
    fees: some(fees, random),
    ...ratesOf(kind, random),
    ...specialsOf(kind, page, random),
  }
}

function idOf(index: number): string {
  return `p-${String(index + 1).padStart(4, '0')}`
}

/** With the product before, so that what it names exists. */
function bundlesOf(index: number, random: Random): Pick<Product, 'bundles'> {
  if (index === 0 || random.chance(0.7)) return {}
  const product_ids = [idOf(index - 1), idOf(index)]
  return { bundles: [{ name: 'Home & Hearth bundle', description: 'Two in one', product_ids }] }
}

function ratesOf({ limits, opens, rates }: AccountType, random: Random): Partial<Product> {
  const rate = (random.whole(...rates) / 10_000).toFixed(4)
  return limits || opens[0] < 0
    ? { lending_rates: lendingRates(rate, random) }
    : { deposit_rates: depositRates(rate, random) }
}

/** Cards have a face, instalments have limits. */
function specialsOf(kind: AccountType, page: string, random: Random): Partial<Product> {
  switch (kind.category) {
    case 'BUY_NOW_PAY_LATER':
      return {
        instalments: {
          minimum_split: 4,
          maximum_split: random.whole(4, 8),
          maximum_concurrent_plans: 3,
          instalments_limit: moneyText(random.whole(10, 30) * 10_000),
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

function some<T>(list: readonly T[], random: Random): T[] {
  return list.filter(() => random.chance(0.5))
}
