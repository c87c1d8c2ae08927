import type { ProductRead, ProductState } from '../../../contract/index.ts'
import { namePublicity } from '../../../contract/publicity.ts'
import type { StateLabel } from '../../components/badge.tsx'

/** The state of a product in a word, and whether it is in the public catalogue. */
export function labelState(state: ProductState, gaps: number | undefined): StateLabel {
  if (gaps === undefined || state === 'DRAFT') return states[state]
  if (gaps > 0) return ['warn', namePublicity(gaps)]
  return state === 'PUBLISHED' ? ['good', namePublicity(0)] : states[state]
}

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
