import type { AccountKind } from '../contract/index.ts'
import type { RestrictionTarget } from '../intake/writer.ts'
import { accountKindByList, type EntryList } from '../provider/store.ts'

export const kindCodes = { banking: 1, energy: 2 } as const satisfies Record<AccountKind, number>

export function kindName(code: number): AccountKind {
  return code === kindCodes.banking ? 'banking' : 'energy'
}

/** The kind of account that has a list. */
export function kindOfList(list: EntryList): number {
  return kindCodes[accountKindByList[list]]
}

export const targetCodes = { account: 1, customer: 2 } as const satisfies Record<
  RestrictionTarget,
  number
>

/** Codes of lists are smaller. */
export const listsMax = 8

/** Below `listsMax`, so that an account's number and a list's code fit in one number. */
export const listCodes = {
  transaction: 1,
  payment: 2,
  debit: 3,
  invoice: 4,
  billing: 5,
} as const satisfies Record<EntryList, number>

/** The range of integers, and of times, that a database can store. */
export const integerMin = -(2n ** 63n)
export const integerMax = 2n ** 63n - 1n

export function clampTime(time: bigint): bigint {
  if (time < integerMin) return integerMin
  return time > integerMax ? integerMax : time
}

/** The creation time of an account without one, and the end of a restriction without one: after all others. */
export const latestTime = integerMax
