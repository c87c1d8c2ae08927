import { foldCase } from '../contract/case-folding.ts'
import type { PageRequest } from '../contract/index.ts'
import type { AccountFilters, AccountsQuery, EntriesQuery, TimeWindow } from '../provider/store.ts'
import { amountKey } from './amount-key.ts'
import { clampTime, kindOfList, listCodes } from './enum-codes.ts'
import { amountCode, amountCodeMax, amountCodeMin } from './search-index.ts'

/** The parameters of statements from those of requests. */

/** No id is empty, so this one is never found. */
const unknownId = ''

/** A lone surrogate would be encoded as U+FFFD, and could match another id. No stored text contains U+0000. */
export function toId(id: string): string {
  return id.isWellFormed() && !id.includes('\0') ? id : unknownId
}

/** The customer, the requested accounts without duplicates, and the filters. */
export function requestedAccounts({ customerId, accountIds, filters }: AccountsQuery) {
  return [toId(customerId), [...new Set(accountIds)].map(toId), ...filterValues(filters)] as const
}

export function filterValues({ openStatus, productCategory, isOwned }: AccountFilters) {
  return [
    openStatus === 'ALL' ? null : openStatus === 'OPEN',
    productCategory ?? null,
    isOwned ?? null,
  ] as const
}

/** Offset and limit. */
export function pageValues({ page, pageSize }: PageRequest) {
  return [Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER), pageSize] as const
}

/** The customer, the account, its kind, the list, the time window and the page. */
export function listValues(request: EntriesQuery) {
  const { customerId, accountId, list, window } = request
  return [
    toId(customerId),
    toId(accountId),
    kindOfList(list),
    listCodes[list],
    ...windowValues(window),
    ...pageValues(request),
  ] as const
}

/** Without a window, the whole list. */
export function windowValues(window: TimeWindow | undefined) {
  const { oldest, newest } = window ?? { oldest: -(2n ** 63n), newest: 2n ** 63n }
  return [clampTime(oldest), clampTime(newest)] as const
}

/** The least and the greatest amount, and the text. */
export function searchValues({ minAmount, maxAmount, text }: EntriesQuery) {
  if (minAmount === undefined && maxAmount === undefined && !text) return undefined
  return [
    minAmount === undefined ? null : amountKey(minAmount),
    maxAmount === undefined ? null : amountKey(maxAmount),
    text ? foldCase(text) : null,
  ] as const
}

export type SearchValues = NonNullable<ReturnType<typeof searchValues>>

export function amountCodes([least, greatest]: SearchValues) {
  return [
    least === null ? amountCodeMin : amountCode(least),
    greatest === null ? amountCodeMax : amountCode(greatest),
  ] as const
}
