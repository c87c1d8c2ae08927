import { readTime } from '../../disclosures/read-time.ts'
import { CommandError } from '../../server/terminal.ts'

/** Of a flag. A day begins in the time zone. */
export function parseTime(
  flag: string,
  text: string | undefined,
  timeZone: string,
): Temporal.Instant | undefined {
  const time = text === undefined ? undefined : readTime(text, timeZone)
  if (time || text === undefined) return time
  throw new CommandError(2, `${flag} must be a day such as 2026-07-01, or a time with its zone`)
}
