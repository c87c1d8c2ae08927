import type { ProductRead, ProductState } from '../../../contract/index.ts'
import type { StateLabel } from '../../components/badge.tsx'

export const states: Readonly<Record<ProductState, StateLabel>> = {
  PUBLISHED: ['good', 'Published'],
  SCHEDULED: ['neutral', 'Scheduled'],
  RETIRED: ['neutral', 'Retired'],
  DRAFT: ['warn', 'Draft'],
}

/** The state of a product that exists, as the server determines it for a list. */
export function findState(
  { effective_from, effective_to }: Pick<ProductRead, 'effective_from' | 'effective_to'>,
  now: number,
): Exclude<ProductState, 'DRAFT'> {
  if (effective_from !== undefined && Date.parse(effective_from) > now) return 'SCHEDULED'
  return effective_to !== undefined && Date.parse(effective_to) <= now ? 'RETIRED' : 'PUBLISHED'
}
