import type { RecordType } from '../contract/index.ts'
import type { EntryList } from '../provider/store.ts'
import { toLocalTime, toPlainDate } from '../provider/time-window.ts'
import { type Gap, openGapCheck } from './gap-check.ts'
import { entryTypes, recordTypeOfDumped } from './record-type.ts'
import type { DumpedItem } from './writer.ts'

/** What is stored of one type of record. */
interface TypeCounts {
  readonly type: RecordType
  /** Without those of accounts that do not exist. */
  readonly records: number
  /** The first and the last day of a list that is sorted by time; in UTC if the times are instants. */
  readonly oldest?: string
  readonly newest?: string
  /** The account that has most records of the type. */
  readonly largest?: { readonly accountId: string; readonly records: number }
}

export interface DataSummary {
  readonly types: readonly TypeCounts[]
  /** Records that are not served, because their account or customer does not exist. */
  readonly unresolved: number
  readonly accountsWithoutBalance: Gap
  readonly accountsWithoutContact: Gap
}

/** The day of an entry. The other lists have no times. */
const dayOf: Partial<Record<EntryList, (time: bigint) => string>> = {
  transaction: (time) => toLocalTime(time).toPlainDate().toString(),
  invoice: (time) => toPlainDate(time).toString(),
  billing: (time) => toLocalTime(time).toPlainDate().toString(),
}

interface ListTotals {
  oldest: bigint
  newest: bigint
  /** In the account that is being read. */
  inAccount: number
  largest: { readonly accountId: string; readonly records: number }
}

/** Summarises what is stored, in the order of a dump: an account is followed by everything in it. */
export function openDataSummary() {
  const gaps = openGapCheck()
  const records = new Map<RecordType, number>()
  const lists = new Map<EntryList, ListTotals>()
  let unresolved = 0

  const addEntry = (list: EntryList, time: bigint, accountId: string): void => {
    const totals = lists.get(list) ?? {
      oldest: time,
      newest: time,
      inAccount: 0,
      largest: { accountId, records: 0 },
    }
    lists.set(list, totals)
    if (time < totals.oldest) totals.oldest = time
    if (time > totals.newest) totals.newest = time
    totals.inAccount += 1
    if (totals.inAccount > totals.largest.records) {
      totals.largest = { accountId, records: totals.inAccount }
    }
  }

  return {
    add(item: DumpedItem): void {
      if (item.type === 'removal') return
      const account = gaps.add(item)
      if (item.type === 'account') for (const totals of lists.values()) totals.inAccount = 0
      if ('isUnresolved' in item && item.isUnresolved) {
        unresolved += 1
        return
      }
      const type = recordTypeOfDumped(item)
      records.set(type, (records.get(type) ?? 0) + 1)
      if (item.type === 'entry' && account) addEntry(item.list, item.time, account.id)
    },
    /** After the last item. Types without records are left out. */
    finish(): DataSummary {
      const types = [...records].map(([type, count]) => ({
        type,
        records: count,
        ...summarizeList(type, lists),
      }))
      return { types, unresolved, ...gaps.finish() }
    },
  }
}

function summarizeList(type: RecordType, lists: ReadonlyMap<EntryList, ListTotals>) {
  const [list] = [...lists.keys()].filter((each) => entryTypes[each] === type)
  const totals = list && lists.get(list)
  if (!totals) return {}
  const toDay = dayOf[list]
  return {
    ...(toDay && { oldest: toDay(totals.oldest), newest: toDay(totals.newest) }),
    largest: totals.largest,
  }
}
