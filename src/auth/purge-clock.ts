import { clockSkewSeconds } from './replay-store.ts'

/** How long the wall clock must stay ahead before records are purged by it. */
const settleMsDefault = 10 * 60_000

export interface PurgeClockOptions {
  /** A monotonic clock, in milliseconds. */
  readonly monotonicMs?: (() => number) | undefined
  readonly settleMs?: number | undefined
  readonly onClockStep?: ((seconds: number) => void) | undefined
}

/**
 * Returns a function for the time before which replay records may be purged, in seconds since 1970; 0 purges none. A wall
 * clock that is ahead for a short time would purge records of tokens that are valid again once the clock is corrected. So
 * an advance of the wall clock over the monotonic clock counts only after the settling time, also after a start.
 */
export function openPurgeClock(
  clock: () => Temporal.Instant,
  options: PurgeClockOptions,
): () => number {
  const { monotonicMs = () => performance.now(), settleMs = settleMsDefault, onClockStep } = options
  /** The settled offset of the wall clock from the monotonic clock. */
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
