import type { AccountContact, BankingAccount } from '../contract/index.ts'
import {
  type AccountTypeName,
  businessAccountTypes,
  personalAccountTypes,
} from './banking/account-types.ts'
import type { GenerationContext } from './options.ts'
import { createPerson, type Person, padNumber } from './person.ts'
import { getAccountsFactor, getPersona, type Sharing } from './personas.ts'
import { createRandom, type Random } from './random.ts'

export interface Holder {
  readonly person: Person
  readonly isOwned: boolean
  readonly relationship: AccountContact['holders'][number]['relationship']
}

/** The type and the holders of an account. */
export interface Ownership {
  readonly accountId: string
  /** Undefined for an energy account. */
  readonly accountType: AccountTypeName | undefined
  readonly accountOwnership: NonNullable<BankingAccount['accountOwnership']>
  readonly complexAccountType: string
  readonly holders: readonly [Holder, ...Holder[]]
  /** Some of the customer's other banking accounts. */
  readonly siblingIds: readonly string[]
}

const siblingsMax = 5

/** Assigns accounts to a customer. A shared account is generated with the last of its holders. */
export function createOwnerships(context: GenerationContext, index: number): Ownership[] {
  const random = createRandom(context.seed, 'holdings', index)
  const persona = getPersona(index)
  const count = countAccounts(context, index, random)
  const isBusiness = persona.isOrganisation || persona.isSoleTrader
  const others = isBusiness ? businessAccountTypes : personalAccountTypes
  // Two in twenty customers are organisations; each continues in the list where the previous one stopped.
  const start = isBusiness ? Math.floor(index / 10) * 3 : index

  const types = Array.from({ length: count }, (_, order) => {
    if (persona.hasEnergyOnly || order % 3 === 2) return undefined
    if (order === 0) return isBusiness ? 'merchant' : 'everyday'
    return others[(start + order - Math.floor(order / 3) - 1) % others.length]
  })
  const ids = types.map((type, order) => `${type ? 'b' : 'e'}-${padNumber(index + 1)}-${order + 1}`)

  const payableIds = ids.filter((_, order) => types[order]).slice(0, siblingsMax)

  return types.map((accountType, order) => {
    const accountId = ids[order] ?? ''
    const siblingIds = payableIds.filter((id) => id !== accountId)
    const sharing = order === 0 || persona.isOrganisation ? (persona.shares ?? 'alone') : 'alone'
    return { accountId, accountType, ...assignHolders(context, index, sharing), siblingIds }
  })
}

/** The additional account of the first customer that `largeAccount` requests. */
export function createLargeOwnership(context: GenerationContext): Ownership {
  const [first] = assignHolders(context, 0, 'alone').holders
  return {
    accountId: `b-${padNumber(1)}-large`,
    accountType: 'merchant',
    accountOwnership: 'ONE_PARTY',
    complexAccountType: 'SOLE_TRADER',
    holders: [first],
    siblingIds: [],
  }
}

/** A shared account must list its users. */
export function isShared({ holders, complexAccountType }: Ownership): boolean {
  return holders.length > 1 || complexAccountType === 'ORGANISATION'
}

/** At least one if the average is one or more, and up to twice the average. */
function countAccounts({ accounts }: GenerationContext, index: number, random: Random): number {
  const mean = accounts * getAccountsFactor(index)
  if (mean < 1) return random.chance(mean) ? 1 : 0
  const count = 1 + Math.floor(random.fraction() * (2 * (mean - 1) + 1))
  // The first customer is the one that users look at.
  return index === 0 ? Math.max(count, Math.ceil(accounts)) : count
}

type Holders = Pick<Ownership, 'accountOwnership' | 'complexAccountType' | 'holders'>

function assignHolders(context: GenerationContext, index: number, sharing: Sharing): Holders {
  const holder = (
    back: number,
    isOwned: boolean,
    relationship: Holder['relationship'],
  ): Holder => ({ person: createPerson(context, index - back), isOwned, relationship })

  switch (sharing) {
    case 'alone':
      return {
        accountOwnership: 'ONE_PARTY',
        complexAccountType: getPersona(index).isSoleTrader ? 'SOLE_TRADER' : 'INDIVIDUAL',
        holders: [holder(0, true, 'SOLE_OWNER')],
      }
    case 'joint':
      return {
        accountOwnership: 'TWO_PARTY',
        complexAccountType: 'JOINT',
        holders: [holder(1, true, 'PRIMARY_JOINT'), holder(0, true, 'SECONDARY_JOINT')],
      }
    case 'jointNotOwned':
      return {
        accountOwnership: 'TWO_PARTY',
        complexAccountType: 'JOINT',
        holders: [holder(1, true, 'PRIMARY_JOINT'), holder(0, false, 'SECONDARY')],
      }
    case 'secondaryUser':
      return {
        accountOwnership: 'ONE_PARTY',
        complexAccountType: 'INDIVIDUAL',
        holders: [holder(1, true, 'PRIMARY'), holder(0, false, 'AUTHORIZED_USER')],
      }
    case 'family':
      return {
        accountOwnership: 'MANY_PARTY',
        complexAccountType: 'JOINT',
        holders: [
          holder(2, true, 'PRIMARY_JOINT_TENANTS'),
          holder(1, true, 'SECONDARY_JOINT_TENANTS'),
          holder(0, true, 'SECONDARY_JOINT_TENANTS'),
        ],
      }
    case 'organisation':
      return {
        accountOwnership: 'OTHER',
        complexAccountType: 'ORGANISATION',
        holders: [holder(0, true, 'BUSINESS'), holder(1, false, 'AUTHORIZED_SIGNER')],
      }
  }
}
