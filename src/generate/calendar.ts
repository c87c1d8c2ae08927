/** A day is the number of days since 1970-01-01, in the Sydney time zone. */

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Whether a time is written with the Sydney offset or in UTC. */
export type Zone = 'local' | 'utc'

export function formatDate(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** 0 is Sunday. Also correct before 1970. */
export function getWeekday(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

/** The day itself, or the following Monday on a weekend. */
export function toBusinessDay(day: number): number {
  const weekday = getWeekday(day)
  if (weekday === 6) return day + 2
  return weekday === 0 ? day + 1 : day
}

/** The number of months since January 1970. */
export function getMonth(day: number): number {
  const date = new Date(day * dayMs)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

export function getDayOfMonth(day: number): number {
  return new Date(day * dayMs).getUTCDate()
}

/** The day with this date, or the last day of a shorter month. */
export function findDay(month: number, date: number): number {
  const first = Date.UTC(1970, month, 1) / dayMs
  const next = Date.UTC(1970, month + 1, 1) / dayMs
  return Math.min(first + date - 1, next - 1)
}

export function addMonths(day: number, months: number): number {
  return findDay(getMonth(day) + months, getDayOfMonth(day))
}

/** Formats the time `ms` after midnight in Sydney, without fractions of a second. */
export function formatTime(day: number, ms: number, zone: Zone): string {
  const offset = sydneyOffset(day)
  const wallMs = day * dayMs + ms - (zone === 'utc' ? offset * hourMs : 0)
  const text = new Date(wallMs).toISOString().slice(0, 19)
  return zone === 'utc' ? `${text}Z` : `${text}+${offset}:00`
}

export function parseDay(instant: string): number {
  const ms = Temporal.Instant.from(instant).epochMilliseconds
  const standard = Math.floor((ms + 10 * hourMs) / dayMs)
  return Math.floor((ms + sydneyOffset(standard) * hourMs) / dayMs)
}

/** Daylight saving time is from the first Sunday in October to the first Sunday in April. Generated times are never at night. */
function sydneyOffset(day: number): 10 | 11 {
  const month = new Date(day * dayMs).getUTCMonth()
  if (month === 9) return getDayOfMonth(day) > getWeekday(day) ? 11 : 10
  if (month === 3) return getDayOfMonth(day) > getWeekday(day) ? 10 : 11
  return month > 9 || month < 3 ? 11 : 10
}
