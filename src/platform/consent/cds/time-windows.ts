import { historyMonthsDefault, invoiceMonthsDefault } from '../../../contract/limits.ts'
import type { Query } from '../../cds/query.ts'

/** The window of transactions without a lower bound. The standards set it; that of the interface is longer. */
const historyHoursDefault = 90 * 24

export function resolveHistory(query: Query, now: Temporal.Instant): Query {
  const newest = readText(query, 'newest-time') ?? now.toString()
  const oldest =
    readText(query, 'oldest-time') ??
    Temporal.Instant.from(newest).subtract({ hours: historyHoursDefault }).toString()
  return { ...query, 'oldest-time': oldest, 'newest-time': newest }
}

/** Of billing: the standards have the window of the interface. */
export function resolveBillingTimes(query: Query, now: Temporal.Instant, timeZone: string): Query {
  const newest = readText(query, 'newest-time') ?? now.toString()
  const subtractMonths = () =>
    Temporal.Instant.from(newest)
      .toZonedDateTimeISO(timeZone)
      .subtract({ months: historyMonthsDefault })
      .toInstant()
      .toString()
  const oldest = readText(query, 'oldest-time') ?? subtractMonths()
  return { ...query, 'oldest-time': oldest, 'newest-time': newest }
}

/** Of invoices: the standards have the window of the interface. */
export function resolveInvoiceDates(query: Query, now: Temporal.Instant, timeZone: string): Query {
  const today = () => now.toZonedDateTimeISO(timeZone).toPlainDate().toString()
  const newest = readText(query, 'newest-date') ?? today()
  const oldest =
    readText(query, 'oldest-date') ??
    Temporal.PlainDate.from(newest).subtract({ months: invoiceMonthsDefault }).toString()
  return { ...query, 'oldest-date': oldest, 'newest-date': newest }
}

function readText(query: Query, name: string): string | undefined {
  return query[name] as string | undefined
}
