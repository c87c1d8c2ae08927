import type { AccountKind, EntryList } from '../provider/store.ts'

export const kindCodes = { banking: 1, energy: 2 } as const satisfies Record<AccountKind, number>

/** Below 8, so that an account's number and a list's code make one number. */
export const listCodes = {
  transaction: 1,
  payment: 2,
  debit: 3,
  invoice: 4,
  billing: 5,
} as const satisfies Record<EntryList, number>

const integerMin = -(2n ** 63n)
const integerMax = 2n ** 63n - 1n

/** Whether a time is after every time that a database can hold. */
export function isBeyondAll(time: bigint): boolean {
  return time > integerMax
}

/** A time bound as a database can hold it; no entry lies beyond. */
export function clampTime(time: bigint): bigint {
  if (time < integerMin) return integerMin
  return time > integerMax ? integerMax : time
}

/** The creation of an account that does not say: after all others. */
export const createdUnknown = integerMax
