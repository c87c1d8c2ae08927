import type { EntryList } from '../../provider/store.ts'
import { listCodes } from '../enum-codes.ts'

const ordinalBits = 32n

/** The largest ordinal, which is also the mask of a position's lower half. */
export const ordinalMax = 2 ** 32 - 1

/** Written into statements: the ordinal that a position ends in. */
export const ordinalOfPosition = `position & ${ordinalMax}`

export function listNumber(account: number, list: EntryList): number {
  return account * 8 + listCodes[list]
}

/** Where an entry stands: lists one after another, each from ordinal 1. */
export function positionOf(list: number, ordinal: number): bigint {
  return (BigInt(list) << ordinalBits) + BigInt(ordinal)
}

export function listEnd(list: number): bigint {
  return positionOf(list + 1, 0)
}
