/** How many callers are remembered; those who were wrong longest ago are forgotten first. */
const callersMax = 10_000

export interface Attempts {
  isExhausted(caller: string): boolean
  /** What is right costs nothing; only this does. */
  countWrong(caller: string): void
}

/** Lets each caller be wrong so often at once, and then once more in so many seconds. */
export function openAttempts(
  wrongMax: number,
  refillSeconds: number,
  now: () => number = () => performance.now() / 1000,
): Attempts {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>()
  const left = (caller: string): number => {
    const bucket = buckets.get(caller)
    if (!bucket) return wrongMax
    return Math.min(wrongMax, bucket.left + (now() - bucket.at) / refillSeconds)
  }
  return {
    isExhausted: (caller) => left(caller) < 1,
    countWrong(caller) {
      const rest = left(caller) - 1
      buckets.delete(caller)
      buckets.set(caller, { left: rest, at: now() })
      const [oldest] = buckets.keys()
      if (buckets.size > callersMax && oldest !== undefined) buckets.delete(oldest)
    },
  }
}
