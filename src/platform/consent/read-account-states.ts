import type { Client } from '../../client/client.ts'
import { ClientError, ResponseError } from '../../client/errors.ts'
import type { AccountReason, AccountState } from '../../contract/account-states.ts'
import { errorTable } from '../../contract/index.ts'
import type { AccountChange } from './account-changes.ts'
import { isSharingRefused, type ProviderClient } from './customers.ts'

/** How many accounts are asked for at most, and how many of them at once. */
const readsMax = 50
const concurrentMax = 10

/** What an answer of the provider says about accounts. */
export type Seen = Pick<AccountChange, 'state' | 'reason'>

const seen = (state: Exclude<AccountState, 'removed'>, reason: AccountReason): Seen => ({
  state,
  reason,
})

export const served = seen('available', 'served')
export const accountRefused = seen('restricted', 'account_refused')

/** What a list of the provider says about an account in it. */
export function readOpenStatus(isOpen: boolean): Seen {
  return isOpen ? seen('available', 'open') : seen('closed', 'closed')
}

/** What an error of the provider says about an account that the request named. Undefined if it says nothing. */
export function readError(error: unknown): Seen | undefined {
  if (!(error instanceof ResponseError)) return undefined
  const isCustomer = error.message === errorTable.customer_not_found.message
  if (isSharingRefused(error)) {
    return seen('restricted', isCustomer ? 'customer_refused' : 'account_refused')
  }
  if (error.status !== 404 && error.status !== 422) return undefined
  if (error.message === errorTable.balance_in_query_not_found.message) return served
  return seen('no_longer_held', isCustomer ? 'customer_unknown' : 'account_unknown')
}

/**
 * Asks for accounts that the provider does not list, one by one: an unknown account would hide that others are refused.
 * Accounts of which the provider says nothing, because it does not respond or has too many requests, are left out.
 */
export async function readAccountStates(
  provider: ProviderClient,
  customerId: string,
  accountIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Seen>> {
  const found = new Map<string, Seen>()
  const client = await provider()
  const rest = accountIds.slice(0, readsMax)
  while (rest.length > 0) {
    const next = rest.splice(0, concurrentMax)
    const answers = await Promise.all(
      next.map((id) => readAccountState(client, customerId, id, signal)),
    )
    for (const [index, id] of next.entries()) {
      const answer = answers[index]
      if (answer) found.set(id, answer)
    }
  }
  return found
}

/** An account is unknown if it is neither a bank account nor an energy account. */
async function readAccountState(
  client: Client,
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<Seen | undefined> {
  const input = { params: { customerId }, body: { data: { accountIds: [accountId] } }, signal }
  const ask = (work: Promise<unknown>): Promise<Seen | undefined> =>
    work.then(
      () => served,
      (error: unknown) => {
        if (error instanceof ClientError) return readError(error)
        throw error
      },
    )
  const banking = await ask(client.listBankingBalances(input))
  if (banking?.reason !== 'account_unknown') return banking
  return ask(client.listEnergyAccountDetails(input))
}
