import type { AccountContact } from '../contract/index.ts'
import { formatLine } from './options.ts'
import type { Ownership } from './ownership.ts'
import { formatStreet } from './person.ts'
import type { Random } from './random.ts'

export function* generateContact(
  { accountId, holders }: Ownership,
  isClosed: boolean,
  random: Random,
): Generator<string, void> {
  const [{ person: primary }] = holders
  const { place, unit } = primary.home
  const contact: AccountContact = {
    holders: holders.map(({ person, relationship }) => ({
      relationship,
      name: {
        first: person.first,
        ...(person.middle && { middle: person.middle }),
        last: person.last,
        ...(random.chance(0.03) && { suffix: random.pick(['Jr', 'OAM', 'PhD']) }),
      },
    })),
    emails: [...new Set(holders.map(({ person }) => person.email))],
    addresses: [
      {
        line1: formatStreet({ ...primary.home, unit: undefined }),
        ...(unit && { line2: `Unit ${unit}` }),
        city: place.city,
        region: place.state,
        postalCode: place.postcode,
        country: 'AU',
        ...(random.chance(0.5) && { type: random.pick(['HOME', 'MAILING'] as const) }),
      },
    ],
    telephones: [
      { type: 'CELL', country: '61', number: primary.mobile },
      ...(random.chance(0.4)
        ? [{ type: 'HOME', country: '61', number: primary.landline, network: 'LANDLINE' } as const]
        : []),
    ],
  }
  yield formatLine('account.contact', contact, { accountId, status: pickStatus(isClosed, random) })
}

function pickStatus(isClosed: boolean, random: Random): string {
  if (isClosed) return 'CLOSED'
  return random.chance(0.85) ? 'OPEN' : random.pick(['RESTRICTED', 'DELINQUENT', 'PENDINGCLOSE'])
}
