import { lockAllProducts } from '../driver/locks.ts'
import { readCorrected } from './corrections.ts'
import {
  type CountedLines,
  countAccounts,
  countCustomers,
  countParts,
  countProducts,
  countRestrictions,
  toCountedLines,
} from './count-lines.ts'
import {
  accountEffects,
  deleteUnresolvedLines,
  hasDeletedAccounts,
  hasUnresolvedLines,
  storeRestrictionReferences,
  storeUnresolvedHolders,
  storeUnresolvedLines,
} from './line-effects.ts'
import { rejectAccounts, rejectCustomers } from './line-errors.ts'
import {
  type LoadedProduct,
  lastProducts,
  mergeProducts,
  productsAtOnce,
} from './loaded-products.ts'
import {
  deleteEmails,
  insertEmails,
  mergeAccounts,
  mergeBalances,
  mergeContacts,
  mergeCustomers,
  mergeHolders,
  mergeRestrictions,
} from './merge-accounts.ts'
import { comparedTable, mergeDistributedEntries } from './merge-distributed-entries.ts'
import { entryTables, mergeEntries } from './merge-entries.ts'
import type { Merging, RecordMerging, Run, Send } from './run.ts'
import { type Staging, stagedNames } from './staging.ts'

/** For temporary tables, statistics from a small sample suffice. */
export const smallSample = 'set local default_statistics_target = 10'

const sendAll = async (send: Send, statements: readonly string[]): Promise<void> => {
  for (const sql of statements) await send(sql)
}

const count = async (run: Run, sql: string): Promise<CountedLines[]> =>
  (await run(sql)).rows.map(toCountedLines)

/** Merges the lines of customers and accounts, except the rejected ones, and counts what they do. Comes first. */
export async function mergeOwners(merging: Merging): Promise<CountedLines[]> {
  const { run, send, readGroups, staging, inBatches } = merging
  const counts: CountedLines[] = []
  await readCorrected(merging)
  if (staging.has('staged_customer')) {
    await rejectCustomers(run, readGroups)
    counts.push(...(await count(run, countCustomers)))
    await sendAll(send, [deleteEmails, mergeCustomers])
    if (staging.has('staged_email')) await send(insertEmails)
  }
  if (staging.has('staged_account')) {
    await rejectAccounts(run, readGroups)
    await send(accountEffects)
    if (staging.hasMany('staged_account')) await send('analyze account_effect')
    counts.push(...(await count(run, countAccounts)))
    await sendAll(send, [...mergeAccounts, ...mergeHolders])
    if (inBatches && staging.hasAccountRemovals()) await send(deleteUnresolvedLines)
    if (staging.has('staged_holder')) await send(storeUnresolvedHolders(inBatches))
  }
  return counts
}

/** Prepares the merge of lines that refer to what does not exist. Returns whether there may be such lines. */
export async function storeUnresolved({ run, send, staging }: Merging): Promise<boolean> {
  const hasRestrictions = staging.has('staged_restriction')
  if (hasRestrictions) await send(storeRestrictionReferences)
  if (!staging.has('staged_entry') && !staging.has('staged_part')) return hasRestrictions
  if (!(await run(hasUnresolvedLines)).rowCount) return hasRestrictions
  await sendAll(send, storeUnresolvedLines)
  return true
}

interface MergedParts {
  readonly counts: readonly CountedLines[]
  readonly deletesAccounts: boolean
}

/** Merges the lines of balances and contacts, and counts what they do. */
export async function mergeParts({ run, send, staging }: Merging): Promise<MergedParts> {
  const { has } = staging
  const counts = has('staged_part') ? await count(run, countParts) : []
  const deletesAccounts = has('staged_account') && Boolean((await run(hasDeletedAccounts)).rowCount)
  if (has('staged_part') || deletesAccounts) await sendAll(send, mergeBalances)
  if (has('staged_part') || has('staged_account')) await sendAll(send, mergeContacts)
  return { counts, deletesAccounts }
}

/** Merges all lines except those of customers and accounts, and counts what they do. */
export async function mergeRecords(
  merging: RecordMerging,
  parts?: MergedParts,
): Promise<CountedLines[]> {
  const { run, send, readGroups, staging, isDistributed, loadTime, author } = merging
  const { has } = staging
  const { counts: counted, deletesAccounts } = parts ?? (await mergeParts(merging))
  const counts = [...counted]
  if (has('staged_restriction')) {
    counts.push(...(await count(run, countRestrictions)))
    await sendAll(send, mergeRestrictions)
  }
  if (has('staged_entry') || deletesAccounts) {
    const mergeLists = isDistributed ? mergeDistributedEntries : mergeEntries
    counts.push(...(await mergeLists({ ...merging, hasDeletedAccounts: deletesAccounts })))
  }
  // Last, as it blocks changes of products through the platform until the commit.
  if (has('staged_product')) {
    counts.push(...(await count(run, countProducts)))
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
    if (staging.hasMany(table)) await run(`${smallSample}; analyze ${table}`)
  }
}

/** The temporary tables that the staged lines and their merge left rows in, except those of unresolved lines. */
export function usedTables(staging: Staging, isDistributed: boolean): string[] {
  const { has } = staging
  return [
    ...stagedNames.filter(has),
    ...(staging.hasOwners() ? ['rejected_line'] : []),
    ...(has('staged_correction') ? ['corrected'] : []),
    ...(has('staged_account') ? ['account_effect'] : []),
    ...(has('staged_entry') || has('staged_account') ? entryTables : []),
    ...(isDistributed ? [comparedTable] : []),
  ]
}
