import type { Logger } from 'pino'
import type { ReplayEvents } from '../auth/replay-store.ts'

/** Tokens that are refused for one reason are one line in this time, however many they are. */
const silenceMs = 10 * 60_000

/** Writes what an operator should know of the store of used tokens: once for each occurrence, not for each request. */
export function logReplayEvents(
  log: Pick<Logger, 'warn' | 'error'>,
  monotonicMs: () => number = () => performance.now(),
): ReplayEvents {
  let loggedAt = Number.NEGATIVE_INFINITY
  return {
    onPurgedToken(purgedUntil) {
      if (monotonicMs() - loggedAt < silenceMs) return
      loggedAt = monotonicMs()
      const until = Temporal.Instant.fromEpochMilliseconds(purgedUntil * 1000).toString()
      log.error(
        { until },
        'tokens that expire before this time are refused: the records of used tokens were purged up to it by a clock that was ahead. Correct the clocks. It ends by itself at that time; the deployment guide says how to end it sooner',
      )
    },
    onClockStep(seconds) {
      log.warn(
        { seconds },
        'the clock was set ahead: records of used tokens are not purged until it has stayed ahead for 10 minutes',
      )
    },
  }
}
