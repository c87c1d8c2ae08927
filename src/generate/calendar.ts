/** Days are whole numbers counted from 1970-01-01, as a calendar in Sydney shows them. */

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How a system writes its times: with the offset of Sydney, or in UTC. */
export type Zone = 'local' | 'utc'

export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** 0 is Sunday, before 1970 as well. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

/** The day itself, or Monday where banks rest. */
export function businessDay(day: number): number {
  const weekday = weekdayOf(day)
  if (weekday === 6) return day + 2
  return weekday === 0 ? day + 1 : day
}

/** Months are counted from January 1970. */
export function monthOf(day: number): number {
  const date = new Date(day * dayMs)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

export function dayOfMonth(day: number): number {
  return new Date(day * dayMs).getUTCDate()
}

/** The last day of the month, where it has no such date. */
export function dayIn(month: number, date: number): number {
  const first = Date.UTC(1970, month, 1) / dayMs
  const next = Date.UTC(1970, month + 1, 1) / dayMs
  return Math.min(first + date - 1, next - 1)
}

export function addMonths(day: number, months: number): number {
  return dayIn(monthOf(day) + months, dayOfMonth(day))
}

/** The time `ms` after midnight of a day in Sydney. Fractions of a second are not written. */
export function timeOf(day: number, ms: number, zone: Zone): string {
  const offset = offsetOf(day)
  const shown = day * dayMs + ms - (zone === 'utc' ? offset * hourMs : 0)
  const text = new Date(shown).toISOString().slice(0, 19)
  return zone === 'utc' ? `${text}Z` : `${text}+${offset}:00`
}

export function dayOfInstant(instant: string): number {
  const ms = Temporal.Instant.from(instant).epochMilliseconds
  const standard = Math.floor((ms + 10 * hourMs) / dayMs)
  return Math.floor((ms + offsetOf(standard) * hourMs) / dayMs)
}

/** Summer time runs from the first Sunday of October to the first of April. Nothing happens at night. */
function offsetOf(day: number): 10 | 11 {
  const month = new Date(day * dayMs).getUTCMonth()
  if (month === 9) return dayOfMonth(day) > weekdayOf(day) ? 11 : 10
  if (month === 3) return dayOfMonth(day) > weekdayOf(day) ? 10 : 11
  return month > 9 || month < 3 ? 11 : 10
}
