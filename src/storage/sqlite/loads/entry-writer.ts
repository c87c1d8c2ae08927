import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { BankingTransaction } from '../../../contract/index.ts'
import type { EntryItem } from '../../../load/writer.ts'
import { amountKey } from '../../amount-key.ts'
import { listCodes } from '../../enum-codes.ts'
import { command, query } from '../driver/statements.ts'
import { listEnd, listNumber, ordinalOfPosition, positionOf } from '../entry-position.ts'
import { type EntryRow, openReordering } from './reordering.ts'

/** How many lists are remembered while a load runs; more would not be faster, only larger. */
const tailsMax = 50_000

/** How many rows one statement appends: it finds the end of the table and of each index once for all of them. */
const appendedMax = 32
const valuesPerRow = 8

/** The newest entry of a list: what comes after it can be put right behind. */
interface Tail {
  ordinal: number
  time: bigint
  id: string
}

interface Kept {
  readonly position: bigint
  readonly list: bigint
  readonly time: bigint
  readonly id: string
  readonly record: string
}

/** Writes the entries of lists. Most come in the order of time and go to the end of theirs at once. */
export function openEntryWriter(database: DatabaseSync, loadTime: bigint) {
  const order = openReordering(database)
  database.exec(`create temp table given (
    list integer not null, id text not null, time integer not null, primary key (list, id)
  ) strict, without rowid`)
  const tails = new Map<number, Tail>()

  const appendRows = (count: number) =>
    command(
      database,
      `insert or ignore into entry
         (position, list, time, id, amount, description, reference, record)
       values ${Array(count)
         .fill(`(${Array(valuesPerRow).fill('?').join()})`)
         .join()}`,
    )
  const appendOne = appendRows(1)
  const appendMany = appendRows(appendedMax)
  const replace = command(
    database,
    'update entry set amount = ?, description = ?, reference = ?, record = ? where position = ?',
  )
  const remove = command(database, 'delete from entry where position = ?')
  const removeWaiting = command(database, 'delete from waiting where list = ? and id = ?')
  const newest = query<{ ordinal: bigint; time: bigint; id: string }>(
    database,
    `select ${ordinalOfPosition} as ordinal, time, id from entry
     where position > ? and position < ? order by position desc limit 1`,
    { bigints: true },
  )
  const kept = query<Kept>(
    database,
    'select position, list, time, id, record from entry where list = ? and id = ?',
    { bigints: true },
  )
  const waiting = query<{ list: bigint; time: bigint; record: string }>(
    database,
    'select list, time, record from waiting where list = ? and id = ?',
    { bigints: true },
  )
  const payment = query<Kept>(
    database,
    `select position, list, time, id, record from entry where id = ? and list & 7 = ${listCodes.payment}`,
    { bigints: true },
  )
  const waitingPayment = query<{ list: bigint }>(
    database,
    `select list from waiting where id = ? and list & 7 = ${listCodes.payment}`,
    { bigints: true },
  )
  const removeList = command(database, 'delete from entry where position > ? and position < ?')
  const removeWaitingList = command(database, 'delete from waiting where list = ?')

  const remember = command(database, 'insert or replace into given values (?, ?, ?)')
  const rememberList = command(
    database,
    `insert or replace into given select list, id, time from entry
     where position > ? and position < ? and list & 7 = ${listCodes.transaction}
       and record ->> 'postingDateTime' is null and record ->> 'executionDateTime' is null`,
  )
  const rememberWaiting = command(
    database,
    `insert or replace into given select list, id, time from waiting
     where list = ? and list & 7 = ${listCodes.transaction}
       and record ->> 'postingDateTime' is null and record ->> 'executionDateTime' is null`,
  )
  const given = query<{ time: bigint }>(
    database,
    'select time from given where list = ? and id = ?',
    { bigints: true },
  )

  /**
   * A load may take an entry away, or give it a time of its own, and then bring it without one again: it
   * keeps the time that it was given before, so that loading the file twice changes nothing.
   */
  const noteGiven = (list: number, id: string, { time, record }: Pick<Kept, 'time' | 'record'>) => {
    if (list % 8 === listCodes.transaction && !hasOwnTime(record)) remember.run(list, id, time)
  }

  const tailOf = (list: number): Tail => {
    const known = tails.get(list)
    if (known) return known
    if (tails.size >= tailsMax) {
      flush()
      tails.clear()
    }
    const row = newest.first(positionOf(list, 0), listEnd(list))
    const tail = row
      ? { ordinal: Number(row.ordinal), time: row.time, id: row.id }
      : { ordinal: 0, time: 0n, id: '' }
    tails.set(list, tail)
    return tail
  }

  const drop = ({ position, list, time, id, record }: Kept): void => {
    noteGiven(Number(list), id, { time, record })
    remove.run(position)
    order.disturb(Number(list), time)
    tails.delete(Number(list))
  }

  /** Entries for the ends of their lists, and their values in the order of the statement. */
  let appended: EntryRow[] = []
  let values: SQLInputValue[] = []

  /** Puts an entry at the end of its list, if that is its place. */
  const append = (row: EntryRow): boolean => {
    const tail = tailOf(row.list)
    if (!isBehind(row, tail)) return false
    const { list, time, id, amount, description, reference, record } = row
    const ordinal = tail.ordinal + 1
    values.push(positionOf(list, ordinal), list, time, id, amount, description, reference, record)
    appended.push(row)
    tail.ordinal = ordinal
    tail.time = time
    tail.id = id
    if (appended.length === appendedMax) flush()
    return true
  }

  /** Writes what was appended. Whoever looks up or changes entries does this first. */
  const flush = (): void => {
    if (appended.length === 0) return
    const [rows, all] = [appended, values]
    appended = []
    values = []
    if (rows.length === appendedMax) {
      if (appendMany.run(...all).changes === rows.length) {
        for (const row of rows) overruleWaiting(row)
        return
      }
      // Some key is not new: what came behind it has a wrong place.
      for (let at = 0; at < all.length; at += valuesPerRow) remove.run(all[at] as bigint)
    }
    for (const { list } of rows) tails.delete(list)
    for (const row of rows) if (!appendNow(row)) insert(row)
  }

  /** The same for one entry, if its key is new there. */
  const appendNow = (row: EntryRow): boolean => {
    const tail = tailOf(row.list)
    if (!isBehind(row, tail)) return false
    const { list, time, id, amount, description, reference, record } = row
    const position = positionOf(list, tail.ordinal + 1)
    const { changes } = appendOne.run(
      position,
      list,
      time,
      id,
      amount,
      description,
      reference,
      record,
    )
    if (changes === 0) return false
    overruleWaiting(row)
    Object.assign(tail, { ordinal: tail.ordinal + 1, time, id })
    return true
  }

  /** An earlier version of an entry may wait: this one is the last word. */
  const overruleWaiting = ({ list, id }: EntryRow): void => {
    if (!order.isAnyWaiting()) return
    const early = waiting.first(list, id)
    if (early) noteGiven(list, id, early)
    removeWaiting.run(list, id)
  }

  /** Takes the place of an entry with the same key, or waits for its own. */
  const insert = (row: EntryRow): void => {
    flush()
    const old = kept.first(row.list, row.id)
    if (old && old.time === row.time) {
      if (old.record === row.record) return
      noteGiven(row.list, row.id, old)
      replace.run(row.amount, row.description, row.reference, row.record, old.position)
      return
    }
    if (old) drop(old)
    const early = waiting.first(row.list, row.id)
    if (early) {
      noteGiven(row.list, row.id, early)
      order.disturb(row.list, early.time)
    }
    order.wait(row)
  }

  const removeEntry = (list: number, id: string): void => {
    flush()
    const old = kept.first(list, id)
    if (old) drop(old)
    const early = waiting.first(list, id)
    if (early) noteGiven(list, id, early)
    removeWaiting.run(list, id)
  }

  /** A scheduled payment has one id over all accounts: it may move from one to another. */
  const removePayment = (id: string, except?: number): void => {
    flush()
    const old = payment.first(id)
    if (old && Number(old.list) !== except) drop(old)
    const early = waitingPayment.first(id)
    if (early && Number(early.list) !== except) removeWaiting.run(early.list, id)
  }

  /** The time that an entry without one of its own was given when it first came. */
  const timeGivenBefore = (list: number, id: string): bigint | undefined => {
    flush()
    const before = waiting.first(list, id) ?? kept.first(list, id)
    if (before && !hasOwnTime(before.record)) return before.time
    return given.first(list, id)?.time
  }

  return {
    put(account: number, item: EntryItem): void {
      const list = listNumber(account, item.list)
      const isPayment = item.list === 'payment'
      if (isPayment) removePayment(item.id, list)
      const time = item.time ?? timeGivenBefore(list, item.id) ?? loadTime
      const row = {
        list,
        time,
        id: item.id,
        amount: item.amount === undefined ? null : amountKey(item.amount),
        description: item.description ?? null,
        reference: item.reference ?? null,
        record: item.record,
      }

      if (!(isPayment ? appendNow(row) : append(row))) insert(row)
    },

    remove(account: number, list: EntryItem['list'], id: string): void {
      removeEntry(listNumber(account, list), id)
    },

    removePayment,

    /** All that a list holds. */
    removeList(account: number, list: EntryItem['list']): void {
      flush()
      const number = listNumber(account, list)
      rememberList.run(positionOf(number, 0), listEnd(number))
      rememberWaiting.run(number)
      removeList.run(positionOf(number, 0), listEnd(number))
      removeWaitingList.run(number)
      tails.delete(number)
    },

    settle(): void {
      flush()
      order.settle()
      tails.clear()
    },

    forget(): void {
      appended = []
      values = []
      tails.clear()
    },
  }
}

function hasOwnTime(record: string): boolean {
  const { postingDateTime, executionDateTime } = JSON.parse(record) as BankingTransaction
  return postingDateTime !== undefined || executionDateTime !== undefined
}

/** From the oldest: by time, and at the same time from the last id to the first. */
function isBehind(row: EntryRow, tail: Tail): boolean {
  if (tail.ordinal === 0 || row.time > tail.time) return true
  return row.time === tail.time && Buffer.compare(Buffer.from(row.id), Buffer.from(tail.id)) < 0
}
