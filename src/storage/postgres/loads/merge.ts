import type { Author } from '../../../platform/catalogue/store.ts'
import { lockAllProducts } from '../driver/locks.ts'
import {
  type CountedLines,
  countAccounts,
  countCustomers,
  countParts,
  countProducts,
  toCountedLines,
} from './count-lines.ts'
import { hasRemovedAccounts } from './line-effects.ts'
import {
  type LoadedProduct,
  lastProducts,
  mergeProducts,
  productsAtOnce,
} from './loaded-products.ts'
import {
  deleteAccounts,
  deleteHoldings,
  mergeAccounts,
  mergeCustomers,
  mergeHolders,
  mergeParts,
} from './merge-accounts.ts'
import { comparedTable, mergeDistributedEntries } from './merge-distributed-entries.ts'
import { entryTables, mergeEntries } from './merge-entries.ts'
import type { Run, Send } from './run.ts'
import { type openStaging, type StagedTable, stagedNames } from './staging.ts'

type Staging = ReturnType<typeof openStaging>

/** From this many lines on, the planner's statistics of a table are outdated. */
export const manyLines = 10_000

/** For temporary tables, statistics from a small sample suffice. */
export const smallSample = 'set local default_statistics_target = 10'

export interface MergeOptions {
  readonly loadTime: Temporal.Instant
  /** The author of the products in their history. */
  readonly author: Author
  readonly inBatches: boolean
  /** Whether statements keep their plans, for small batches. */
  readonly isPrepared: boolean
  /** Whether the entries are on the data nodes of a Citus cluster. */
  readonly isDistributed: boolean
  /** Whether each entry is known to have one line. */
  readonly areEntriesDistinct?: boolean
  readonly send: Send
  /** The rows of a query in groups, as one row may be megabytes long. */
  readonly readGroups: (sql: string, size: number) => AsyncIterable<unknown[]>
}

/** Merges the staged lines once their effects are known (line-effects.ts), and counts what they do. */
export async function mergeLines(
  run: Run,
  staging: Staging,
  {
    loadTime,
    author,
    inBatches,
    isPrepared,
    isDistributed,
    areEntriesDistinct = false,
    send,
    readGroups,
  }: MergeOptions,
): Promise<CountedLines[]> {
  const has = (table: StagedTable) => staging.count(table) > 0
  const sendAll = async (statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await send(sql)
  }
  const counts: CountedLines[] = []
  const count = async (sql: string): Promise<void> => {
    counts.push(...(await run(sql)).rows.map(toCountedLines))
  }
  if (has('staged_customer')) await count(countCustomers)
  if (has('staged_account')) await count(countAccounts)
  if (has('staged_part')) await count(countParts)

  const removesAccounts = has('staged_account') && Boolean((await run(hasRemovedAccounts)).rowCount)
  if (has('staged_customer')) await sendAll(mergeCustomers)
  if (has('staged_account')) await sendAll([...mergeAccounts, ...mergeHolders])
  if (has('staged_customer')) await send(deleteHoldings)
  if (has('staged_part') || removesAccounts) await sendAll(mergeParts)
  if (has('staged_entry') || removesAccounts) {
    const isLarge = staging.count('staged_entry') >= manyLines
    const entries = await (isDistributed ? mergeDistributedEntries : mergeEntries)(run, {
      lines: staging.countEntryLines(),
      loadTime,
      inBatches,
      isLarge,
      isPrepared,
      hasRemovedAccounts: removesAccounts,
      areEntriesDistinct,
      send,
    })
    counts.push(...entries)
  }
  if (removesAccounts) await send(deleteAccounts)
  // Last, as it blocks changes of products through the platform until the commit.
  if (has('staged_product')) {
    await count(countProducts)
    await send(lockAllProducts)
    for await (const products of readGroups(lastProducts, productsAtOnce)) {
      counts.push(...(await mergeProducts(run, products as LoadedProduct[], loadTime, author)))
    }
  }
  return counts
}

/** Updates the statistics of large staged tables. */
export async function analyzeStaged(run: Run, staging: Staging): Promise<void> {
  for (const table of stagedNames) {
    if (staging.count(table) >= manyLines) await run(`${smallSample}; analyze ${table}`)
  }
}

/** The temporary tables that the staged lines and their merge left rows in. */
export function usedTables(staging: Staging, isDistributed: boolean): string[] {
  const has = (table: StagedTable) => staging.count(table) > 0
  return [
    ...stagedNames.filter(has),
    ...(has('staged_customer') ? ['customer_effect'] : []),
    ...(has('staged_account') ? ['account_effect'] : []),
    ...(has('staged_entry') || has('staged_account') ? entryTables : []),
    ...(isDistributed ? [comparedTable] : []),
  ]
}
