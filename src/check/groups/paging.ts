import { pageSizeDefault } from '../../contract/index.ts'
import { differenceOf, repeatedIn, shown } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, conventions } from '../definition.ts'
import { narrowed } from '../list-filters.ts'
import {
  keyOf,
  listsOf,
  metaOf,
  type PagedList,
  pageOf,
  recordsOf,
  type Subject,
  totalsOf,
  type Walk,
  walk,
  wholeQuery,
  wholeWalk,
} from '../lists.ts'
import { fail, judgeEach, type Passed, skip } from '../outcome.ts'

export function onEachList(
  world: CheckContext,
  judge: (list: PagedList) => Promise<unknown>,
): Promise<Passed> {
  return judgeEach(listsOf(world), ({ ref }) => ref, judge)
}

/** A size that cuts a list into a handful of pages. No provider need take more than the default. */
export function sizeFor(count: number, pages = 4): number {
  return Math.max(1, Math.min(pageSizeDefault - 1, Math.ceil(count / pages)))
}

/** A list of a handy length, where there is one: the laws of paging show on it as well. */
export function shortWalk(world: CheckContext, list: PagedList, recordsMin = 1) {
  return wholeWalk(world, list, { recordsMin, wanted: handyRecords })
}

const handyRecords = 2 * pageSizeDefault

const totals = conventions('2', 'meta holds totalRecords (integer) and totalPages (integer)')
const sizes = conventions('3', 'page-size (integer, default 25)')
const envelope = conventions(
  '2',
  'Paged responses have data (required object), links (object) and meta (object)',
)

interface Cut {
  readonly subject: Subject
  readonly whole: Walk
  readonly pages: Walk
  readonly size: number
}

/** A list in pages that are smaller than usual. */
async function cutOf(world: CheckContext, list: PagedList): Promise<Cut> {
  const { subject, whole } = await shortWalk(world, list, 2)
  const size = sizeFor(whole.records.length)
  const pages = await walk(world, subject, wholeQuery(world, list), size)
  return { subject, whole, pages, size }
}

