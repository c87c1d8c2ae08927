import { clockSkewSeconds } from '../auth/replay-store.ts'

/** How long a clock that was set ahead must stay ahead before records are purged by it. */
const settleMsDefault = 10 * 60_000

export interface PurgeClockOptions {
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonicMs?: (() => number) | undefined
  readonly settleMs?: number | undefined
  readonly onClockStep?: ((seconds: number) => void) | undefined
}

/**
 * Tells before which time replay records may be purged, in seconds since 1970; 0 purges none. A clock that is ahead
 * for a short while would purge records of tokens that are accepted again once the clock is right. So a wall clock
 * counts only as far as it stayed ahead of the monotonic clock for the settling time, also after a start.
 */
export function openPurgeClock(
  clock: () => Temporal.Instant,
  options: PurgeClockOptions,
): () => number {
  const { monotonicMs = () => performance.now(), settleMs = settleMsDefault, onClockStep } = options
  /** How far the wall clock is ahead of the monotonic clock, as far as it has settled. */
  let settled = Number.NEGATIVE_INFINITY
  let ahead: { readonly since: number; least: number; isReported: boolean } | undefined

  const observe = (now: number, offset: number): void => {
    if (offset <= settled) {
      settled = offset
      ahead = undefined
      return
    }
    ahead ??= { since: now, least: offset, isReported: false }
    ahead.least = Math.min(ahead.least, offset)
    const stepSeconds = Math.round((offset - settled) / 1000)
    if (stepSeconds > clockSkewSeconds && Number.isFinite(settled) && !ahead.isReported) {
      ahead.isReported = true
      onClockStep?.(stepSeconds)
    }
    if (now - ahead.since < settleMs) return
    settled = ahead.least
    ahead = undefined
  }

  return () => {
    const now = monotonicMs()
    observe(now, clock().epochMilliseconds - now)
    return Math.max(0, Math.floor((now + settled) / 1000) - clockSkewSeconds)
  }
}
