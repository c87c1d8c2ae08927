import type { ArrangementQuery } from '../platform/consent/store.ts'

export interface ListFilter {
  readonly column: 'customer' | 'third_party' | 'status'
  readonly value: string
  /** Whether an index finds the rows. A customer has few, so only one column is looked up for a customer. */
  readonly isIndexed: boolean
}

/** The filters of a query. Each combination is a statement of its own, since each uses an index of its own. */
export function listFilters({
  customerId,
  thirdPartyId,
  status,
}: Pick<ArrangementQuery, 'customerId' | 'thirdPartyId' | 'status'>): ListFilter[] {
  const given = { customer: customerId, third_party: thirdPartyId, status } as const
  return (['customer', 'third_party', 'status'] as const).flatMap((column) => {
    const value = given[column]
    const isIndexed = column === 'customer' || customerId === undefined
    return value === undefined ? [] : [{ column, value, isIndexed }]
  })
}

interface Position {
  readonly updated: number
  readonly id: string
}

/** A page is between these positions, exclusive. No id is empty. */
export function boundPage({
  updatedAfter,
  after,
  isNewestFirst = false,
}: Pick<ArrangementQuery, 'updatedAfter' | 'after' | 'isNewestFirst'>): {
  readonly start: Position
  readonly end: Position
} {
  const start = { updated: updatedAfter ? updatedAfter.epochMilliseconds + 1 : 0, id: '' }
  const end = { updated: Number.MAX_SAFE_INTEGER, id: '' }
  const position = after && { updated: after.updated.epochMilliseconds, id: after.id }
  return isNewestFirst ? { start, end: position ?? end } : { start: position ?? start, end }
}
