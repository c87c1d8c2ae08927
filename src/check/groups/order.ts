import type { CheckContext } from '../context.ts'
import { type Check, endpoint } from '../definition.ts'
import { pickFilter } from '../list-filters.ts'
import { fail, skip } from '../outcome.ts'
import {
  buildUnboundedQuery,
  type Fields,
  type PagedList,
  readKeys,
  readRecords,
  requireList,
} from '../paged-list.ts'
import { readUnbounded, requirePage } from '../read-list.ts'
import { choosePageSize, readWholeList } from '../subjects.ts'
import { readEffectiveTime } from '../times.ts'

const descending = endpoint(
  'B3',
  'Ordering: transactions are in descending order of effective time',
)
const tiesMax = 6
const tieRounds = 3

/** The index of the first record that is newer than a previous one, or -1. Records without a time may be anywhere. */
function findUnordered(list: PagedList, records: readonly Fields[], timeZone: string): number {
  let last: bigint | undefined
  return records.findIndex((record) => {
    const time = readEffectiveTime(list, record, timeZone)
    const isNewer = time !== undefined && last !== undefined && time > last
    if (time !== undefined) last = time
    return isNewer
  })
}

async function checkOrder(context: CheckContext, query: Record<string, string>, pageSize?: number) {
  const list = requireList(context, 'B3')
  const { subject, whole } = await readWholeList(context, list, { recordsMin: 2 })
  const size = pageSize ?? choosePageSize(whole.records.length, pagesRead)
  const { records, responses } = await readUnbounded(context, subject, query, size)
  if (records.length < 2) skip('the filtered list has fewer than two transactions')
  const index = findUnordered(list, records, context.options.timeZone)
  if (index < 0) return { seen: `${records.length} transactions` }
  return fail(
    `B3: transaction ${records[index]?.['transactionId']} is newer than the previous one`,
    {
      expected: 'newest first, by postingDateTime, otherwise executionDateTime',
      evidence: responses.slice(Math.floor(index / size), Math.floor(index / size) + 1),
    },
  )
}

const pagesRead = 12

/** Reports the order of a list whose order the interface does not define. */
function reportOrder(ref: string): Pick<Check, 'choice' | 'run'> {
  return {
    choice: { ofHoldfast: 'newest first', decision: '0012-sort-order' },
    async run(context) {
      const list = requireList(context, ref)
      const { whole } = await readWholeList(context, list, { recordsMin: 3 })
      const { timeZone } = context.options
      const isNewestFirst = findUnordered(list, whole.records, timeZone) < 0
      const isOldestFirst = findUnordered(list, whole.records.toReversed(), timeZone) < 0
      return {
        seen: isNewestFirst ? 'newest first' : isOldestFirst ? 'oldest first' : 'not by time',
        isHoldfastChoice: isNewestFirst,
        evidence: whole.responses.slice(0, 1),
      }
    },
  }
}

export const order: readonly Check[] = [
  {
    id: 'order.transactions',
    title: 'Transactions are newest first',
    clause: descending,
    profile: 'smoke',
    run: (context) => checkOrder(context, {}, 25),
  },
  {
    id: 'order.pages',
    title: 'The order continues from page to page',
    clause: descending,
    run: (context) => checkOrder(context, {}),
  },
  {
    id: 'order.filtered',
    title: 'Filtered transactions are newest first as well',
    clause: descending,
    run: (context) =>
      checkOrder(context, pickFilter(context, requireList(context, 'B3')) ?? {}, 25),
  },
  {
    id: 'order.ties',
    title: 'Transactions with the same time keep their order between pages',
    clause: descending,
    hint: 'Order by time and then by a unique column, such as the id.',
    run: async (context) => {
      const list = requireList(context, 'B3')
      const { subject, whole } = await readWholeList(context, list, { recordsMin: 2 })
      const times = whole.records.map((record) =>
        readEffectiveTime(list, record, context.options.timeZone),
      )
      const start = times.findIndex(
        (time, index) => time !== undefined && time === times[index + 1],
      )
      if (start < 0) skip('no two transactions of an account have the same time')
      const length = times
        .slice(start, start + tiesMax)
        .filter((time) => time === times[start]).length
      const tied = readKeys(list, whole.records.slice(start, start + length))
      for (let round = 0; round < tieRounds; round += 1) {
        const pages = []
        for (let index = start; index < start + length; index += 1) {
          const query = { page: index + 1, 'page-size': 1, ...buildUnboundedQuery(context, list) }
          pages.push(await requirePage(context, subject, query))
        }
        const found = new Set(pages.flatMap((page) => readKeys(list, readRecords(list, page))))
        if (found.size === length || new Set(tied).size < length) continue
        fail(
          `B3: ${length} transactions with the same time, read with one per page, returned ${found.size} different ones`,
          { expected: 'each of them once', evidence: pages },
        )
      }
      return { seen: `${length} transactions with the same time` }
    },
  },
  {
    id: 'order.invoices',
    title: 'The order of invoices is reported',
    clause: endpoint('E3', 'data.invoices; links; meta'),
    ...reportOrder('E3'),
  },
  {
    id: 'order.billing',
    title: 'The order of billing transactions is reported',
    clause: endpoint('E4', 'data.transactions (billing transaction); links; meta'),
    ...reportOrder('E4'),
  },
  {
    id: 'order.billing-of-accounts',
    title: 'The order of billing transactions of several accounts is reported',
    clause: endpoint('E5', 'data.transactions; links; meta'),
    ...reportOrder('E5'),
  },
]
