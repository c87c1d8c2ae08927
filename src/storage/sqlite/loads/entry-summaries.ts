import type { DatabaseSync } from 'node:sqlite'
import {
  addEntry,
  blockEntries,
  chunkEntries,
  clearGroup,
  createSummary,
  type EntrySummary,
  fromStored,
  groupEntries,
  type SummarizedEntry,
  toStored,
} from '../../entry-summary.ts'
import { listCodes, listsMax } from '../../enum-codes.ts'
import { command, query } from '../driver/statements.ts'
import {
  coveredEntries,
  entryPosition,
  listEnd,
  listOf,
  ordinalOf,
  ordinalOfPosition,
} from '../entry-position.ts'

/** How many changed groups are remembered until their summaries are written. */
const changedMax = 10_000

interface SummaryRow {
  readonly amounts: Uint8Array
  readonly places: Uint8Array
  readonly texts: Uint8Array
}

/**
 * Writes the summaries of lists of transactions, in the transaction of their entries. They cover the oldest entries of a
 * list, a multiple of `chunkEntries`. Newer entries, and those of earlier versions, are found without summaries.
 */
export function openEntrySummaries(database: DatabaseSync) {
  const coveredOfList = query<{ covered: number }>(database, coveredEntries)
  const newest = query<{ ordinal: number }>(
    database,
    `select ${ordinalOfPosition} as ordinal from entry
     where position > ? and position < ? order by position desc limit 1`,
  )
  const find = query<SummaryRow>(
    database,
    `select amounts, places, texts from entry_amounts join entry_texts using (position)
     where position = ?`,
  )
  const putAmounts = command(database, 'insert or replace into entry_amounts values (?, ?, ?)')
  const putTexts = command(database, 'insert or replace into entry_texts values (?, ?)')
  const removeFrom = ['entry_amounts', 'entry_texts'].map((table) =>
    command(database, `delete from ${table} where position >= ? and position < ?`),
  )
  const entries = query<SummarizedEntry>(
    database,
    `select amount, description, reference from entry
     where position between ? and ? order by position`,
    { lists: true },
  )
  /** Lists with entries to cover. */
  const due = new Set<number>()
  /** The positions of the first entries of groups with a changed entry. */
  const changed = new Set<bigint>()

  const countCovered = (list: number): number =>
    coveredOfList.first(entryPosition(list, 0), listEnd(list))?.covered ?? 0

  const read = (list: number, block: number): EntrySummary | undefined => {
    const row = find.first(entryPosition(list, block))
    if (!row) return undefined
    return fromStored({
      amounts: new Int32Array(row.amounts.buffer),
      places: new Uint16Array(row.places.buffer),
      texts: new Uint32Array(row.texts.buffer),
    })
  }

  const write = (list: number, block: number, summary: EntrySummary): void => {
    const { amounts, places, texts } = toStored(summary)
    putAmounts.run(entryPosition(list, block), amounts, places)
    putTexts.run(entryPosition(list, block), texts)
  }

  const removeBlocks = (list: number, first: number): void => {
    for (const each of removeFrom) each.run(entryPosition(list, first), listEnd(list))
  }

  /** Adds entries of one block to its summary. */
  const summarize = (summary: EntrySummary, list: number, first: number, last: number): void => {
    const rows = entries.all(entryPosition(list, first), entryPosition(list, last))
    const index = (first - 1) % blockEntries
    rows.forEach((row, at) => {
      addEntry(summary, index + at, row)
    })
  }

  /** Covers more entries of a list, up to the end of a block. Returns how many are covered. */
  const extend = (list: number, covered: number): number => {
    const length = newest.first(entryPosition(list, 0), listEnd(list))?.ordinal ?? 0
    const block = Math.floor(covered / blockEntries)
    const whole = length - (length % chunkEntries)
    const extended = Math.min(whole, (block + 1) * blockEntries)
    if (extended <= covered) return covered
    const before = covered % blockEntries > 0 ? read(list, block) : undefined
    const summary = createSummary(extended - block * blockEntries, before)
    summarize(summary, list, covered + 1, extended)
    write(list, block, summary)
    return extended
  }

  const summarizeChanged = (): void => {
    const positions = [...changed].sort((one, other) => (one < other ? -1 : 1))
    changed.clear()
    const blocks = Map.groupBy(positions, (position) => position / BigInt(blockEntries))
    for (const groups of blocks.values()) {
      const list = listOf(groups[0] ?? 0n)
      const block = Math.floor(ordinalOf(groups[0] ?? 0n) / blockEntries)
      const covered = countCovered(list)
      const ordinals = groups.map(ordinalOf).filter((ordinal) => ordinal <= covered)
      const summary = ordinals.length > 0 ? read(list, block) : undefined
      if (!summary) continue
      for (const first of ordinals) {
        clearGroup(summary, (first - 1) % blockEntries)
        summarize(summary, list, first, first + groupEntries - 1)
      }
      write(list, block, summary)
    }
  }

  return {
    /** How many entries of a list with this length are covered. Infinity for a list that has no summaries. */
    countCovered(list: number, length: number): number {
      if (!isSummarized(list)) return Number.POSITIVE_INFINITY
      return length < chunkEntries ? 0 : countCovered(list)
    },

    /** Enough entries of a list are not covered. */
    markDue(list: number): void {
      due.add(list)
    },

    /** The amount or a text of an entry has changed. */
    markChanged(list: number, ordinal: number): void {
      if (!isSummarized(list)) return
      changed.add(entryPosition(list, ordinal - ((ordinal - 1) % groupEntries)))
      if (changed.size >= changedMax) summarizeChanged()
    },

    /** The entries after an ordinal are about to be moved or removed. */
    markMoved(list: number, ordinal: number): void {
      if (!isSummarized(list)) return
      due.add(list)
      if (countCovered(list) <= ordinal) return
      const block = Math.floor(ordinal / blockEntries)
      const kept = (ordinal % blockEntries) - (ordinal % chunkEntries)
      const summary = kept > 0 ? read(list, block) : undefined
      removeBlocks(list, block)
      if (summary) write(list, block, createSummary(kept, summary))
    },

    remove(list: number): void {
      if (isSummarized(list)) removeBlocks(list, 0)
    },

    /** Covers new entries, at most `blocksMax` blocks of each list. */
    finish(blocksMax: number): void {
      summarizeChanged()
      for (const list of due) {
        let covered = countCovered(list)
        for (let block = 0; block < blocksMax; block += 1) {
          const extended = extend(list, covered)
          if (extended === covered) break
          covered = extended
        }
      }
      due.clear()
    },

    discard(): void {
      due.clear()
      changed.clear()
    },
  }
}

/** Only transactions are filtered. */
function isSummarized(list: number): boolean {
  return list % listsMax === listCodes.transaction
}
