import type { AccountContact, BankingAccount } from '../contract/index.ts'
import {
  type AccountTypeName,
  businessAccountTypes,
  personalAccountTypes,
} from './banking/account-types.ts'
import type { GenerationContext } from './options.ts'
import { type Person, padded, personOf } from './people.ts'
import { accountsFactor, personaOf, type Sharing } from './personas.ts'
import { type Random, randomFrom } from './random.ts'

export interface Holder {
  readonly person: Person
  readonly isOwned: boolean
  readonly relationship: AccountContact['holders'][number]['relationship']
}

/** An account before it has a history: what it is and whose. */
export interface Ownership {
  readonly accountId: string
  /** An energy account has none. */
  readonly kind: AccountTypeName | undefined
  readonly ownership: NonNullable<BankingAccount['accountOwnership']>
  readonly complexAccountType: string
  readonly holders: readonly [Holder, ...Holder[]]
  /** Other banking accounts of the same customer, a few of them. */
  readonly siblingIds: readonly string[]
}

const siblingsMax = 5

/** What a customer has. Shared accounts come with the last of those who share them. */
export function ownershipsOf(world: GenerationContext, index: number): Ownership[] {
  const random = randomFrom(world.seed, 'holdings', index)
  const turn = personaOf(index)
  const count = countOf(world, index, random)
  const isBusiness = turn.isOrganisation || turn.isSoleTrader
  const others = isBusiness ? businessAccountTypes : personalAccountTypes
  // Two firms come in each turn of twenty: each goes on in the list where the one before stopped.
  const start = isBusiness ? Math.floor(index / 10) * 3 : index

  const kinds = Array.from({ length: count }, (_, order) => {
    if (turn.hasEnergyOnly || order % 3 === 2) return undefined
    if (order === 0) return isBusiness ? 'merchant' : 'everyday'
    return others[(start + order - Math.floor(order / 3) - 1) % others.length]
  })
  const ids = kinds.map((kind, order) => `${kind ? 'b' : 'e'}-${padded(index + 1)}-${order + 1}`)

  const payableIds = ids.filter((_, order) => kinds[order]).slice(0, siblingsMax)

  return kinds.map((kind, order) => {
    const accountId = ids[order] ?? ''
    const siblingIds = payableIds.filter((id) => id !== accountId)
    const sharing = order === 0 || turn.isOrganisation ? (turn.shares ?? 'alone') : 'alone'
    return { accountId, kind, ...shared(world, index, sharing), siblingIds }
  })
}

/** One more account, of the first customer, as busy as it is asked for. */
export function largeOwnership(world: GenerationContext): Ownership {
  const [first] = shared(world, 0, 'alone').holders
  return {
    accountId: `b-${padded(1)}-large`,
    kind: 'merchant',
    ownership: 'ONE_PARTY',
    complexAccountType: 'SOLE_TRADER',
    holders: [first],
    siblingIds: [],
  }
}

/** Shared accounts must name their users. */
export function isShared({ holders, complexAccountType }: Ownership): boolean {
  return holders.length > 1 || complexAccountType === 'ORGANISATION'
}

/** One at least, where there are enough, and up to twice the average. */
function countOf({ accounts }: GenerationContext, index: number, random: Random): number {
  const mean = accounts * accountsFactor(index)
  if (mean < 1) return random.chance(mean) ? 1 : 0
  const count = 1 + Math.floor(random.unit() * (2 * (mean - 1) + 1))
  // The first customer is the one that people look at.
  return index === 0 ? Math.max(count, Math.ceil(accounts)) : count
}

type Shared = Pick<Ownership, 'ownership' | 'complexAccountType' | 'holders'>

function shared(world: GenerationContext, index: number, sharing: Sharing): Shared {
  const holder = (
    back: number,
    isOwned: boolean,
    relationship: Holder['relationship'],
  ): Holder => ({ person: personOf(world, index - back), isOwned, relationship })

  switch (sharing) {
    case 'alone':
      return {
        ownership: 'ONE_PARTY',
        complexAccountType: personaOf(index).isSoleTrader ? 'SOLE_TRADER' : 'INDIVIDUAL',
        holders: [holder(0, true, 'SOLE_OWNER')],
      }
    case 'joint':
      return {
        ownership: 'TWO_PARTY',
        complexAccountType: 'JOINT',
        holders: [holder(1, true, 'PRIMARY_JOINT'), holder(0, true, 'SECONDARY_JOINT')],
      }
    case 'jointNotOwned':
      return {
        ownership: 'TWO_PARTY',
        complexAccountType: 'JOINT',
        holders: [holder(1, true, 'PRIMARY_JOINT'), holder(0, false, 'SECONDARY')],
      }
    case 'secondaryUser':
      return {
        ownership: 'ONE_PARTY',
        complexAccountType: 'INDIVIDUAL',
        holders: [holder(1, true, 'PRIMARY'), holder(0, false, 'AUTHORIZED_USER')],
      }
    case 'family':
      return {
        ownership: 'MANY_PARTY',
        complexAccountType: 'JOINT',
        holders: [
          holder(2, true, 'PRIMARY_JOINT_TENANTS'),
          holder(1, true, 'SECONDARY_JOINT_TENANTS'),
          holder(0, true, 'SECONDARY_JOINT_TENANTS'),
        ],
      }
    case 'organisation':
      return {
        ownership: 'OTHER',
        complexAccountType: 'ORGANISATION',
        holders: [holder(0, true, 'BUSINESS'), holder(1, false, 'AUTHORIZED_SIGNER')],
      }
  }
}
