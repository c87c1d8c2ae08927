import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { BankingTransaction } from '../../../contract/index.ts'
import type { LineCounter, LineOutcome } from '../../../intake/line-counts.ts'
import { entryTypes } from '../../../intake/record-type.ts'
import type { EntryItem } from '../../../intake/writer.ts'
import { entryLists } from '../../../provider/store.ts'
import { amountKey } from '../../amount-key.ts'
import { listCodes } from '../../enum-codes.ts'
import { chunkEntries } from '../../search-index.ts'
import { type Command, prepareOn } from '../driver/statements.ts'
import { entryPosition, listEnd, listNumber, newestEntry, ordinalOf } from '../entry-position.ts'
import { columns, type EntryRow, openReordering, toValues } from './reordering.ts'
import { openSearchIndex } from './search-index.ts'

/** How many tails are cached while a load runs. More would use memory without being faster. */
const tailsMax = 50_000

/** How many rows one statement appends at most: it seeks the end of the table and of each index once. */
const appendedMax = 32
const valuesPerRow = 8

/** The newest entry of a list. A newer one can be appended. */
interface Tail {
  ordinal: number
  time: bigint
  id: string
  /** How many entries of the list the index covers. */
  readonly covered: number
  /** The index is to cover more entries. */
  isDue: boolean
}

interface StoredEntry {
  readonly position: bigint
  readonly list: bigint
  readonly time: bigint
  readonly id: string
  readonly record: string
}

const typesByCode: (typeof entryTypes)[keyof typeof entryTypes][] = []
for (const list of entryLists) typesByCode[listCodes[list]] = entryTypes[list]

