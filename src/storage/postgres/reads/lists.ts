import type { Overview, ProviderStore } from '../../../provider/store.ts'
import type { Query } from '../driver/statements.ts'
import type { ShardStatements } from './distributed-statements.ts'

/** The reads of lists, which depend on the layout of the database. */
export type Lists = Pick<
  ProviderStore,
  'listEntries' | 'listEntriesOfAccounts' | 'overview' | 'close'
>

/** Up to this many keys, the newest entries of every list are read and sorted; beyond, a binary search is cheaper. */
export const keysReadMax = 5000

export interface DistributedAccount {
  readonly number: string
  /** As stored. */
  readonly id: string
  readonly shard: string
  readonly generation: string
}

/** Runs a statement on the shard of an account. Its first value is the number of the account. */
export type ReadList = (
  statement: keyof ShardStatements,
  account: DistributedAccount,
  values: Parameters<Query>[1],
) => ReturnType<Query>

type Cell = string | null | undefined

/** The counts, and the ids of the example as stored. */
export function toOverview(
  [customers, accounts]: readonly Cell[],
  [customerId, accountId]: readonly Cell[],
): Overview {
  return {
    customers: Number(customers),
    accounts: Number(accounts),
    ...(customerId && accountId ? { example: { customerId, accountId } } : {}),
  }
}
