import type { Client } from '../../../client/client.ts'
import { ResponseError } from '../../../client/errors.ts'
import {
  accountIdsMax,
  type BankingAccount,
  type BankingAccountV3,
  type BankingBalance,
  errorTable,
  pageSizeMax,
  printable,
} from '../../../contract/index.ts'
import { CdsError } from '../../cds/errors.ts'
import type { Query } from '../../cds/query.ts'
import type { Observation } from '../account-observer.ts'
import {
  askProvider,
  type ProviderClient,
  ProviderUnavailable,
  SharingRefused,
} from '../customers.ts'
import { readOpenStatus } from '../probe-accounts.ts'
import type { StoredArrangement } from '../store.ts'
import type { Ids } from './account-ids.ts'

/** Where the data comes from. */
export interface DataSource {
  readonly provider: ProviderClient
  readonly ids: Ids
  readonly clock: () => Temporal.Instant
}

/** A request whose token is valid. */
export interface CdsCall extends DataSource {
  readonly arrangement: StoredArrangement
  /** Of the accounts, by the answers of the provider. */
  readonly observation: Observation
  readonly version: number
  readonly query: Query
  /** The account in the path; empty if it has none. */
  readonly accountId: string
  readonly body: unknown
  /** The public URL, without its query. */
  readonly url: string
  readonly interactionId: string
  /** Ends all calls of the provider for the request. */
  readonly signal: AbortSignal
}

/**
 * Undefined if the provider does not know the customer or an account. If the provider refuses to share, the error names what
 * the third party asked for.
 */
export async function ask<Result>(
  { provider, accountId, observation }: CdsCall,
  work: (client: Client) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await askProvider(provider, [404, 422], (client) => observation.watch(work(client)))
  } catch (error) {
    if (!(error instanceof SharingRefused)) throw error
    if (error.status === 403)
      throw new CdsError('sharingRefused', printable(accountId || theCustomer))
    if (accountId !== '') throw new CdsError('accountUnavailable', printable(accountId))
    if (error.status === 404) throw new CdsError('customerUnavailable', theCustomer)
    throw new ProviderUnavailable('an account was restricted during the request')
  }
}

/** In the detail of an error: third parties have no ID of the customer. */
export const theCustomer = 'the customer'

/** The input that every operation of the provider needs. */
export function toInput({
  arrangement: { customerId },
  interactionId,
  signal,
}: Pick<CdsCall, 'arrangement' | 'interactionId' | 'signal'>) {
  return { params: { customerId }, interactionId, signal }
}

/** The provider’s id of the account in the path. */
export function resolveAccount(call: CdsCall): string {
  const { ids, arrangement, accountId, observation } = call
  const found = arrangement.accountIds.find(
    (id) => ids.makeAccountId(arrangement, id) === accountId,
  )
  if (found === undefined) return rejectAccount(call)
  observation.name(found)
  return found
}

/** The same for an account that is not shared, of another kind, or unknown to the provider. */
export function rejectAccount({ accountId }: CdsCall): never {
  throw new CdsError('unknownAccount', printable(accountId))
}

/**
 * The shared bank accounts that the filters of the request select, in the order of the provider. Versions before
 * `payLaterVersion` do not have one of the categories.
 */
export async function listSharedAccounts(
  call: CdsCall,
  payLaterVersion = 0,
): Promise<readonly (BankingAccount | BankingAccountV3)[]> {
  const { arrangement, query, version } = call
  // The interface cannot filter by every category, so this filter is applied here.
  const category = query['product-category']
  const passedOn = Object.entries(query).filter(([name]) =>
    ['open-status', 'is-owned'].includes(name),
  )
  const filters = { ...Object.fromEntries(passedOn), 'page-size': pageSizeMax }
  const accounts = await ask(call, (client) =>
    Array.fromAsync(client.listBankingAccounts.items({ ...toInput(call), query: filters })),
  )
  const ids = new Set(arrangement.accountIds)
  const shared = (accounts ?? []).filter(({ accountId }) => ids.has(accountId))
  for (const { accountId, openStatus } of shared) {
    call.observation.note([accountId], readOpenStatus(openStatus !== 'CLOSED'))
  }
  return shared.filter(
    ({ productCategory }) =>
      (category === undefined || category === productCategory) &&
      (productCategory !== 'BUY_NOW_PAY_LATER' || version >= payLaterVersion),
  )
}

/** The balances of accounts, in their order. Those without a balance are left out. */
export async function listSharedBalances(
  call: CdsCall,
  accountIds: readonly string[],
): Promise<readonly BankingBalance[]> {
  const balances: BankingBalance[] = []
  for (let start = 0; start < accountIds.length; start += accountIdsMax) {
    const read = await readBalances(call, accountIds.slice(start, start + accountIdsMax))
    if (!read) throw new ProviderUnavailable('an account was removed during the request')
    balances.push(...read)
  }
  return balances
}

const noBalance = errorTable.balance_in_query_not_found.message

/**
 * Undefined if the provider does not know one of the accounts. If it answers that a balance is missing, without saying
 * which, each half of the accounts is requested, until those without a balance are found.
 */
export async function readBalances(
  call: CdsCall,
  accountIds: readonly string[],
): Promise<readonly BankingBalance[] | undefined> {
  const body = { data: { accountIds: [...accountIds] } }
  const input = { ...toInput(call), query: { 'page-size': pageSizeMax }, body }
  const read = await ask(call, (client) =>
    Array.fromAsync(client.listBankingBalances.items(input)).catch((error: unknown) => {
      if (error instanceof ResponseError && error.message === noBalance) return noBalance
      throw error
    }),
  )
  if (read !== noBalance) {
    const requested = new Set(accountIds)
    return read?.filter(({ accountId }) => requested.has(accountId))
  }
  if (accountIds.length === 1) return []
  const middle = Math.ceil(accountIds.length / 2)
  const first = await readBalances(call, accountIds.slice(0, middle))
  const second = first && (await readBalances(call, accountIds.slice(middle)))
  return second && [...first, ...second]
}
