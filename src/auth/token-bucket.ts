/**
 * Token bucket per key; the least recently used keys are evicted. Each bucket has `capacity` tokens and gains one every
 * `refillSeconds`.
 */
export function openTokenBuckets(
  capacity: number,
  refillSeconds: number,
  keysMax: number,
  now: () => number = () => performance.now() / 1000,
) {
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>()
  const available = (key: string): number => {
    const bucket = buckets.get(key)
    if (!bucket) return capacity
    return Math.min(capacity, bucket.tokens + (now() - bucket.at) / refillSeconds)
  }
  const add = (key: string, count: number): void => {
    const tokens = Math.min(capacity, available(key) + count)
    buckets.delete(key)
    buckets.set(key, { tokens, at: now() })
    const [oldest] = buckets.keys()
    if (buckets.size > keysMax && oldest !== undefined) buckets.delete(oldest)
  }
  return {
    /** Seconds until a token is available; 0 if one is. */
    retryAfter: (key: string): number => Math.max(0, 1 - available(key)) * refillSeconds,
    take: (key: string): void => add(key, -1),
    /** Returns a token that was taken. */
    refund: (key: string): void => add(key, 1),
  }
}
