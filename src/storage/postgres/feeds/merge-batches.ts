import { batchErrorsFoundMax } from '../../../contract/index.ts'
import type { LineError, LocatedItem } from '../../../intake/writer.ts'
import { appendEntries } from '../loads/append-entries.ts'
import { writeCorrections } from '../loads/corrections.ts'
import { countEntries, isNew } from '../loads/count-lines.ts'
import { unresolvedLines } from '../loads/line-effects.ts'
import { rejectedLines, toLineError, toRejection } from '../loads/line-errors.ts'
import {
  analyzeStaged,
  mergeOwners,
  mergeRecords,
  storeUnresolved,
  usedTables,
} from '../loads/merge.ts'
import type { ReadGroups, RecordMerging } from '../loads/run.ts'
import { indexAppended, indexChanged } from '../loads/search-index.ts'

interface StagedBatches extends Omit<RecordMerging, 'readGroups' | 'inBatches'> {
  readonly items: readonly LocatedItem[]
  readonly storesUnresolved: boolean
  readonly blocksMax: number
}

/** Merges staged batches, or finds their errors. The file of an unresolved line is the index of its batch. */
export async function mergeBatches(batches: StagedBatches) {
  const { items, staging, run, isPrepared, isDistributed, storesUnresolved, blocksMax } = batches
  const isDistinct = !isDistributed && areEntriesDistinct(items)
  const mayAppend = isPrepared && isDistinct && !staging.has('staged_correction')
  const appended = mayAppend ? await appendAll(batches) : undefined
  if (appended) {
    const lines = staging.countEntryLines()
    const created = lines.map((each) => ({ ...each, outcome: isNew }))
    const counts = countEntries(created, lines)
    return { counts, tables: ['staged_entry'], unresolved: [], ...appended }
  }
  const readGroups: ReadGroups = async function* (sql, size) {
    const { rows } = await run(sql)
    for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size)
  }
  const merging = { ...batches, readGroups, inBatches: false, areEntriesDistinct: isDistinct }
  const mergeAll = async () => {
    const counts = await mergeRecords(merging)
    const mayBeIndexed = !isDistributed && staging.has('staged_entry') && blocksMax > 0
    const blocks = mayBeIndexed ? await indexChanged(run, blocksMax) : 0
    await writeCorrections(merging)
    return { counts, blocks }
  }
  await analyzeStaged(run, staging)
  const owners = await mergeOwners(merging)
  // Most batches have neither customers nor accounts, and are merged while their references are checked.
  const isMerged = isPrepared && !storesUnresolved && !staging.hasOwners()
  const [hasUnresolved, early] = await Promise.all([
    storeUnresolved(merging),
    isMerged ? mergeAll() : undefined,
  ])
  const read = async <Row>(sql: string, toError: (row: Row) => LineError): Promise<LineError[]> =>
    (await run(`${sql} limit ${batchErrorsFoundMax}`)).rows.map(toError)
  const errors = staging.hasOwners() ? await read(rejectedLines, toRejection) : []
  const mayBeUnresolved = hasUnresolved || staging.has('staged_holder')
  const unresolved = mayBeUnresolved ? await read(unresolvedLines, toLineError) : []
  if (!storesUnresolved) errors.push(...unresolved)
  if (errors.length > 0) return { errors }
  const { counts, blocks } = early ?? (await mergeAll())
  const tables = usedTables(staging, isDistributed)
  if (mayBeUnresolved) tables.push('unresolved_line')
  return { counts: [...owners, ...counts], blocks, tables, unresolved }
}

/** Appends all entries to their lists, or none: then it returns undefined. */
async function appendAll({ items, run, loadTime, blocksMax }: StagedBatches) {
  if (items.length === 0 || items.some(({ type }) => type !== 'entry')) return undefined
  const { rows } = await run(appendEntries, [loadTime.epochNanoseconds.toString()])
  const [{ count, grown }] = rows
  if (count < items.length) return undefined
  const mayBeIndexed = grown.length > 0 && blocksMax > 0
  return { blocks: mayBeIndexed ? await indexAppended(run, grown, blocksMax) : 0 }
}

function areEntriesDistinct(items: readonly LocatedItem[]): boolean {
  const keys = items.map(findEntryKey).filter((key) => key !== undefined)
  return new Set(keys).size === keys.length
}

/** Identifies the entry that an item puts or removes. Undefined for an item that does neither. */
export function findEntryKey(item: LocatedItem): string | undefined {
  if (item.type !== 'entry' && item.type !== 'removal') return undefined
  const { accountId = '', id = '' } = item
  const list = item.type === 'entry' ? item.list : item.of
  // An ID may contain any character.
  return `${list} ${accountId.length} ${accountId}${id}`
}
