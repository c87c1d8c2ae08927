import type { CheckContext } from '../context.ts'
import { type Check, endpoint } from '../definition.ts'
import { narrowed } from '../list-filters.ts'
import {
  type Fields,
  keyOf,
  listOf,
  type PagedList,
  pageOf,
  recordsOf,
  walk,
  wholeQuery,
  wholeWalk,
} from '../lists.ts'
import { fail, type Passed, skip } from '../outcome.ts'
import { effectiveOf } from '../times.ts'
import { sizeFor } from './paging.ts'

export function requireList(world: CheckContext, ref: string): PagedList {
  const operation = world.operation(ref)
  return (operation && listOf(operation)) ?? skip(`${ref} is left out on purpose`)
}

const descending = endpoint(
  'B3',
  'Ordering: transactions are in descending order of effective time',
)
const tiesMax = 6
const tieRounds = 3

/** Where a record is newer than one before it. Records that show no time may stand anywhere. */
function breakIn(list: PagedList, records: readonly Fields[], timeZone: string): number {
  let last: bigint | undefined
  return records.findIndex((record) => {
    const time = effectiveOf(list, record, timeZone)
    const isBreak = time !== undefined && last !== undefined && time > last
    if (time !== undefined) last = time
    return isBreak
  })
}

async function judgeOrder(world: CheckContext, query: Record<string, string>, pageSize?: number) {
  const list = requireList(world, 'B3')
  const { subject, whole } = await wholeWalk(world, list, { recordsMin: 2 })
  const size = pageSize ?? sizeFor(whole.records.length, walkedPages)
  const { records, answers } = await walk(
    world,
    subject,
    { ...wholeQuery(world, list), ...query },
    size,
  )
  if (records.length < 2) skip('fewer than two transactions are left')
  const index = breakIn(list, records, world.options.timeZone)
  if (index < 0) return { seen: `${records.length} transactions` }
  return fail(
    `B3: transaction ${records[index]?.['transactionId']} is newer than the one before it`,
    {
      expected: 'newest first, by postingDateTime, else executionDateTime',
      evidence: answers.slice(Math.floor(index / size), Math.floor(index / size) + 1),
    },
  )
}

const walkedPages = 12

/** What order a list that need have none is in. */
async function orderSeen(world: CheckContext, ref: string): Promise<Passed> {
  const list = requireList(world, ref)
  const { whole } = await wholeWalk(world, list, { recordsMin: 3 })
  const { timeZone } = world.options
  const isNewestFirst = breakIn(list, whole.records, timeZone) < 0
  const isOldestFirst = breakIn(list, whole.records.toReversed(), timeZone) < 0
  return {
    choice: {
      seen: isNewestFirst ? 'newest first' : isOldestFirst ? 'oldest first' : 'not by time',
      isOurs: isNewestFirst,
      ours: 'newest first',
      decision: '0012-sort-order',
      evidence: whole.answers.slice(0, 1),
    },
  }
}

export const order: readonly Check[] = [
  {
    id: 'order.transactions',
    title: 'Transactions are newest first',
    clause: descending,
    profile: 'smoke',
    run: (world) => judgeOrder(world, {}, 25),
  },
  {
    id: 'order.pages',
    title: 'The order goes on from page to page',
    clause: descending,
    profile: 'full',
    run: (world) => judgeOrder(world, {}),
  },
  {
    id: 'order.filtered',
    title: 'Transactions that were filtered are newest first as well',
    clause: descending,
    profile: 'full',
    run: (world) => judgeOrder(world, narrowed(world, requireList(world, 'B3')) ?? {}, 25),
  },
  {
    id: 'order.ties',
    title: 'Transactions of the same moment keep their places while pages are read',
    clause: descending,
    profile: 'full',
    hint: 'Add something unique, such as the id, behind the time in the order.',
    run: async (world) => {
      const list = requireList(world, 'B3')
      const { subject, whole } = await wholeWalk(world, list, { recordsMin: 2 })
      const times = whole.records.map((record) => effectiveOf(list, record, world.options.timeZone))
      const start = times.findIndex(
        (time, index) => time !== undefined && time === times[index + 1],
      )
      if (start < 0) skip('no two transactions of an account have the same time')
      const length = times
        .slice(start, start + tiesMax)
        .filter((time) => time === times[start]).length
      const tied = whole.records.slice(start, start + length).map((record) => keyOf(list, record))
      for (let round = 0; round < tieRounds; round += 1) {
        const pages = []
        for (let index = start; index < start + length; index += 1) {
          const query = { page: index + 1, 'page-size': 1, ...wholeQuery(world, list) }
          pages.push(await pageOf(world, subject, query))
        }
        const found = pages
          .flatMap((page) => recordsOf(list, page))
          .map((record) => keyOf(list, record))
        if (new Set(found).size === length || new Set(tied).size < length) continue
        fail(
          `B3: ${length} transactions of the same moment, read one a page, showed ${new Set(found).size} different ones`,
          {
            expected: 'each of them once',
            evidence: pages,
          },
        )
      }
      return { seen: `${length} transactions of one moment` }
    },
  },
  {
    id: 'order.invoices',
    title: 'The order of invoices is seen',
    clause: endpoint('E3', 'data.invoices; links; meta'),
    profile: 'full',
    run: (world) => orderSeen(world, 'E3'),
  },
  {
    id: 'order.billing',
    title: 'The order of billing transactions is seen',
    clause: endpoint('E4', 'data.transactions (billing transaction); links; meta'),
    profile: 'full',
    run: (world) => orderSeen(world, 'E4'),
  },
  {
    id: 'order.billing-of-accounts',
    title: 'The order of billing transactions over several accounts is seen',
    clause: endpoint('E5', 'data.transactions; links; meta'),
    profile: 'full',
    run: (world) => orderSeen(world, 'E5'),
  },
]
