/** Parts of the names of customers, places and businesses. All businesses are invented. */

export const firstNames = words(`
  Aisha Alex Amelia Ana Andrew Anh Arjun Ben Bronwyn Callum
  Chloé Claire Daniel David Elena Emma Ethan Fatima Grace Hannah
  Harriet Henry Isla Jack James Jia José Kirra Lachlan Leila
  Liam Linh Lucy Mei Mia Michael Mohammed Nathan Ngaire Noah
  Olivia Oscar Priya Rachel Rohan Ruby Sam Siobhán Sofia Søren
  Stella Tane Thomas Uma Victor William Yusuf Zara Zoë Łukasz
`)

export const lastNames = words(`
  Adams Ahmed Allen Baker Bennett Brown Campbell Chan Chen Clarke
  Cooper D’Angelo Davis Edwards Evans Fraser García Green Hall
  Harris Hughes Jackson Johnson Jones Kaur Kelly Khan King Kowalski
  Lee Lewis Li Martin McDonald Mitchell Morgan Müller Murphy Nguyễn
  O'Brien Papadopoulos Patel Pham Phillips Reid Roberts Robinson
  Rossi Scott Sharma Silva Singh Smith Stewart Taylor Thomas Tran
  Turner Walker Wang White Williams Wilson Wright Yılmaz Young Zhang
`)

export const streetNames = [
  'Acacia',
  'Banksia',
  'Bottlebrush',
  'Boundary',
  'Church',
  'Eucalypt',
  'Grevillea',
  'Hakea',
  'High',
  'Jacaranda',
  'Lilly Pilly',
  'Mill',
  'Orchard',
  'Paperbark',
  'Park',
  'Railway',
  'River',
  'Saltbush',
  'School',
  'Station',
  'Victoria',
  'View',
  'Waratah',
  'Wattle',
] as const

export const streetTypes = [
  'Street',
  'Road',
  'Avenue',
  'Court',
  'Lane',
  'Parade',
  'Crescent',
] as const

export interface Place {
  readonly city: string
  readonly state: string
  readonly postcode: string
  /** The area code of landlines. */
  readonly area: string
}

export const places: readonly Place[] = [
  { city: 'Ballarat', state: 'VIC', postcode: '3350', area: '3' },
  { city: 'Bendigo', state: 'VIC', postcode: '3550', area: '3' },
  { city: 'Footscray', state: 'VIC', postcode: '3011', area: '3' },
  { city: 'Geelong', state: 'VIC', postcode: '3220', area: '3' },
  { city: 'Hobart', state: 'TAS', postcode: '7000', area: '3' },
  { city: 'Launceston', state: 'TAS', postcode: '7250', area: '3' },
  { city: 'Parramatta', state: 'NSW', postcode: '2150', area: '2' },
  { city: 'Newcastle', state: 'NSW', postcode: '2300', area: '2' },
  { city: 'Orange', state: 'NSW', postcode: '2800', area: '2' },
  { city: 'Wagga Wagga', state: 'NSW', postcode: '2650', area: '2' },
  { city: 'Belconnen', state: 'ACT', postcode: '2617', area: '2' },
  { city: 'Cairns', state: 'QLD', postcode: '4870', area: '7' },
  { city: 'Toowoomba', state: 'QLD', postcode: '4350', area: '7' },
  { city: 'Townsville', state: 'QLD', postcode: '4810', area: '7' },
  { city: 'Glenelg', state: 'SA', postcode: '5045', area: '8' },
  { city: 'Mount Gambier', state: 'SA', postcode: '5290', area: '8' },
  { city: 'Bunbury', state: 'WA', postcode: '6230', area: '8' },
  { city: 'Fremantle', state: 'WA', postcode: '6160', area: '8' },
  { city: 'Darwin', state: 'NT', postcode: '0800', area: '8' },
  { city: 'Alice Springs', state: 'NT', postcode: '0870', area: '8' },
]

export const firmNames = [
  'Bluebottle',
  'Copperleaf',
  'Dry Creek',
  'Fernhollow',
  'Five Gums',
  'Ironstone',
  'Lantern',
  'Mudlark',
  'Redgum Flat',
  'Sandstone Row',
  'Tawny Frogmouth',
  'Third Paddock',
  'Wren & Daughter',
] as const

export const firmTrades = [
  'Joinery',
  'Plumbing',
  'Conveyancing',
  'Landscapes',
  'Freight',
  'Veterinary Care',
  'Imports',
  'Physiotherapy',
  'Catering',
  'Roofing',
  'Bookkeeping',
  'Nursery',
] as const

/** Mobile numbers reserved for use in fiction. */
export const mobileNumbers = [
  '491570006',
  '491570156',
  '491570157',
  '491570158',
  '491570159',
  '491570110',
] as const

export const emailDomains = ['example.com', 'example.net', 'example.org'] as const

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
