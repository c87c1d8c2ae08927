import type { Random } from '../random.ts'

/** An invented name, and the range of the price of a purchase in cents. */
export type Merchant = readonly [name: string, min: number, max: number]

export const grocers = [
  'Saltmarsh Supermarket',
  'Quokka & Finch Grocers',
  'Pantry on Sixth',
  'Two Magpies Fruit & Veg',
] as const

export const shops: readonly Merchant[] = [
  ['Tin Kettle Coffee', 420, 1450],
  ['Tin Kettle Coffee', 420, 980],
  ['Little Galah Bakehouse', 550, 2400],
  ['Noodle Lantern', 1350, 6200],
  ['Pie & Pedal', 690, 3200],
  ['Long Paddock Fuel', 3800, 12_500],
  ['Paperbark Pharmacy', 650, 8900],
  ['Nail & Spanner Hardware', 480, 32_000],
  ['Second Chapter Books', 1299, 8500],
  ['Wombat Lane Toys', 999, 12_000],
  ['Stitch & Thistle Clothing', 1999, 26_000],
  ['Harbourlight Cinema', 1650, 7200],
  ['Ferry & Tram Top-up', 1000, 5000],
  ['Gumboot Garden Centre', 1200, 18_000],
  ['Voltaic Barn Electronics', 2900, 189_000],
  ['Snip Snip Barber', 2800, 9500],
]

/** Names with characters that are hard to search, store or display. */
export const oddShops: readonly Merchant[] = [
  ['50% Off_Outlet, "Bay 7"', 900, 9000],
  ['100% Wool_Co \\ Online', 2500, 24_000],
  ['Café Crème Brûlée', 650, 4200],
  ['Smørrebrød & Søn', 1400, 5600],
  ['小龙虾餐厅 Haymarket', 1800, 9900],
  ['Mick O\'Dwyer\'s "Famous" Pies', 600, 2600],
  ['Gelateria Più Buono 🍨', 550, 2900],
  ['C:\\ARCADE_01', 200, 4000],
]

export const foreignShops: readonly Merchant[] = [
  ['Bäckerei Sonnenblume, Zürich', 700, 3200],
  ['Hôtel du Vieux Pont, Besançon', 9800, 42_000],
  ['Ramen Tanuki 狸, Osaka', 1100, 4800],
  ['Mercado São Tomé, Lisboa', 900, 8800],
  ['Kahvila Pöllö, Tampere', 500, 2700],
  ['Kiwi & Kea Outfitters, Nelson', 2900, 31_000],
  ['Rail pass 7-day, 2nd class', 14_000, 52_000],
]

/** Creditors that use direct debit. */
export const billers: readonly Merchant[] = [
  ['Lorikeet Mobile', 2500, 7900],
  ['Sandpiper Broadband', 5900, 9900],
  ['Umbrella Tree Insurance', 4800, 21_000],
  ['Heavy Things Gym', 3200, 6900],
  ['Paws & Whiskers Pet Cover', 2900, 8800],
  ['Moonlit Streaming', 999, 2299],
]

export const employers = [
  'Fernhollow Freight Pty Ltd',
  'Lantern Street Clinic',
  'Dept of Bridges & Culverts',
  'Mudlark Studios',
  'Third Paddock Vineyards',
  'Five Gums Primary School',
] as const

export const suppliers = [
  'Ironstone Wholesale',
  'Copperleaf Packaging',
  'Dry Creek Timber',
  'Bluebottle Chilled Freight',
  'Sandstone Row Properties',
  'Redgum Flat Equipment Hire',
  'Crèmerie Générale d’Importation',
] as const

const oddReferences = [
  '50% deposit_2nd half',
  'C:\\invoices\\0042',
  'INV_2024%',
  'For "the boat", thanks',
  'Grüße ☀',
  "Tony's half, minus $5",
  'split 🍕',
  'Loyer – février',
  'a_b%c\\d',
  '',
] as const

/** One reference in forty has characters that are hard to search, store or display. */
export function createReference(random: Random): string {
  const kind = random.fraction()
  if (kind < 0.55) return `Receipt ${random.digits(8)}`
  if (kind < 0.8) return `Auth ${random.digits(6)}`
  if (kind < 0.975) return `${random.pick(['INV', 'PAY', 'TFR', 'POS'])}-${random.digits(6)}`
  return random.pick(oddReferences)
}
