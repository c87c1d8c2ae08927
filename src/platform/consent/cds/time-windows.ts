import type { Query } from '../../cds/query.ts'

/** The window of transactions without a lower bound. The standards set it; that of the interface is longer. */
const historyHoursDefault = 90 * 24

/** Fixed bounds, so that the clock does not shift a walk over the pages. */
export function resolveHistory(query: Query, now: Temporal.Instant): Query {
  const newest = (query['newest-time'] as string | undefined) ?? now.toString()
  const oldest =
    (query['oldest-time'] as string | undefined) ??
    Temporal.Instant.from(newest).subtract({ hours: historyHoursDefault }).toString()
  return { ...query, 'oldest-time': oldest, 'newest-time': newest }
}
