/** The time in milliseconds, which keeps timestamps in responses short. Calls in the same millisecond share one instant. */
export const clock = (): Temporal.Instant => {
  const milliseconds = Date.now()
  if (milliseconds !== lastInstant.milliseconds) {
    lastInstant = { milliseconds, instant: Temporal.Instant.fromEpochMilliseconds(milliseconds) }
  }
  return lastInstant.instant
}
let lastInstant = { milliseconds: 0, instant: Temporal.Instant.fromEpochMilliseconds(0) }
