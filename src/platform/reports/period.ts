/** Half a year, of which a data holder reports. */
export interface ReportPeriod {
  /** Such as 2026-H2. */
  readonly name: string
  readonly firstDay: Temporal.PlainDate
  readonly lastDay: Temporal.PlainDate
  readonly start: Temporal.Instant
  /** Excluded. */
  readonly end: Temporal.Instant
}

/** For so long, processes may still store records and counts of a period that has ended. */
const settleHours = 24

/** Whether the report of the period stays as it is. */
export function isFinished({ end }: Pick<ReportPeriod, 'end'>, now: Temporal.Instant): boolean {
  return Temporal.Instant.compare(end.add({ hours: settleHours }), now) <= 0
}

/** What the name of a period must be. */
export const periodForm =
  'half a year, such as 2026-H1 (January to June) or 2026-H2 (July to December)'

/** From 1 January to 30 June, or from 1 July to 31 December. Undefined if the name is none of a period. */
export function readPeriod(name: string, timeZone: string): ReportPeriod | undefined {
  const [, year, half] = /^(\d{4})-H([12])$/.exec(name) ?? []
  if (year === undefined) return undefined
  const month = half === '1' ? 1 : 7
  const firstDay = Temporal.PlainDate.from({ year: Number(year), month, day: 1 })
  const next = firstDay.add({ months: 6 })
  const startOf = (day: Temporal.PlainDate) => day.toZonedDateTime(timeZone).toInstant()
  return {
    name,
    firstDay,
    lastDay: next.subtract({ days: 1 }),
    start: startOf(firstDay),
    end: startOf(next),
  }
}
