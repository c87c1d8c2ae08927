/** How many business days a data holder has to give a customer notice of a correction. */
const businessDays = 5

const saturday = 6

/**
 * The last day for the notice, from the day of the correction in a time zone. Public holidays are not known: with one in
 * between, the notice is due later.
 */
export function findNoticeDue(corrected: Temporal.Instant, timeZone: string): Temporal.PlainDate {
  let day = corrected.toZonedDateTimeISO(timeZone).toPlainDate()
  for (let left = businessDays; left > 0; ) {
    day = day.add({ days: 1 })
    if (day.dayOfWeek < saturday) left -= 1
  }
  return day
}
