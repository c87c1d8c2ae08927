import type { EntryList } from '../../provider/store.ts'
import { listCodes, listsMax } from '../enum-codes.ts'
import { blockEntries } from '../search-index.ts'

const ordinalBits = 32n

/** The largest ordinal, also the mask for the lower half of a position. */
export const ordinalMax = 2 ** 32 - 1

/** SQL for the ordinal of a position. */
export const ordinalOfPosition = `position & ${ordinalMax}`

export function listNumber(account: number, list: EntryList): number {
  return account * listsMax + listCodes[list]
}

/** SQL for the number of a list of the account `a`, by an expression for the code of the list. */
export function listOfAccount(code: string | number): string {
  return `a.number * ${listsMax} + ${code}`
}

/** SQL for the oldest entry of a list from a time on, and for the newest until a time. All arguments are expressions. */
export function selectOldest(column: string, list: string, from: string): string {
  return `select ${column} from entry where list = ${list} and time >= ${from}
    order by time, position limit 1`
}

export function selectNewest(column: string, list: string, until: string): string {
  return `select ${column} from entry where list = ${list} and time <= ${until}
    order by time desc, position desc limit 1`
}

/** The key of an entry: lists one after another, each from ordinal 1. */
export function entryPosition(list: number, ordinal: number): bigint {
  return (BigInt(list) << ordinalBits) + BigInt(ordinal)
}

export function ordinalOf(position: bigint): number {
  return Number(BigInt.asUintN(Number(ordinalBits), position))
}

export function listOf(position: bigint): number {
  return Number(position >> ordinalBits)
}

export function listEnd(list: number): bigint {
  return entryPosition(list + 1, 0)
}

/** SQL for the newest entry of a list, between the positions before its first entry and after its last one. */
export const newestEntry = `select ${ordinalOfPosition} as ordinal, time, id from entry
  where position > ? and position < ? order by position desc limit 1`

/** SQL for how many entries of a list, from the oldest, its index covers. The positions are those of its blocks. */
export const coveredEntries = `
  select (${ordinalOfPosition}) * ${blockEntries} + length(amounts) / ${Int32Array.BYTES_PER_ELEMENT} as covered
  from entry_amounts where position >= ? and position < ? order by position desc limit 1`
