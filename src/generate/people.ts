import type { Customer } from '../contract/index.ts'
import { timeOf } from './calendar.ts'
import {
  emailDomains,
  firmNames,
  firmTrades,
  firstNames,
  lastNames,
  mobileNumbers,
  type Place,
  places,
  streetNames,
  streetTypes,
} from './names.ts'
import type { GenerationContext } from './options.ts'
import { personaOf } from './personas.ts'
import { type Random, randomFrom } from './random.ts'

/** A customer, with what the account records say about the same person in other words. */
export interface Person {
  readonly number: number
  readonly customerId: string
  readonly first: string
  readonly middle: string | undefined
  readonly last: string
  readonly name: string
  readonly email: string
  readonly mobile: string
  readonly landline: string
  readonly home: Home
}

export interface Home {
  readonly place: Place
  readonly number: number
  readonly unit: number | undefined
  readonly street: string
  readonly streetType: string
}

/** Made again wherever it is needed: nobody is kept. */
export function personOf(world: GenerationContext, index: number): Person {
  const random = randomFrom(world.seed, 'person', index)
  const { isOrganisation } = personaOf(index)
  const first = isOrganisation ? random.pick(firmNames) : random.pick(firstNames)
  const last = isOrganisation ? `${random.pick(firmTrades)} Pty Ltd` : random.pick(lastNames)
  const home = livesWithTheOneBefore(index) ? personOf(world, index - 1).home : homeOf(random)
  return {
    number: index + 1,
    customerId: `c-${padded(index + 1)}`,
    first,
    middle: !isOrganisation && random.chance(0.3) ? random.pick(firstNames) : undefined,
    last,
    name: `${first} ${last}`,
    email: emailOf(world, index, `${first} ${last.replace(' Pty Ltd', '')}`, random),
    mobile: random.pick(mobileNumbers),
    landline: `${home.place.area}${random.pick(['5550', '7010'])}${random.digits(4)}`,
    home,
  }
}

/** Six digits, so that ids sort as the customers do. */
export function padded(number: number): string {
  return String(number).padStart(6, '0')
}

export function customerOf(world: GenerationContext, index: number): Customer {
  const random = randomFrom(world.seed, 'customer', index)
  const { customerId: id, name, email, first, last, mobile, home } = personOf(world, index)
  // The first customer is the one that people look at, so that nothing is missing there.
  if (index > 0 && random.chance(0.05)) return { id, name, email }

  const zone = random.pick(['local', 'utc'] as const)
  return {
    id,
    name,
    email,
    emailVerified: random.chance(0.9),
    ...(!personaOf(index).isOrganisation && { familyName: last, givenName: first }),
    phoneNumber: `+61 ${mobile.replace(/(...)(...)(...)/, '$1 $2 $3')}`,
    phoneNumberVerified: random.chance(0.85),
    updatedAt: timeOf(world.lastDay - random.whole(0, 900), random.whole(7, 20) * 3_599_000, zone),
    address: {
      streetAddress: streetLine(home),
      locality: home.place.city,
      region: home.place.state,
      postalCode: home.place.postcode,
      country: 'AU',
    },
  }
}

export function streetLine({ unit, number, street, streetType }: Home): string {
  return `${unit ? `${unit}/` : ''}${number} ${street} ${streetType}`
}

function livesWithTheOneBefore(index: number): boolean {
  const { shares, email, isOrganisation } = personaOf(index)
  return !isOrganisation && (shares !== undefined || email !== undefined)
}

function homeOf(random: Random): Home {
  return {
    place: random.pick(places),
    number: random.whole(1, 380),
    unit: random.chance(0.25) ? random.whole(1, 40) : undefined,
    street: random.pick(streetNames),
    streetType: random.pick(streetTypes),
  }
}

function emailOf(world: GenerationContext, index: number, name: string, random: Random): string {
  const own = `${plain(name)}${index + 1}@${random.pick(emailDomains)}`
  const { email } = personaOf(index)
  if (!email) return own

  const before = personOf(world, index - 1).email
  return email === 'same' ? before : before.replace(/^[^@]+/, (local) => local.toUpperCase())
}

/** Letters of the English alphabet, words joined by a dot. */
function plain(name: string): string {
  const letters = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const english = letters.replaceAll('ø', 'o').replaceAll('ł', 'l').replaceAll('ı', 'i')
  return english.replaceAll(/[^a-z]+/g, '.')
}
