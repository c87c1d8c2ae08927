import { type Range, type UsageSpan, usageSpans } from './store.ts'

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

  const startOfNext = (time: number, duration: Temporal.DurationLike): number =>
    toZoned(startOfDay(time)).add(duration).startOfDay().epochMilliseconds

  return {
    spans: Object.keys(usageSpans) as readonly UsageSpan[],
    startOfHour,
    /** The beginning of the next hour. */
    nextHour(hour: number): number {
      const next = startOfHour(hour + hourMs)
      return next > hour ? next : hour + hourMs
    },
    /** The hour that a time is in, and those before it. The latest first. */
    listHours(time: number, count: number): readonly number[] {
      let hour = startOfHour(time)
      return listBack(count, (back) => {
        if (back > 0) hour = startOfHour(hour - 1)
        return hour
      })
    },
    /** The day that a time is in. */
    readDay: (time: number): Range => ({
      start: startOfDay(time),
      end: startOfNext(time, { days: 1 }),
    }),
    /** The day that a time is in, and those before it. */
    listDays: (time: number, count: number): readonly Range[] =>
      listBack(count, (back) => {
        const day = toZoned(time).startOfDay().subtract({ days: back })
        return {
          start: day.epochMilliseconds,
          end: startOfNext(day.epochMilliseconds, { days: 1 }),
        }
      }),
    /** The month that a time is in, and those before it. */
    listMonths: (time: number, count: number): readonly Range[] =>
      listBack(count, (back) => {
        const month = toZoned(time).with({ day: 1 }).startOfDay().subtract({ months: back })
        return {
          start: month.epochMilliseconds,
          end: startOfNext(month.epochMilliseconds, { months: 1 }),
        }
      }),
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

function listBack<Item>(count: number, read: (back: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, back) => read(back))
}

function modulo(time: number, unit: number): number {
  return ((time % unit) + unit) % unit
}
