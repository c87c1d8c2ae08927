import { epochNanoseconds } from '../date-time.ts'
import type { Product } from '../records/product.ts'

/** The filter `effective` of Get Products. */
export const effectiveFilters = ['CURRENT', 'FUTURE', 'ALL'] as const
export type EffectiveFilter = (typeof effectiveFilters)[number]

/** A product is effective from `effective_from` until just before `effective_to`. A bound that is absent does not restrict. */
export function isEffective(
  { effective_from, effective_to }: Pick<Product, 'effective_from' | 'effective_to'>,
  filter: EffectiveFilter,
  now: Temporal.Instant,
): boolean {
  if (filter === 'ALL') return true
  const isFuture = effective_from !== undefined && isAfter(effective_from, now)
  if (filter === 'FUTURE') return isFuture
  return !isFuture && (effective_to === undefined || isAfter(effective_to, now))
}

function isAfter(time: string, now: Temporal.Instant): boolean {
  return epochNanoseconds(time) > now.epochNanoseconds
}
