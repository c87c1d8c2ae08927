import type { DatabaseSync } from 'node:sqlite'
import { listCodes, listsMax } from '../../enum-codes.ts'
import {
  addEntry,
  type BlockIndex,
  blockEntries,
  chunkEntries,
  clearGroup,
  createIndex,
  fromStored,
  groupEntries,
  type IndexedEntry,
  toStored,
} from '../../search-index.ts'
import { prepareOn } from '../driver/statements.ts'
import {
  coveredEntries,
  entryPosition,
  listEnd,
  listOf,
  newestEntry,
  ordinalOf,
} from '../entry-position.ts'

/** How many changed groups are read at once. */
const groupsAtOnce = 1000

/**
 * Writes the search index of lists of transactions, in the transaction of their entries. It covers the oldest entries of a
 * list, a multiple of `chunkEntries`. Newer entries are found without it.
 *
 * What remains to be indexed is in temporary tables: its number has no limit, and a rollback affects it too.
 */
export function openSearchIndex(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  database.exec(`
    create temp table due_list (list integer primary key) strict;         -- lists with entries to cover
    create temp table changed_group (position integer primary key) strict -- of the first entry of the group
  `)
  const coveredOfList = query<{ covered: number }>(coveredEntries)
  const newest = query<{ ordinal: bigint }>(newestEntry, { bigints: true })
  const find = query<Record<'amounts' | 'places' | 'texts', Uint8Array>>(`
    select amounts, places, texts from entry_amounts join entry_texts using (position)
     where position = ?`)
  const putAmounts = command('insert or replace into entry_amounts values (?, ?, ?)')
  const putTexts = command('insert or replace into entry_texts values (?, ?)')
  const removeFrom = ['entry_amounts', 'entry_texts'].map((table) =>
    command(`delete from ${table} where position >= ? and position < ?`),
  )
  const entries = query<IndexedEntry>(
    `select amount, description, reference from entry
     where position between ? and ? order by position`,
    { lists: true },
  )
  const addDue = command('insert or ignore into due_list values (?)')
  const nextDue = query<{ list: number }>(
    'select list from due_list where list > ? order by list limit 1',
  )
  const removeDue = command('delete from due_list where list = ?')
  const addChanged = command('insert or ignore into changed_group values (?)')
  const nextChanged = query<{ position: bigint }>(
    `select position from changed_group order by position limit ${groupsAtOnce}`,
    { bigints: true },
  )
  const removeChanged = command('delete from changed_group where position <= ?')

  /** The list after it is next, so that none waits for lists that are due again and again. */
  let lastCovered = 0

  const countCovered = (list: number): number =>
    coveredOfList.first(entryPosition(list, 0), listEnd(list))?.covered ?? 0

  const read = (list: number, block: number): BlockIndex | undefined => {
    const row = find.first(entryPosition(list, block))
    if (!row) return undefined
    return fromStored({
      amounts: new Int32Array(row.amounts.buffer),
      places: new Uint16Array(row.places.buffer),
      texts: new Uint32Array(row.texts.buffer),
    })
  }

  const write = (list: number, block: number, index: BlockIndex): void => {
    const { amounts, places, texts } = toStored(index)
    putAmounts.run(entryPosition(list, block), amounts, places)
    putTexts.run(entryPosition(list, block), texts)
  }

  const removeBlocks = (list: number, first: number): void => {
    for (const each of removeFrom) each.run(entryPosition(list, first), listEnd(list))
  }

  /** Adds entries of one block to its index. */
  const addEntries = (index: BlockIndex, list: number, first: number, last: number): void => {
    const rows = entries.all(entryPosition(list, first), entryPosition(list, last))
    const start = (first - 1) % blockEntries
    for (const [at, row] of rows.entries()) addEntry(index, start + at, row)
  }

  /** How many entries of a list can be covered. */
  const countWhole = (list: number): number => {
    const length = Number(newest.first(entryPosition(list, 0), listEnd(list))?.ordinal ?? 0)
    return length - (length % chunkEntries)
  }

  /** Covers more entries of a list, up to the end of a block. Returns how many are covered. */
  const extend = (list: number, covered: number, whole: number): number => {
    const block = Math.floor(covered / blockEntries)
    const extended = Math.min(whole, (block + 1) * blockEntries)
    const before = covered % blockEntries > 0 ? read(list, block) : undefined
    const index = createIndex(extended - block * blockEntries, before)
    addEntries(index, list, covered + 1, extended)
    write(list, block, index)
    return extended
  }

  /** Indexes changed groups of a block again, by the positions of their first entries. */
  const indexChanged = (positions: readonly bigint[]): void => {
    const list = listOf(positions[0] ?? 0n)
    const covered = countCovered(list)
    const ordinals = positions.map(ordinalOf).filter((ordinal) => ordinal <= covered)
    const block = Math.floor((ordinals[0] ?? 0) / blockEntries)
    const index = ordinals.length > 0 ? read(list, block) : undefined
    if (!index) return
    for (const ordinal of ordinals) {
      clearGroup(index, (ordinal - 1) % blockEntries)
      addEntries(index, list, ordinal, ordinal + groupEntries - 1)
    }
    write(list, block, index)
  }

  return {
    /** How many entries of a list with this length are covered. Infinity for a list that has no index. */
    countCovered(list: number, length: number): number {
      if (!isIndexed(list)) return Number.POSITIVE_INFINITY
      return length < chunkEntries ? 0 : countCovered(list)
    },

    /** Enough entries of a list are not covered. */
    markDue(list: number): void {
      addDue.run(list)
    },

    /** The amount or a text of an entry has changed. */
    markChanged(list: number, ordinal: number): void {
      if (!isIndexed(list)) return
      addChanged.run(entryPosition(list, ordinal - ((ordinal - 1) % groupEntries)))
    },

    /** The entries after an ordinal are about to be moved or removed. */
    markMoved(list: number, ordinal: number): void {
      if (!isIndexed(list)) return
      addDue.run(list)
      if (countCovered(list) <= ordinal) return
      const block = Math.floor(ordinal / blockEntries)
      const kept = (ordinal % blockEntries) - (ordinal % chunkEntries)
      const index = kept > 0 ? read(list, block) : undefined
      removeBlocks(list, block)
      if (index) write(list, block, createIndex(kept, index))
    },

    remove(list: number): void {
      if (isIndexed(list)) removeBlocks(list, 0)
    },

    /** Before a commit: indexes changed entries, and some blocks with new ones. Yields after each block. */
    *write(newBlocksMax: number): Generator<void> {
      for (let next = nextChanged.all(); next.length > 0; next = nextChanged.all()) {
        const positions = next.map(({ position }) => position)
        const blocks = Map.groupBy(positions, (position) => position / BigInt(blockEntries))
        for (const ofBlock of blocks.values()) {
          indexChanged(ofBlock)
          yield
        }
        removeChanged.run(positions.at(-1) ?? 0n)
      }
      for (let blocks = 0; blocks < newBlocksMax; ) {
        const next = nextDue.first(lastCovered) ?? nextDue.first(0)
        if (!next) return
        const { list } = next
        const whole = countWhole(list)
        let covered = countCovered(list)
        if (covered < whole) {
          covered = extend(list, covered, whole)
          blocks += 1
        }
        if (covered >= whole) {
          removeDue.run(list)
          lastCovered = list
        }
        yield
      }
    },
  }
}

/** Only transactions are filtered. */
function isIndexed(list: number): boolean {
  return list % listsMax === listCodes.transaction
}
