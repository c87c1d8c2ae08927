import type { DatabaseSync } from 'node:sqlite'
import type { BankingTransaction } from '../../contract/index.ts'
import type { EntryItem } from '../../provider/writer.ts'
import { amountKey } from '../amount-key.ts'
import { listCodes } from '../codes.ts'
import { listEnd, listNumber, ordinalOfPosition, positionOf } from './keys.ts'
import { type EntryRow, openOrder } from './order.ts'
import { command, query } from './statements.ts'

/** How many lists are remembered while a load runs; more would not be faster, only larger. */
const tailsMax = 50_000

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
  const order = openOrder(database)
  database.exec(`create temp table given (
    list integer not null, id text not null, time integer not null, primary key (list, id)
  ) strict, without rowid`)
  const tails = new Map<number, Tail>()

  const appendRow = command(
    database,
    `insert or ignore into entry
       (position, list, time, id, amount, description, reference, record) values (?,?,?,?,?,?,?,?)`,
  )
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
    if (tails.size >= tailsMax) tails.clear()
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

  /** Puts an entry at the end of its list, if that is its place and its key is new there. */
  const append = (row: EntryRow): boolean => {
    const tail = tailOf(row.list)
    if (!isBehind(row, tail)) return false
    const { list, time, id, amount, description, reference, record } = row
    const position = positionOf(list, tail.ordinal + 1)
    const { changes } = appendRow.run(
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
    // An earlier version of it may wait: this one is the last word.
    if (order.isAnyWaiting()) {
      const early = waiting.first(list, id)
      if (early) noteGiven(list, id, early)
      removeWaiting.run(list, id)
    }
    Object.assign(tail, { ordinal: tail.ordinal + 1, time, id })
    return true
  }

  /** Takes the place of an entry with the same key, or waits for its own. */
  const insert = (row: EntryRow): void => {
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
    const old = kept.first(list, id)
    if (old) drop(old)
    const early = waiting.first(list, id)
    if (early) noteGiven(list, id, early)
    removeWaiting.run(list, id)
  }

  /** A scheduled payment has one id over all accounts: it may move from one to another. */
  const removePayment = (id: string, except?: number): void => {
    const old = payment.first(id)
    if (old && Number(old.list) !== except) drop(old)
    const early = waitingPayment.first(id)
    if (early && Number(early.list) !== except) removeWaiting.run(early.list, id)
  }

  /** The time that an entry without one of its own was given when it first came. */
  const timeGivenBefore = (list: number, id: string): bigint | undefined => {
    const before = waiting.first(list, id) ?? kept.first(list, id)
    if (before && !hasOwnTime(before.record)) return before.time
    return given.first(list, id)?.time
  }

  return {
    put(account: number, item: EntryItem): void {
      const list = listNumber(account, item.list)
      if (item.list === 'payment') removePayment(item.id, list)
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

      if (!append(row)) insert(row)
    },

    remove(account: number, list: EntryItem['list'], id: string): void {
      removeEntry(listNumber(account, list), id)
    },

    removePayment,

    /** All that a list holds. */
    removeList(account: number, list: EntryItem['list']): void {
      const number = listNumber(account, list)
      rememberList.run(positionOf(number, 0), listEnd(number))
      rememberWaiting.run(number)
      removeList.run(positionOf(number, 0), listEnd(number))
      removeWaitingList.run(number)
      tails.delete(number)
    },

    settle(): void {
      order.settle()
      tails.clear()
    },

    forget(): void {
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
