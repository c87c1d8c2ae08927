export interface TokenBuckets {
  /** Seconds until there is something to spend; 0 where there is. */
  retryAfter(name: string): number
  take(name: string): void
  /** Refunds what was spent for nothing. */
  refund(name: string): void
}

/**
 * A token bucket for each name: `most` at once, then one more every `refillSeconds`. Of more than `namesMax` names, those
 * that spent least recently are evicted.
 */
export function openTokenBuckets(
  most: number,
  refillSeconds: number,
  namesMax: number,
  now: () => number = () => performance.now() / 1000,
): TokenBuckets {
  const budgets = new Map<string, { readonly left: number; readonly at: number }>()
  const left = (name: string): number => {
    const budget = budgets.get(name)
    if (!budget) return most
    return Math.min(most, budget.left + (now() - budget.at) / refillSeconds)
  }
  const change = (name: string, by: number): void => {
    const rest = Math.min(most, left(name) + by)
    budgets.delete(name)
    budgets.set(name, { left: rest, at: now() })
    const [oldest] = budgets.keys()
    if (budgets.size > namesMax && oldest !== undefined) budgets.delete(oldest)
  }
  return {
    retryAfter: (name) => Math.max(0, 1 - left(name)) * refillSeconds,
    take: (name) => change(name, -1),
    refund: (name) => change(name, 1),
  }
}
