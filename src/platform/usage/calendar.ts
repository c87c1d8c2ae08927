import { type UsageSpan, usageSpans } from './store.ts'

const minuteMs = 60_000
const hourMs = 3_600_000

/** How many minutes are remembered with the periods that they are in. */
const minutesMax = 2000

export type Calendar = ReturnType<typeof openCalendar>

/** The periods of a time zone: hours and days begin as they do on its clocks. */
export function openCalendar(timeZone: string) {
  const known = new Map<number, Readonly<Record<UsageSpan, number>>>()
  const toZoned = (time: number) =>
    Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone)

  const startOfDay = (time: number): number =>
    timeZone === 'UTC'
      ? time - modulo(time, 24 * hourMs)
      : toZoned(time).startOfDay().epochMilliseconds

  const startOfHour = (time: number): number =>
    timeZone === 'UTC'
      ? time - modulo(time, hourMs)
      : toZoned(time).round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds

  return {
    spans: Object.keys(usageSpans) as readonly UsageSpan[],
    startOfDay,
    startOfHour,
    /** The beginning of each period that a time is in. */
    starts(time: number): Readonly<Record<UsageSpan, number>> {
      const minute = time - modulo(time, minuteMs)
      const found = known.get(minute)
      if (found) return found
      const starts = { minute, hour: startOfHour(minute), day: startOfDay(minute) }
      if (known.size >= minutesMax) known.clear()
      known.set(minute, starts)
      return starts
    },
  }
}

function modulo(time: number, unit: number): number {
  return ((time % unit) + unit) % unit
}
