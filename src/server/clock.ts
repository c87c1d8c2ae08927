/** The time in milliseconds, which keeps timestamps in responses short. Calls in the same turn of the event loop share one instant. */
export const clock = (): Temporal.Instant => {
  if (!current) {
    current = Temporal.Instant.fromEpochMilliseconds(Date.now())
    setImmediate(() => {
      current = undefined
    })
  }
  return current
}
let current: Temporal.Instant | undefined
