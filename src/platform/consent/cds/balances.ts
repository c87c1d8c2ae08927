import { ResponseError } from '../../../client/errors.ts'
import {
  accountIdsMax,
  type BankingBalance,
  errorTable,
  pageSizeMax,
} from '../../../contract/index.ts'
import { ProviderUnavailable } from '../customers.ts'
import { ask, type CdsCall, toInput } from './shared-data.ts'

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