export const paging: readonly Check[] = [
  {
    id: 'paging.partition',
    title: 'Pages show every record once',
    clause: conventions(
      '3',
      'Paging query parameters on paged endpoints: page (integer, requested page) and page-size',
    ),
    profile: 'smoke',
    hint: 'Order by something unique before the limit: where two records may change places between two requests, one is shown twice and another never.',
    run: (world) =>
      onEachList(world, async (list) => {
        const { whole, pages, size } = await cutOf(world, list)
        const keys = pages.records.map((record) => keyOf(list, record))
        const expected = whole.records.map((record) => keyOf(list, record))
        const difference = differenceOf(expected, keys)
        const repeated = repeatedIn(keys).filter((key) => !repeatedIn(expected).includes(key))
        if (!difference && repeated.length === 0) return
        fail(
          `${list.ref}: pages of ${size} hold other records than pages of ${pageSizeDefault}: ${difference ?? `twice ${shown(repeated)}`}`,
          {
            expected: 'the same records, whatever the size of the pages, each of them once',
            evidence: pages.answers.slice(0, 2),
          },
        )
      }),
  },
  {
    id: 'paging.totals.records',
    title: 'totalRecords is the length of the whole list',
    clause: totals,
    profile: 'smoke',
    hint: 'Count the list, not the page.',
    run: (world) =>
      onEachList(world, async (list) => {
        const { whole, pages } = await cutOf(world, list)
        const wrong = pages.answers.find(
          (answer) => totalsOf(answer).totalRecords !== whole.records.length,
        )
        if (!wrong) return
        fail(
          `${list.ref}: totalRecords is ${totalsOf(wrong).totalRecords}, and the walk found ${whole.records.length} records`,
          {
            expected: `totalRecords ${whole.records.length} on every page`,
            evidence: [wrong],
          },
        )
      }),
  },
  {
    id: 'paging.totals.pages',
    title: 'totalPages is how many pages of that size the list has',
    clause: totals,
    profile: 'smoke',
    run: (world) =>
      onEachList(world, async (list) => {
        const { whole, pages, size } = await cutOf(world, list)
        const expected = Math.ceil(whole.records.length / size)
        const wrong = pages.answers.find((answer) => totalsOf(answer).totalPages !== expected)
        if (!wrong) return
        fail(
          `${list.ref}: totalPages is ${totalsOf(wrong).totalPages} for ${whole.records.length} records in pages of ${size}`,
          {
            expected: `totalPages ${expected}`,
            evidence: [wrong],
          },
        )
      }),
  },
  {
    id: 'paging.size.held',
    title: 'A page has as many records as were asked for',
    clause: sizes,
    profile: 'smoke',
    run: (world) =>
      onEachList(world, async (list) => {
        const { subject, whole } = await shortWalk(world, list, 2)
        for (const size of [1, whole.records.length - 1]) {
          const query = {
            page: 1,
            'page-size': Math.min(size, pageSizeDefault),
            ...wholeQuery(world, list),
          }
          const page = await pageOf(world, subject, query)
          const expected = Math.min(query['page-size'], whole.records.length)
          const actual = recordsOf(list, page).length
          if (actual === expected) continue
          fail(`${list.ref}: page-size=${query['page-size']} gave ${actual} records`, {
            expected: `${expected} records`,
            evidence: [page],
          })
        }
      }),
  },
  {
    id: 'paging.size.default',
    title: 'A page has 25 records where no size is asked for',
    clause: sizes,
    profile: 'full',
    run: (world) =>
      onEachList(world, async (list) => {
        const { subject, whole } = await shortWalk(world, list, pageSizeDefault + 1)
        const page = await pageOf(world, subject, { page: 1, ...wholeQuery(world, list) })
        const actual = recordsOf(list, page).length
        if (actual === pageSizeDefault) return
        fail(
          `${list.ref}: a page without page-size has ${actual} of ${whole.records.length} records`,
          {
            expected: `${pageSizeDefault} records`,
            evidence: [page],
          },
        )
      }),
  },
  {
    id: 'paging.page.default',
    title: 'The first page is shown where no page is asked for',
    clause: conventions('3', 'page (integer, requested page)'),
    profile: 'full',
    run: (world) =>
      onEachList(world, async (list) => {
        const { subject, whole } = await shortWalk(world, list, 2)
        const page = await pageOf(world, subject, { 'page-size': 1, ...wholeQuery(world, list) })
        const expected = whole.records.slice(0, 1).map((record) => keyOf(list, record))
        const actual = recordsOf(list, page).map((record) => keyOf(list, record))
        const difference = differenceOf(expected, actual)
        if (!difference) return
        fail(
          `${list.ref}: without page, page-size=1 shows another record than page 1: ${difference}`,
          {
            expected: 'page 1',
            evidence: [page],
          },
        )
      }),
  },
  {
    id: 'paging.page.beyond',
    title: 'A page past the end shows no records',
    clause: conventions('3', 'page (integer, requested page)'),
    profile: 'full',
    run: async (world) => {
      const seen = new Set<string>()
      const judged = await onEachList(world, async (list) => {
        const { subject, whole } = await shortWalk(world, list)
        const query = { page: 1000, 'page-size': pageSizeDefault, ...wholeQuery(world, list) }
        const page = await world.ask(list.operation, { ...subject.ask, query })
        seen.add(String(page.status))
        const details = {
          expected: 'an empty page with the true totals, or a refusal',
          evidence: [page],
        }
        if (page.status >= 500 || page.status === 0)
          fail(`${list.ref}: page=1000 answered ${page.status}`, details)
        if (!page.isSuccess) return
        const found = recordsOf(list, page).length
        if (found > 0)
          fail(`${list.ref}: page=1000 of ${whole.records.length} records shows ${found}`, details)
        const total = totalsOf(page).totalRecords
        if (total !== whole.records.length)
          fail(`${list.ref}: page=1000 says totalRecords ${total}`, details)
      })
      return {
        ...judged,
        choice: {
          seen: `${[...seen].join(', ')}; ${judged.seen}`,
          isOurs: [...seen].every((status) => status === '200'),
          ours: '200 with an empty list',
          decision: '0010-page-numbers-and-sizes',
        },
      }
    },
  },
  {
    id: 'paging.empty',
    title: 'A list without records says so',
    clause: envelope,
    profile: 'full',
    run: (world) =>
      onEachList(world, async (list) => {
        if (!('oldest-time' in (list.operation.query.properties as object))) {
          skip('it cannot be asked for nothing')
        }
        const { subject } = await shortWalk(world, list)
        const [from, to] = ['1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z']
        const [oldest = ''] = Object.keys(wholeQuery(world, list))
        const query = { [oldest]: from, 'newest-time': to }
        const page = await world.ask(list.operation, { ...subject.ask, query })
        const { totalRecords, totalPages } = page.isSuccess ? totalsOf(page) : metaOf(page)
        const found = recordsOf(list, page).length
        if (found === 0 && totalRecords === 0 && (totalPages === 0 || totalPages === 1)) return
        fail(
          `${list.ref}: two days of 1970 answered ${page.status} with ${found} records, totalRecords ${totalRecords}, totalPages ${totalPages}`,
          {
            expected: 'no records, totalRecords 0, totalPages 0 (or 1)',
            evidence: [page],
          },
        )
      }),
  },
  {
    id: 'paging.totals.filtered',
    title: 'Totals are those of the filtered list',
    clause: totals,
    profile: 'full',
    hint: 'Count with the same conditions as the page is read with.',
    run: (world) =>
      onEachList(world, async (list) => {
        const { subject } = await shortWalk(world, list, 2)
        const query = narrowed(world, list) ?? skip('it has no filter')
        const found = await walk(world, subject, { ...wholeQuery(world, list), ...query })
        if (found.total === undefined) skip('it has no totals')
        if (found.total === found.records.length) return
        fail(
          `${list.ref}: with ${new URLSearchParams(query)} totalRecords is ${found.total}, and the walk found ${found.records.length} records`,
          {
            expected: `totalRecords ${found.records.length}`,
            evidence: found.answers.slice(0, 1),
          },
        )
      }),
  },
]
