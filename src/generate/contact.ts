import type { AccountContact } from '../contract/index.ts'
import { lineOf } from './options.ts'
import type { Ownership } from './ownership.ts'
import { streetLine } from './people.ts'
import type { Random } from './random.ts'

/** How to reach the holders, if the provider knows. */
export function* contactLines(
  { accountId, holders }: Ownership,
  isClosed: boolean,
  random: Random,
): Generator<string, void> {
  if (random.chance(0.1)) return

  const [{ person: main }] = holders
  const { place, unit } = main.home
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
        line1: streetLine({ ...main.home, unit: undefined }),
        ...(unit && { line2: `Unit ${unit}` }),
        city: place.city,
        region: place.state,
        postalCode: place.postcode,
        country: 'AU',
        ...(random.chance(0.5) && { type: random.pick(['HOME', 'MAILING'] as const) }),
      },
    ],
    telephones: [
      { type: 'CELL', country: '61', number: main.mobile },
      ...(random.chance(0.4)
        ? [{ type: 'HOME', country: '61', number: main.landline, network: 'LANDLINE' } as const]
        : []),
    ],
  }
  yield lineOf('account.contact', contact, { accountId, status: statusOf(isClosed, random) })
}

function statusOf(isClosed: boolean, random: Random): string {
  if (isClosed) return 'CLOSED'
  return random.chance(0.85) ? 'OPEN' : random.pick(['RESTRICTED', 'DELINQUENT', 'PENDINGCLOSE'])
}
