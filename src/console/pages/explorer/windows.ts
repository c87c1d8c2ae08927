import { formatDay } from '../../components/time.tsx'
import type { ListId } from './read-list.ts'

/** The bounds of a list by their parameters, and the window that the interface has for a list without an oldest bound. */
export interface Window {
  readonly oldest: 'oldest-time' | 'oldest-date'
  readonly newest: 'newest-time' | 'newest-date'
  readonly months: 12 | 24
  /** Before all records. */
  readonly earliest: string
}

const byTime = { oldest: 'oldest-time', newest: 'newest-time', months: 12 } as const
const byDate = { oldest: 'oldest-date', newest: 'newest-date', months: 24 } as const

const windows: Partial<Readonly<Record<ListId, Window>>> = {
  listBankingTransactions: { ...byTime, earliest: '1900-01-01T00:00:00Z' },
  listEnergyBilling: { ...byTime, earliest: '1900-01-01T00:00:00Z' },
  listEnergyInvoices: { ...byDate, earliest: '1900-01-01' },
}

/** Undefined if the list has no window: it always has all records. */
export function findWindow(operation: ListId): Window | undefined {
  return windows[operation]
}

/** For example: the default window, the 12 months before now. */
export function nameWindow(
  { oldest, newest, months, earliest }: Window,
  query: Pick<URLSearchParams, 'get'>,
): string {
  const from = query.get(oldest)
  const until = query.get(newest)
  const end = until ? formatDay(until) : 'now'
  if (!from) return `the default window of ${months} months before ${end}`
  if (from === earliest) return until ? `the window until ${end}` : 'all times'
  return `the window from ${formatDay(from)} to ${end}`
}
