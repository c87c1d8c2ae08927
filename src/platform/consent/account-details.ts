import type { Client } from '../../client/client.ts'
import { maskNumber } from '../../contract/cds/masked-number.ts'
import { pathId } from '../../contract/ids.ts'
import {
  type BankingAccount,
  type EnergyAccount,
  pageSizeMax,
  type ShareableAccount,
} from '../../contract/index.ts'
import {
  askProvider,
  type Customers,
  type ProviderClient,
  ProviderUnavailable,
  SharingRefused,
} from './customers.ts'
import { findAccountKind } from './pages/account-groups.ts'

export type AccountKind = 'banking' | 'energy'

/** What the provider says about an account in B1 or E1. A field without a value is unknown. */
interface AccountDetails {
  readonly kind: AccountKind
  readonly isOpen: boolean
  /** The masked number of a bank account, the number of an energy account. */
  readonly number?: string | undefined
  /** The name of the product or plan. */
  readonly product?: string | undefined
  readonly displayName?: string | undefined
  readonly type?: ShareableAccount['type']
  readonly created?: Temporal.Instant | undefined
  /** Whether several people hold it. */
  readonly isJoint: boolean
  /** Whether it belongs to an organisation. */
  readonly isOrganisation: boolean
}

/** An account of a customer, in C2 or not. Without details, only what C2 says is known. */
export interface CustomerAccount extends Omit<Partial<AccountDetails>, 'product' | 'kind'> {
  readonly kind: AccountKind | undefined
  readonly id: string
  /** The name of the product or plan. */
  readonly name: string
  /** Whether C2 lists it. */
  readonly isShareable: boolean
}

/** What pages show of an account. */
export type ShownAccount = Omit<CustomerAccount, 'created' | 'isShareable'>

export interface CustomerAccounts {
  /** Those of C2 in its order, followed by those that B1 and E1 alone list. */
  readonly accounts: readonly CustomerAccount[]
  /** Whether B1 and E1 answered too: an account that is not listed is then no longer held, or restricted. */
  readonly isComplete: boolean
}

/** The time for B1 and E1: a page is shown without details rather than make the customer wait. */
const detailsMs = 2000

/** How many accounts of a kind are read, at most. */
const accountsMax = 10 * pageSizeMax

export type ReadCustomerAccounts = ReturnType<typeof openCustomerAccounts>

/**
 * Returns a function that reads the accounts of a customer (C2), with what B1 and E1 say about them. It may throw
 * `ProviderUnavailable` and `SharingRefused` for C2 alone: if the others do not answer in time, the accounts have no
 * details. `providerMs` replaces the time for each.
 */
export function openCustomerAccounts(
  provider: ProviderClient,
  customers: Customers,
  providerMs?: number,
) {
  return async (
    customerId: string,
    limits: { readonly accountsMs?: number; readonly detailsMs?: number } = {},
  ): Promise<CustomerAccounts> => {
    const limitMs = limits.detailsMs ?? providerMs ?? detailsMs
    const input = {
      params: { customerId },
      query: { 'page-size': pageSizeMax },
      signal: AbortSignal.timeout(limitMs),
    }
    const [shareable, banking, energy] = await Promise.all([
      customers.listAccounts(customerId, limits.accountsMs),
      listDetails(provider, (client) => client.listBankingAccounts.items(input), readBanking),
      listDetails(provider, (client) => client.listEnergyAccounts.items(input), readEnergy),
    ])
    const details = new Map([...(banking ?? []), ...(energy ?? [])])
    return {
      accounts: mergeAccounts(shareable, details),
      isComplete: [banking, energy].every((found) => found && found.size < accountsMax),
    }
  }
}

