/** How far a clock may be off before it was set. */
const stepMs = 60_000

const settleMs = 10 * 60_000

/**
 * Returns a clock that follows another one, but a step of more than a minute only if it has lasted for ten minutes. In
 * these, it continues by the monotonic clock.
 */
export function openSteadyClock(
  clock: () => Temporal.Instant,
  monotonicMs: () => number = () => performance.now(),
): () => Temporal.Instant {
  /** Of the followed clock from the monotonic clock. */
  let offset = clock().epochMilliseconds - monotonicMs()
  let step: { readonly since: number; readonly offset: number } | undefined
  return () => {
    const time = clock()
    const now = monotonicMs()
    const found = time.epochMilliseconds - now
    const isNear = (other: number) => Math.abs(found - other) < stepMs
    if (!isNear(offset)) {
      if (!step || !isNear(step.offset)) step = { since: now, offset: found }
      if (now - step.since < settleMs) {
        return Temporal.Instant.fromEpochMilliseconds(Math.round(now + offset))
      }
    }
    offset = found
    step = undefined
    return time
  }
}
