import { CommandError } from '../../server/terminal.ts'

/** Of a flag. A day begins in the time zone. */
export function parseTime(
  flag: string,
  text: string | undefined,
  timeZone: string,
): Temporal.Instant | undefined {
  if (text === undefined) return undefined
  try {
    return /^\d{4}-\d\d-\d\d$/.test(text)
      ? Temporal.PlainDate.from(text).toZonedDateTime(timeZone).toInstant()
      : Temporal.Instant.from(text)
  } catch {
    throw new CommandError(2, `${flag} must be a day such as 2026-07-01, or a time with its zone`)
  }
}
