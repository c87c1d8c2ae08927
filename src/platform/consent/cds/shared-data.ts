import type { Client } from '../../../client/client.ts'
import {
  accountIdsMax,
  type BankingAccount,
  type BankingAccountV3,
  type BankingBalance,
  pageSizeMax,
  printable,
} from '../../../contract/index.ts'
import { CdsError } from '../../cds/errors.ts'
import type { Query } from '../../cds/query.ts'
import { askProvider, type ProviderClient, ProviderUnavailable } from '../customers.ts'
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

/** Undefined if the provider does not know the customer or an account. */
export function ask<Result>(
  { provider }: CdsCall,
  work: (client: Client) => Promise<Result>,
): Promise<Result | undefined> {
  return askProvider(provider, [404, 422], work)
}

/** The input that every operation of the provider needs. */
export function toInput({ arrangement: { customerId }, interactionId, signal }: CdsCall) {
  return { params: { customerId }, interactionId, signal }
}

/** The provider’s id of the account in the path. */
export function resolveAccount(call: CdsCall): string {
  const { ids, arrangement, accountId } = call
  const found = arrangement.accountIds.find(
    (id) => ids.makeAccountId(arrangement, id) === accountId,
  )
  return found ?? rejectAccount(call)
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
  const shared = new Set(arrangement.accountIds)
  return (accounts ?? []).filter(
    ({ accountId, productCategory }) =>
      shared.has(accountId) &&
      (category === undefined || category === productCategory) &&
      (productCategory !== 'BUY_NOW_PAY_LATER' || version >= payLaterVersion),
  )
}

/** The balances of accounts, in their order. An account may have none. */
export async function listSharedBalances(
  call: CdsCall,
  accountIds: readonly string[],
): Promise<readonly BankingBalance[]> {
  const balances: BankingBalance[] = []
  for (let start = 0; start < accountIds.length; start += accountIdsMax) {
    const chunk = accountIds.slice(start, start + accountIdsMax)
    const body = { data: { accountIds: chunk } }
    const input = { ...toInput(call), query: { 'page-size': pageSizeMax }, body }
    const read = await ask(call, (client) =>
      Array.fromAsync(client.listBankingBalances.items(input)),
    )
    if (!read) throw new ProviderUnavailable('an account was removed during the request')
    const requested = new Set(chunk)
    balances.push(...read.filter(({ accountId }) => requested.has(accountId)))
  }
  return balances
}