/** Undefined if the provider does not answer in time, or refuses. Without accounts of the kind, it may answer 404. */
async function listDetails<Account extends { readonly accountId: string }>(
  provider: ProviderClient,
  list: (client: Client) => AsyncIterable<Account>,
  read: (account: Account) => AccountDetails,
): Promise<Map<string, AccountDetails> | undefined> {
  try {
    const found = await askProvider(provider, [404], async (client) => {
      const details = new Map<string, AccountDetails>()
      for await (const account of list(client)) {
        const { accountId } = account
        if (typeof accountId === 'string' && pathId.test(accountId))
          details.set(accountId, read(account))
        if (details.size === accountsMax) break
      }
      return details
    })
    return found ?? new Map()
  } catch (error) {
    if (error instanceof ProviderUnavailable || error instanceof SharingRefused) return undefined
    throw error
  }
}

/** Where both name an account, the words of C2 are used: the provider has them for this purpose. */
function mergeAccounts(
  shareable: readonly ShareableAccount[],
  details: ReadonlyMap<string, AccountDetails>,
): CustomerAccount[] {
  const listed = new Set(shareable.map(({ id }) => id))
  const others = [...details].filter(([id]) => !listed.has(id))
  return [
    ...shareable.map((account) => {
      const { product: _product, ...rest } = details.get(account.id) ?? {}
      return { kind: findAccountKind(account), ...rest, ...account, isShareable: true }
    }),
    ...others.map(([id, { product, ...rest }]) => {
      return { ...rest, id, name: product ?? rest.displayName ?? id, isShareable: false }
    }),
  ]
}

type BankingFields = Pick<
  BankingAccount,
  | 'accountId'
  | 'openStatus'
  | 'maskedNumber'
  | 'accountNumber'
  | 'productName'
  | 'nickname'
  | 'displayName'
  | 'productCategory'
  | 'creationDate'
  | 'accountOwnership'
  | 'complexAccountType'
  | 'users'
>

function readBanking(account: BankingFields): AccountDetails {
  const { maskedNumber, accountNumber, accountOwnership, nickname } = account
  const number = readText(maskedNumber) ?? readNumber(accountNumber)
  const isShared = accountOwnership === 'TWO_PARTY' || accountOwnership === 'MANY_PARTY'
  return {
    kind: 'banking',
    ...readShared(account, isShared),
    number: number === undefined ? undefined : maskNumber(number),
    product: readText(account.productName),
    displayName: readText(nickname) ?? readText(account.displayName),
    type: account.productCategory,
  }
}

type EnergyFields = Pick<
  EnergyAccount,
  | 'accountId'
  | 'openStatus'
  | 'accountNumber'
  | 'displayName'
  | 'creationDate'
  | 'complexAccountType'
  | 'users'
  | 'plans'
>

function readEnergy(account: EnergyFields): AccountDetails {
  const [plan] = Array.isArray(account.plans) ? account.plans : []
  return {
    kind: 'energy',
    ...readShared(account, false),
    number: readText(account.accountNumber),
    product: readText(plan?.planOverview?.displayName),
    displayName: readText(account.displayName),
    type: plan?.planDetail?.fuelType,
  }
}

/** The types of an account, an open list, that are not of an organisation. */
const personalTypes = ['INDIVIDUAL', 'SOLE_TRADER', 'JOINT']

function readShared(
  { openStatus, creationDate, complexAccountType, users }: BankingFields | EnergyFields,
  isShared: boolean,
) {
  const type = readText(complexAccountType)
  const holders = Array.isArray(users) ? users.filter((user) => user?.isAccountHolder) : []
  const isOrganisation = type !== undefined && !personalTypes.includes(type)
  return {
    isOpen: openStatus !== 'CLOSED',
    created: readInstant(creationDate),
    isJoint: !isOrganisation && (isShared || type === 'JOINT' || holders.length > 1),
    isOrganisation,
  }
}

/** The client checks no fields. */
function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The interface has numbers, whose leading zeros are lost. */
function readNumber(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : readText(value)
}

function readInstant(value: unknown): Temporal.Instant | undefined {
  try {
    return typeof value === 'string' ? Temporal.Instant.from(value) : undefined
  } catch {
    return undefined
  }
}
