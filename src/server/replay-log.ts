import type { Logger } from 'pino'
import type { ReplayEvents } from '../auth/replay-store.ts'

/** The minimum time between two lines about purged tokens. */
const logIntervalMs = 10 * 60_000

/** Logs conditions of the replay store that an operator should know of, once per occurrence instead of once per request. */
export function logReplayEvents(
  log: Pick<Logger, 'warn' | 'error'>,
  monotonicMs: () => number = () => performance.now(),
): ReplayEvents {
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    onPurgedToken(purgedUntil) {
      if (monotonicMs() - loggedAt < logIntervalMs) return
      loggedAt = monotonicMs()
      const until = Temporal.Instant.fromEpochMilliseconds(purgedUntil * 1000).toString()
      log.error(
        { until },
        'tokens that expire before this time are rejected: a clock that was ahead caused the replay records up to it to be purged. Correct the clocks. The condition ends at that time; the deployment guide explains how to end it earlier',
      )
    },
    onClockStep(seconds) {
      log.warn(
        { seconds },
        'the clock was set ahead: replay records are not purged until it has stayed ahead for 10 minutes',
      )
    },
  }
}
