/** A time, or the start of a day in the time zone. Undefined if the text is neither. */
export function readTime(text: string, timeZone: string): Temporal.Instant | undefined {
  try {
    return /^\d{4}-\d\d-\d\d$/.test(text)
      ? Temporal.PlainDate.from(text).toZonedDateTime(timeZone).toInstant()
      : Temporal.Instant.from(text)
  } catch {
    return undefined
  }
}