/** Writes the entries of lists. Most arrive in the order of time and are appended at once. */
export function openEntryWriter(
  database: DatabaseSync,
  clock: () => Temporal.Instant,
  counter: LineCounter,
) {
  const { query, command } = prepareOn(database)
  const reordering = openReordering(database)
  const index = openSearchIndex(database)
  database.exec(`create temp table assigned_time (
    list integer not null, id text not null, time integer not null, primary key (list, id)
  ) strict, without rowid`)
  const tails = new Map<number, Tail>()

  const places = `(${Array(valuesPerRow).fill('?')})`
  const appends = new Map<number, Command>()
  const prepareAppend = (rows: number) =>
    command(`insert or ignore into entry (position, ${columns}) values ${Array(rows).fill(places)}`)
  const replace = command(
    'update entry set amount = ?, description = ?, reference = ?, record = ? where position = ?',
  )
  const remove = command('delete from entry where position = ?')
  const removeWaiting = command('delete from waiting where list = ? and id = ?')
  const newest = query<{ ordinal: bigint; time: bigint; id: string }>(newestEntry, {
    bigints: true,
  })
  const stored = query<StoredEntry>(
    'select position, list, time, id, record from entry where list = ? and id = ?',
    { bigints: true },
  )
  const waiting = query<{ list: bigint; time: bigint; record: string }>(
    'select list, time, record from waiting where list = ? and id = ?',
    { bigints: true },
  )
  const removeList = command('delete from entry where position > ? and position < ?')
  const removeWaitingList = command('delete from waiting where list = ?')

  const saveAssigned = command('insert or replace into assigned_time values (?, ?, ?)')
  const saveAssignedOf = (table: 'entry' | 'waiting', condition: string) =>
    command(`insert or replace into assigned_time select list, id, time from ${table}
       where ${condition} and list & 7 = ${listCodes.transaction}
         and record ->> 'postingDateTime' is null and record ->> 'executionDateTime' is null`)
  const saveAssignedOfList = saveAssignedOf('entry', 'position > ? and position < ?')
  const saveAssignedOfWaiting = saveAssignedOf('waiting', 'list = ?')
  const forgetAssigned = command('delete from assigned_time')
  const assigned = query<{ time: bigint }>(
    'select time from assigned_time where list = ? and id = ?',
    { bigints: true },
  )

  /**
   * A load may remove an entry, or give it a time of its own, and then contain it without a time again. The entry keeps
   * its assigned time, so that loading the file twice changes nothing.
   */
  const keepAssignedTime = (
    list: number,
    id: string,
    { time, record }: Pick<StoredEntry, 'time' | 'record'>,
  ) => {
    if (list % 8 === listCodes.transaction && !hasOwnTime(record)) saveAssigned.run(list, id, time)
  }

  const findTail = (list: number): Tail => {
    const known = tails.get(list)
    if (known) return known
    if (tails.size >= tailsMax) {
      flush()
      tails.clear()
    }
    const row = newest.first(entryPosition(list, 0), listEnd(list))
    const ordinal = Number(row?.ordinal ?? 0)
    const covered = index.countCovered(list, ordinal)
    const tail = { ordinal, time: row?.time ?? 0n, id: row?.id ?? '', covered, isDue: false }
    tails.set(list, tail)
    return tail
  }

  /** An entry is appended to the list. */
  const moveTail = (tail: Tail, { list, time, id }: EntryRow): void => {
    tail.ordinal += 1
    tail.time = time
    tail.id = id
    if (tail.isDue || tail.ordinal - tail.covered < chunkEntries) return
    index.markDue(list)
    tail.isDue = true
  }

  const removeStored = ({ position, list, time, id, record }: StoredEntry): void => {
    keepAssignedTime(Number(list), id, { time, record })
    index.markMoved(Number(list), ordinalOf(position) - 1)
    remove.run(position)
    reordering.markForReorder(Number(list), time)
    tails.delete(Number(list))
  }

  /** Entries to append, and their values in the order of the statement. */
  let appended: EntryRow[] = []
  let values: SQLInputValue[] = []

  /** Appends an entry to its list. False if it does not belong at the end. */
  const appendToList = (row: EntryRow): boolean => {
    const tail = findTail(row.list)
    if (!isAfterTail(row, tail)) return false
    moveTail(tail, row)
    values.push(entryPosition(row.list, tail.ordinal), ...toValues(row))
    appended.push(row)
    if (appended.length === appendedMax) flush()
    return true
  }

  /** Writes the appended entries. Called before entries are looked up or changed. */
  const flush = (): void => {
    if (appended.length === 0) return
    const [rows, all] = [appended, values]
    appended = []
    values = []
    const append = appends.getOrInsertComputed(rows.length, prepareAppend)
    if (append.run(...all).changes === rows.length) {
      for (const row of rows) count(row, removeSuperseded(row))
      return
    }
    // Some key exists already, so the entries after it have wrong positions.
    for (let at = 0; at < all.length; at += valuesPerRow) remove.run(all[at] as bigint)
    for (const { list } of rows) tails.delete(list)
    for (const row of rows) {
      if (rows.length > 1 && appendToList(row)) flush()
      else insert(row)
    }
  }

  const count = ({ list }: EntryRow, outcome: LineOutcome): void => {
    const type = typesByCode[list % 8]
    if (type) counter.add(type, outcome)
  }

  /** Removes an earlier version of the entry that waits to be ordered. */
  const removeSuperseded = (row: EntryRow): LineOutcome => {
    if (!reordering.hasWaiting()) return 'created'
    const earlier = waiting.first(row.list, row.id)
    if (!earlier) return 'created'
    keepAssignedTime(row.list, row.id, earlier)
    removeWaiting.run(row.list, row.id)
    return compare(earlier, row)
  }

  /** Replaces the entry with the same key and time, or adds the entry to those to be ordered. */
  const insert = (row: EntryRow): void => {
    flush()
    const existing = stored.first(row.list, row.id)
    const earlier = existing ?? waiting.first(row.list, row.id)
    const outcome = earlier ? compare(earlier, row) : 'created'
    count(row, outcome)
    if (outcome === 'unchanged') return
    if (existing && existing.time === row.time) {
      keepAssignedTime(row.list, row.id, existing)
      replace.run(row.amount, row.description, row.reference, row.record, existing.position)
      const ordinal = ordinalOf(existing.position)
      if (ordinal <= findTail(row.list).covered) index.markChanged(row.list, ordinal)
      return
    }
    if (existing) removeStored(existing)
    else if (earlier) {
      keepAssignedTime(row.list, row.id, earlier)
      reordering.markForReorder(row.list, earlier.time)
    }
    reordering.add(row)
  }

  /** The time that was assigned to an entry without a time when it was first loaded. */
  const findAssignedTime = (list: number, id: string): bigint | undefined => {
    flush()
    const before = waiting.first(list, id) ?? stored.first(list, id)
    if (before && !hasOwnTime(before.record)) return before.time
    return assigned.first(list, id)?.time
  }

  return {
    put(account: number, item: EntryItem): void {
      const list = listNumber(account, item.list)
      const time = item.time ?? findAssignedTime(list, item.id) ?? clock().epochNanoseconds
      const row = {
        list,
        time,
        id: item.id,
        amount: item.amount === undefined ? null : amountKey(item.amount),
        description: item.description ?? null,
        reference: item.reference ?? null,
        record: item.record,
      }

      if (!appendToList(row)) insert(row)
    },

    remove(account: number, list: EntryItem['list'], id: string): LineOutcome {
      flush()
      const number = listNumber(account, list)
      const existing = stored.first(number, id)
      if (existing) {
        removeStored(existing)
        return 'deleted'
      }
      const earlier = waiting.first(number, id)
      if (!earlier) return 'unchanged'
      keepAssignedTime(number, id, earlier)
      removeWaiting.run(number, id)
      return 'deleted'
    },

    /** Removes all entries of a list. */
    removeList(account: number, list: EntryItem['list']): void {
      flush()
      const number = listNumber(account, list)
      saveAssignedOfList.run(entryPosition(number, 0), listEnd(number))
      saveAssignedOfWaiting.run(number)
      index.remove(number)
      removeList.run(entryPosition(number, 0), listEnd(number))
      removeWaitingList.run(number)
      tails.delete(number)
    },

    finish(): void {
      flush()
      reordering.finish(index.markMoved)
      tails.clear()
    },

    writeIndex: index.write,

    discard(): void {
      appended = []
      values = []
      tails.clear()
      reordering.discard()
    },

    forgetAssignedTimes: (): void => void forgetAssigned.run(),
  }
}

/** What an entry does to an earlier one with the same key. */
function compare(before: Pick<StoredEntry, 'time' | 'record'>, row: EntryRow): LineOutcome {
  return before.time === row.time && before.record === row.record ? 'unchanged' : 'changed'
}

function hasOwnTime(record: string): boolean {
  const { postingDateTime, executionDateTime } = JSON.parse(record) as BankingTransaction
  return postingDateTime !== undefined || executionDateTime !== undefined
}

/** Oldest first: by time, then by descending id. */
function isAfterTail(row: EntryRow, tail: Tail): boolean {
  if (tail.ordinal === 0 || row.time > tail.time) return true
  return row.time === tail.time && Buffer.compare(Buffer.from(row.id), Buffer.from(tail.id)) < 0
}
