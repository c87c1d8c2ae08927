import type { LineError, LocatedItem } from '../../../load/writer.ts'
import { appendEntries } from '../loads/append-entries.ts'
import { type CountedLines, countEntries, isNew } from '../loads/count-lines.ts'
import { summarizeAppended, summarizeChanged } from '../loads/entry-summaries.ts'
import {
  accountEffects,
  customerEffects,
  deleteAccountsWithoutHolder,
  hasUnresolvedLines,
  rejectedLines,
  unresolvedHoldersInOrder,
  unresolvedInOrder,
} from '../loads/line-effects.ts'
import { toHolderError, toLineError, toRejection } from '../loads/line-errors.ts'
import { analyzeStaged, mergeLines, usedTables } from '../loads/merge.ts'
import type { Run, Send } from '../loads/run.ts'
import type { openStaging } from '../loads/staging.ts'

type Staging = ReturnType<typeof openStaging>

const findAccountEffects = accountEffects(false)

/** A summary is written for each of so many lines at most: it takes as long as they do, and other batches wait for it. */
const linesPerSummary = 200

/** How many summaries one commit writes at most. */
const summariesMax = 20

/** The lines of a writer that no summary has been written for. */
export interface SummaryBudget {
  lines: number
}

interface StagedBatches {
  readonly items: readonly LocatedItem[]
  readonly staging: Staging
  readonly run: Run
  readonly send: Send
  /** Whether statements keep their plans, for small batches. */
  readonly isPrepared: boolean
  readonly isDistributed: boolean
  readonly time: Temporal.Instant
  readonly budget: SummaryBudget
}

export interface MergedBatches {
  readonly counts: readonly CountedLines[]
  /** The temporary tables with rows. */
  readonly tables: readonly string[]
}

/** Merges the staged lines of batches, or finds their errors. */
export async function mergeBatches(
  batches: StagedBatches,
): Promise<MergedBatches | { readonly errors: readonly LineError[] }> {
  const { items, staging, run, send, isPrepared, isDistributed, time, budget } = batches
  budget.lines = Math.min(budget.lines + items.length, summariesMax * linesPerSummary)
  const isDistinct = !isDistributed && areEntriesDistinct(items)
  if (isPrepared && isDistinct && (await areAppended(batches))) {
    const lines = staging.countEntryLines() ?? []
    const counts = countEntries(
      lines.map((each) => ({ ...each, what: isNew })),
      lines,
    )
    return { counts, tables: ['staged_entry'] }
  }
  const merge = async () => {
    const counts = await mergeLines(run, staging, {
      loadTime: time,
      inBatches: false,
      isPrepared,
      isDistributed,
      areEntriesDistinct: isDistinct,
      send,
      readGroups: (sql, size) => readGroups(run, sql, size),
    })
    if (!isDistributed && staging.count('staged_entry') > 0) {
      await summarizeWithin(budget, (blocksMax) => summarizeChanged(run, blocksMax))
    }
    return counts
  }
  const found = findErrors(run, staging)
  // Most batches have neither customers nor accounts, and are merged while their references are checked.
  const merged = isPrepared && !hasOwners(staging) ? merge() : undefined
  const [errors] = await Promise.all([found, merged])
  if (errors.length > 0) return { errors }
  return { counts: await (merged ?? merge()), tables: usedTables(staging, isDistributed) }
}

async function areAppended({ items, run, time, budget }: StagedBatches): Promise<boolean> {
  if (items.length === 0 || items.some(({ type }) => type !== 'entry')) return false
  const { rows } = await run(appendEntries, [time.epochNanoseconds.toString()])
  const [{ count, grown }] = rows
  if (grown.length > 0) {
    await summarizeWithin(budget, (blocksMax) => summarizeAppended(run, grown, blocksMax))
  }
  return count === items.length
}

async function summarizeWithin(
  budget: SummaryBudget,
  summarize: (blocksMax: number) => Promise<number>,
): Promise<void> {
  const blocksMax = Math.floor(budget.lines / linesPerSummary)
  if (blocksMax > 0) budget.lines -= (await summarize(blocksMax)) * linesPerSummary
}

/** Whether each entry has one line. */
function areEntriesDistinct(items: readonly LocatedItem[]): boolean {
  const keys = new Set<string>()
  let count = 0
  for (const item of items) {
    if (item.type !== 'entry' && item.type !== 'removal') continue
    const { accountId = '', id = '' } = item
    const list = item.type === 'entry' ? item.list : item.of
    // An ID may contain any character.
    keys.add(`${list} ${accountId.length} ${accountId}${id}`)
    count += 1
  }
  return keys.size === count
}

function hasOwners(staging: Staging): boolean {
  return staging.count('staged_customer') > 0 || staging.count('staged_account') > 0
}

async function findErrors(run: Run, staging: Staging): Promise<LineError[]> {
  const hasCustomers = staging.count('staged_customer') > 0
  const hasAccounts = staging.count('staged_account') > 0
  const errors: LineError[] = []
  await analyzeStaged(run, staging)
  if (hasCustomers) await run(customerEffects)
  if (staging.count('staged_holder') > 0) {
    errors.push(...(await run(`${unresolvedHoldersInOrder} order by 1, 2`)).rows.map(toHolderError))
    if (errors.length > 0) await run(deleteAccountsWithoutHolder)
  }
  if (hasAccounts) await run(findAccountEffects)
  if (hasCustomers || hasAccounts) errors.push(...(await run(rejectedLines)).rows.map(toRejection))
  const hasReferences = staging.count('staged_entry') > 0 || staging.count('staged_part') > 0
  // Without lines of accounts, their order does not matter.
  if (hasReferences && (hasAccounts || (await run(hasUnresolvedLines)).rowCount)) {
    errors.push(...(await run(unresolvedInOrder)).rows.map(toLineError))
  }
  return errors
}

async function* readGroups(run: Run, sql: string, size: number): AsyncGenerator<unknown[]> {
  const { rows } = await run(sql)
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size)
}
