import type { ArrangementQuery } from '../consent/store.ts'

/** Which of the lists of arrangements a query reads. */
export function selectList(
  customerId: string | undefined,
  thirdPartyId: string | undefined,
): 'all' | 'customer' | 'thirdParty' | 'both' {
  if (customerId === undefined) return thirdPartyId === undefined ? 'all' : 'thirdParty'
  return thirdPartyId === undefined ? 'customer' : 'both'
}

/** A page begins behind this position. No id is empty. */
export function startOfPage({
  updatedAfter,
  after,
}: Pick<ArrangementQuery, 'updatedAfter' | 'after'>): {
  readonly updated: number
  readonly id: string
} {
  if (after) return { updated: after.updated.epochMilliseconds, id: after.id }
  return { updated: updatedAfter ? updatedAfter.epochMilliseconds + 1 : 0, id: '' }
}
