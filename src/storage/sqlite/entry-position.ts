import type { EntryList } from '../../provider/store.ts'
import { listCodes } from '../enum-codes.ts'

const ordinalBits = 32n

/** The largest ordinal, also the mask for the lower half of a position. */
export const ordinalMax = 2 ** 32 - 1

/** SQL for the ordinal of a position. */
export const ordinalOfPosition = `position & ${ordinalMax}`

export function listNumber(account: number, list: EntryList): number {
  return account * 8 + listCodes[list]
}

/** The key of an entry: lists one after another, each from ordinal 1. */
export function entryPosition(list: number, ordinal: number): bigint {
  return (BigInt(list) << ordinalBits) + BigInt(ordinal)
}

export function listEnd(list: number): bigint {
  return entryPosition(list + 1, 0)
}
