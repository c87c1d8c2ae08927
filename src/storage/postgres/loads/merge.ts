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
import {
  accountEffects,
  deleteUnresolvedLines,
  hasDeletedAccounts,
  hasUnresolvedLines,
  storeUnresolvedHolders,
  storeUnresolvedLines,
} from './line-effects.ts'
import {
  type LoadedProduct,
  lastProducts,
  mergeProducts,
  productsAtOnce,
} from './loaded-products.ts'
import {
  mergeAccounts,
  mergeBalances,
  mergeContacts,
  mergeCustomers,
  mergeHolders,
} from './merge-accounts.ts'
import { comparedTable, mergeDistributedEntries } from './merge-distributed-entries.ts'
import { entryTables, mergeEntries } from './merge-entries.ts'
import { rejectAccounts, rejectCustomers } from './reject-lines.ts'
import type { ReadGroups, Run, Send } from './run.ts'
import { type openStaging, type StagedTable, stagedNames } from './staging.ts'

export type Staging = ReturnType<typeof openStaging>

/** From this many lines on, the planner's statistics of a table are outdated. */
export const manyLines = 10_000

/** For temporary tables, statistics from a small sample suffice. */
export const smallSample = 'set local default_statistics_target = 10'

interface Merging {
  readonly run: Run
  readonly send: Send
  readonly readGroups: ReadGroups
  readonly staging: Staging
  /** Whether the load has other commits. */
  readonly inBatches: boolean
}

const rowsOf = (staging: Staging) => (table: StagedTable) => staging.count(table) > 0

const sendAll = async (send: Send, statements: readonly string[]): Promise<void> => {
  for (const sql of statements) await send(sql)
}

/** Merges the lines of customers and accounts, except the rejected ones, and counts what they do. */
export async function mergeOwners(merging: Merging): Promise<CountedLines[]> {
  const { run, send, readGroups, staging, inBatches } = merging
  const has = rowsOf(staging)
  const counts: CountedLines[] = []
  const count = async (sql: string): Promise<void> => {
    counts.push(...(await run(sql)).rows.map(toCountedLines))
  }
  if (has('staged_customer')) {
    await rejectCustomers(run, readGroups)
    await count(countCustomers)
    await send(mergeCustomers)
  }
  if (has('staged_account')) {
    await rejectAccounts(run, readGroups)
    await send(accountEffects)
    if (staging.count('staged_account') >= manyLines) await send('analyze account_effect')
    await count(countAccounts)
    await sendAll(send, [...mergeAccounts, ...mergeHolders])
    if (inBatches && staging.hasAccountRemovals()) await send(deleteUnresolvedLines)
    if (has('staged_holder')) await send(storeUnresolvedHolders(inBatches))
  }
  return counts
}

/** Prepares the merge of lines that refer to what does not exist. Returns whether there are such lines. */
export async function storeUnresolved({ run, send, staging }: Merging): Promise<boolean> {
  const has = rowsOf(staging)
  if (!has('staged_entry') && !has('staged_part')) return false
  if (!(await run(hasUnresolvedLines)).rowCount) return false
  await sendAll(send, storeUnresolvedLines)
  return true
}

export interface RecordMerging extends Merging {
  readonly loadTime: Temporal.Instant
  /** The author of the products in their history. */
  readonly author: Author
  /** Whether statements keep their plans, for small batches. */
  readonly isPrepared: boolean
  /** Whether the entries are on the data nodes of a Citus cluster. */
  readonly isDistributed: boolean
  /** Whether each entry is known to have one line. */
  readonly areEntriesDistinct?: boolean
}

/** Merges all other lines, and counts what they do. */
export async function mergeRecords(merging: RecordMerging): Promise<CountedLines[]> {
  const { run, send, readGroups, staging, isDistributed, loadTime, author } = merging
  const has = rowsOf(staging)
  const counts: CountedLines[] = []
  const count = async (sql: string): Promise<void> => {
    counts.push(...(await run(sql)).rows.map(toCountedLines))
  }
  if (has('staged_part')) await count(countParts)
  const deletesAccounts = has('staged_account') && Boolean((await run(hasDeletedAccounts)).rowCount)
  if (has('staged_part') || deletesAccounts) await sendAll(send, mergeBalances)
  if (has('staged_part') || has('staged_account')) await sendAll(send, mergeContacts)
  if (has('staged_entry') || deletesAccounts) {
    const entries = await (isDistributed ? mergeDistributedEntries : mergeEntries)(run, {
      ...merging,
      areEntriesDistinct: merging.areEntriesDistinct ?? false,
      lines: staging.countEntryLines(),
      isLarge: staging.count('staged_entry') >= manyLines,
      hasDeletedAccounts: deletesAccounts,
    })
    counts.push(...entries)
  }
  // Last, as it blocks changes of products through the platform until the commit.
  if (has('staged_product')) {
    await count(countProducts)
    await send(lockAllProducts)
    for await (const products of readGroups<LoadedProduct>(lastProducts, productsAtOnce)) {
      counts.push(...(await mergeProducts(run, products, loadTime, author)))
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

/** The temporary tables that the staged lines and their merge left rows in, except those of unresolved lines. */
export function usedTables(staging: Staging, isDistributed: boolean): string[] {
  const has = rowsOf(staging)
  return [
    ...stagedNames.filter(has),
    ...(has('staged_customer') || has('staged_account') ? ['rejected_line'] : []),
    ...(has('staged_account') ? ['account_effect'] : []),
    ...(has('staged_entry') || has('staged_account') ? entryTables : []),
    ...(isDistributed ? [comparedTable] : []),
  ]
}
