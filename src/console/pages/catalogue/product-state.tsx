import type { ProductRead, ProductState } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'

const states = {
  PUBLISHED: ['good', 'Published'],
  SCHEDULED: ['neutral', 'Scheduled'],
  RETIRED: ['neutral', 'Retired'],
  DRAFT: ['warn', 'Draft'],
} as const satisfies Record<ProductState, readonly [string, string]>

export const stateLabels = Object.entries(states).map(([state, [, label]]) => ({ state, label }))

export function StateBadge({ state }: { readonly state: ProductState }) {
  const [kind, label] = states[state]
  return <Badge kind={kind}>{label}</Badge>
}

/** The state of a product that exists, as the server determines it for a list. */
export function findState(
  { effective_from, effective_to }: Pick<ProductRead, 'effective_from' | 'effective_to'>,
  now: number,
): Exclude<ProductState, 'DRAFT'> {
  if (effective_from !== undefined && Date.parse(effective_from) > now) return 'SCHEDULED'
  return effective_to !== undefined && Date.parse(effective_to) <= now ? 'RETIRED' : 'PUBLISHED'
}
