import { batchErrorsFoundMax } from '../../../contract/index.ts'
import type { LineError, LocatedItem } from '../../../intake/writer.ts'
import type { Author } from '../../../platform/catalogue/store.ts'
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

/** One summary takes as long as so many lines, and other batches wait for it. */
const linesPerSummary = 200

/** Allows one summary for so many lines of a writer, also if each commit has few lines. */
export function openSummaryBudget() {
  let linesWithout = 0
  return {
    countAllowed: (lines: number): number => Math.floor((linesWithout + lines) / linesPerSummary),
    /** Must be called after a commit. Lines that needed no summary do not allow more than one later. */
    record(lines: number, summaries: number): void {
      linesWithout = Math.min(linesWithout + lines - summaries * linesPerSummary, linesPerSummary)
    },
  }
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
  /** The author of the products. */
  readonly author: Author
  readonly summariesMax: number
}

export interface MergedBatches {
  readonly counts: readonly CountedLines[]
  /** The temporary tables with rows. */
  readonly tables: readonly string[]
  /** How many summaries were written. */
  readonly summaries: number
}

/** Merges the staged lines of batches, or finds their errors. */
export async function mergeBatches(
  batches: StagedBatches,
): Promise<MergedBatches | { readonly errors: readonly LineError[] }> {
  const { items, staging, run, send, isPrepared, isDistributed, time, author, summariesMax } =
    batches
  const isDistinct = !isDistributed && areEntriesDistinct(items)
  const appended = isPrepared && isDistinct ? await appendAll(batches) : undefined
  if (appended) {
    const lines = staging.countEntryLines() ?? []
    const counts = countEntries(
      lines.map((each) => ({ ...each, what: isNew })),
      lines,
    )
    return { counts, tables: ['staged_entry'], ...appended }
  }
  const merge = async () => {
    const counts = await mergeLines(run, staging, {
      loadTime: time,
      author,
      inBatches: false,
      isPrepared,
      isDistributed,
      areEntriesDistinct: isDistinct,
      send,
      readGroups: (sql, size) => readGroups(run, sql, size),
    })
    const mayBeSummarized = !isDistributed && staging.count('staged_entry') > 0 && summariesMax > 0
    return { counts, summaries: mayBeSummarized ? await summarizeChanged(run, summariesMax) : 0 }
  }
  const found = findErrors(run, staging)
  // Most batches have neither customers nor accounts, and are merged while their references are checked.
  const merged = isPrepared && !hasOwners(staging) ? merge() : undefined
  const [errors] = await Promise.all([found, merged])
  if (errors.length > 0) return { errors }
  return { ...(await (merged ?? merge())), tables: usedTables(staging, isDistributed) }
}

/** Appends all entries to their lists, or none: then it returns undefined. */
async function appendAll({
  items,
  run,
  time,
  summariesMax,
}: StagedBatches): Promise<{ readonly summaries: number } | undefined> {
  if (items.length === 0 || items.some(({ type }) => type !== 'entry')) return undefined
  const { rows } = await run(appendEntries, [time.epochNanoseconds.toString()])
  const [{ count, grown }] = rows
  if (count < items.length) return undefined
  const mayBeSummarized = grown.length > 0 && summariesMax > 0
  return { summaries: mayBeSummarized ? await summarizeAppended(run, grown, summariesMax) : 0 }
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
  const addErrors = async <Row>(sql: string, toError: (row: Row) => LineError): Promise<void> => {
    const { rows } = await run(`${sql} limit ${batchErrorsFoundMax}`)
    errors.push(...rows.map(toError))
  }
  await analyzeStaged(run, staging)
  if (hasCustomers) await run(customerEffects)
  if (staging.count('staged_holder') > 0) {
    await addErrors(`${unresolvedHoldersInOrder} order by 1, 2`, toHolderError)
    if (errors.length > 0) await run(deleteAccountsWithoutHolder)
  }
  if (hasAccounts) await run(findAccountEffects)
  if (hasCustomers || hasAccounts) await addErrors(rejectedLines, toRejection)
  const hasReferences = staging.count('staged_entry') > 0 || staging.count('staged_part') > 0
  // Without lines of accounts, their order does not matter.
  if (hasReferences && (hasAccounts || (await run(hasUnresolvedLines)).rowCount)) {
    await addErrors(`${unresolvedInOrder} order by place`, toLineError)
  }
  return errors
}

async function* readGroups(run: Run, sql: string, size: number): AsyncGenerator<unknown[]> {
  const { rows } = await run(sql)
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size)
}
