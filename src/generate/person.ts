import type { Customer } from '../contract/index.ts'
import { formatTime } from './calendar.ts'
import {
  emailDomains,
  firmNames,
  firmTrades,
  firstNames,
  lastNames,
  mobileNumbers,
  places,
  streetNames,
  streetTypes,
} from './names.ts'
import type { GenerationContext } from './options.ts'
import { getPersona } from './personas.ts'
import { createRandom, type Random } from './random.ts'

/** The personal data that the customer record and the account records of one customer share. */
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

export type Home = ReturnType<typeof createHome>

/** Deterministic, so it is recreated wherever it is needed instead of being stored. */
export function createPerson(context: GenerationContext, index: number): Person {
  const random = createRandom(context.seed, 'person', index)
  const { isOrganisation } = getPersona(index)
  const first = isOrganisation ? random.pick(firmNames) : random.pick(firstNames)
  const last = isOrganisation ? `${random.pick(firmTrades)} Pty Ltd` : random.pick(lastNames)
  const home = sharesHomeWithPrevious(index)
    ? createPerson(context, index - 1).home
    : createHome(random)
  return {
    number: index + 1,
    customerId: `c-${padNumber(index + 1)}`,
    first,
    middle: !isOrganisation && random.chance(0.3) ? random.pick(firstNames) : undefined,
    last,
    name: `${first} ${last}`,
    email: createEmail(context, index, `${first} ${last.replace(' Pty Ltd', '')}`, random),
    mobile: random.pick(mobileNumbers),
    landline: `${home.place.area}${random.pick(['5550', '7010'])}${random.digits(4)}`,
    home,
  }
}

/** Six digits, so that ids sort in the order of the customers. */
export function padNumber(number: number): string {
  return String(number).padStart(6, '0')
}

export function createCustomer(context: GenerationContext, index: number): Customer {
  const random = createRandom(context.seed, 'customer', index)
  const { customerId: id, name, email, first, last, mobile, home } = createPerson(context, index)
  // The first customer is the one that users look at, so it has every field.
  if (index > 0 && random.chance(0.05)) return { id, name, email }

  const zone = random.pick(['local', 'utc'] as const)
  return {
    id,
    name,
    email,
    emailVerified: random.chance(0.9),
    ...(!getPersona(index).isOrganisation && { familyName: last, givenName: first }),
    phoneNumber: `+61 ${mobile.replace(/(...)(...)(...)/, '$1 $2 $3')}`,
    phoneNumberVerified: random.chance(0.85),
    updatedAt: formatTime(
      context.lastDay - random.integer(0, 900),
      random.integer(7, 20) * 3_599_000,
      zone,
    ),
    address: {
      streetAddress: formatStreet(home),
      locality: home.place.city,
      region: home.place.state,
      postalCode: home.place.postcode,
      country: 'AU',
    },
  }
}

export function formatStreet({ unit, number, street, streetType }: Home): string {
  return `${unit ? `${unit}/` : ''}${number} ${street} ${streetType}`
}

function sharesHomeWithPrevious(index: number): boolean {
  const { shares, email, isOrganisation } = getPersona(index)
  return !isOrganisation && (shares !== undefined || email !== undefined)
}

function createHome(random: Random) {
  return {
    place: random.pick(places),
    number: random.integer(1, 380),
    unit: random.chance(0.25) ? random.integer(1, 40) : undefined,
    street: random.pick(streetNames),
    streetType: random.pick(streetTypes),
  }
}

function createEmail(
  context: GenerationContext,
  index: number,
  name: string,
  random: Random,
): string {
  const own = `${toEmailLocal(name)}${index + 1}@${random.pick(emailDomains)}`
  const { email } = getPersona(index)
  if (!email) return own

  const previous = createPerson(context, index - 1).email
  return email === 'same' ? previous : previous.replace(/^[^@]+/, (local) => local.toUpperCase())
}

/** Converts to ASCII letters, with a dot between words. */
function toEmailLocal(name: string): string {
  const letters = name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const english = letters.replaceAll('ø', 'o').replaceAll('ł', 'l').replaceAll('ı', 'i')
  return english.replaceAll(/[^a-z]+/g, '.')
}
