import { formatDay } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import type { AccountProps } from './account-props.ts'
import { readList } from './read-list.ts'

/** Before all records. */
const earliest = '1900-01-01T00:00:00Z'

/** The window of a list that no filter names, and how many records are outside. */
export function DefaultWindow({
  account: { customerId, accountId, query },
  total,
}: {
  readonly account: AccountProps
  /** How many records are inside. */
  readonly total: number
}) {
  const isDefault = !query.has('oldest-time') && !query.has('newest-time')
  const isFiltered = ['min-amount', 'max-amount', 'text'].some((name) => query.has(name))
  const all = useResource(`all ${customerId}\n${accountId} ${isDefault}`, async (signal) => {
    if (!isDefault) return undefined
    const page = { 'oldest-time': earliest, 'page-size': 1 }
    const account = { customerId, accountId }
    return (await readList('listBankingTransactions', account, page, signal)).totalRecords
  })
  if (!isDefault) return null
  const from = new Date()
  from.setUTCFullYear(from.getUTCFullYear() - 1)
  return (
    <p class="muted">
      From {formatDay(from.getTime())} to now: without a time, the interface reads the last 12
      months.
      {all.value !== undefined &&
        !isFiltered &&
        all.value > total &&
        ` ${formatCount(total)} of ${formatCount(all.value)}, ${formatCount(all.value - total)} are older.`}
    </p>
  )
}
