import { pageSizeDefault } from '../../contract/index.ts'
import { describeDifference, findRepeated, formatKeys } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, conventions } from '../definition.ts'
import { pickFilter } from '../list-filters.ts'
import { fail, skip } from '../outcome.ts'
import {
  buildUnboundedQuery,
  type PagedList,
  readKey,
  readKeys,
  readRecords,
  readTotals,
  requireTotals,
} from '../paged-list.ts'
import { type ListContent, readList, requirePage, type Subject } from '../read-list.ts'
import { checkEachList, choosePageSize, readShortList } from '../subjects.ts'

const totals = conventions('2', 'meta holds totalRecords (integer) and totalPages (integer)')
const sizes = conventions('3', 'page-size (integer, default 25)')
const envelope = conventions(
  '2',
  'Paged responses have data (required object), links (object) and meta (object)',
)

interface PagedContent {
  readonly subject: Subject
  readonly whole: ListContent
  readonly pages: ListContent
  readonly size: number
}

/** A list, and the same list in smaller pages. */
async function readInPages(context: CheckContext, list: PagedList): Promise<PagedContent> {
  const { subject, whole } = await readShortList(context, list, 2)
  const size = choosePageSize(whole.records.length)
  const pages = await readList(context, subject, buildUnboundedQuery(context, list), size)
  return { subject, whole, pages, size }
}

export const paging: readonly Check[] = [
  {
    id: 'paging.partition',
    title: 'Every record is on exactly one page',
    clause: conventions(
      '3',
      'Paging query parameters on paged endpoints: page (integer, requested page) and page-size',
    ),
    profile: 'smoke',
    hint: 'Order by a unique column: if two records swap places between two requests, one is returned twice and the other not at all.',
    run: (context) =>
      checkEachList(context, async (list) => {
        const { whole, pages, size } = await readInPages(context, list)
        const keys = readKeys(list, pages.records)
        const expected = readKeys(list, whole.records)
        const difference = describeDifference(expected, keys)
        const repeated = findRepeated(keys).filter((key) => !findRepeated(expected).includes(key))
        if (!difference && repeated.length === 0) return
        fail(
          `${list.ref}: pages of ${size} have other records than pages of ${pageSizeDefault}: ${difference ?? `repeated ${formatKeys(repeated)}`}`,
          {
            expected: 'the same records for any page size, each of them once',
            evidence: pages.responses.slice(0, 2),
          },
        )
      }),
  },
  {
    id: 'paging.totals.records',
    title: 'totalRecords is the number of records in the whole list',
    clause: totals,
    profile: 'smoke',
    hint: 'Count the records of the list, not of the page.',
    run: (context) =>
      checkEachList(context, async (list) => {
        const { whole, pages } = await readInPages(context, list)
        const wrong = pages.responses.find(
          (response) => requireTotals(response).totalRecords !== whole.records.length,
        )
        if (!wrong) return
        fail(
          `${list.ref}: totalRecords is ${requireTotals(wrong).totalRecords}, but the list has ${whole.records.length} records`,
          { expected: `totalRecords ${whole.records.length} on every page`, evidence: [wrong] },
        )
      }),
  },
  {
    id: 'paging.totals.pages',
    title: 'totalPages is the number of pages of that size',
    clause: totals,
    profile: 'smoke',
    run: (context) =>
      checkEachList(context, async (list) => {
        const { whole, pages, size } = await readInPages(context, list)
        const expected = Math.ceil(whole.records.length / size)
        const wrong = pages.responses.find(
          (response) => requireTotals(response).totalPages !== expected,
        )
        if (!wrong) return
        fail(
          `${list.ref}: totalPages is ${requireTotals(wrong).totalPages} for ${whole.records.length} records in pages of ${size}`,
          { expected: `totalPages ${expected}`, evidence: [wrong] },
        )
      }),
  },
  {
    id: 'paging.size.held',
    title: 'A page has as many records as page-size requests',
    clause: sizes,
    profile: 'smoke',
    run: (context) =>
      checkEachList(context, async (list) => {
        const { subject, whole } = await readShortList(context, list, 2)
        for (const size of [1, whole.records.length - 1]) {
          const query = {
            page: 1,
            'page-size': Math.min(size, pageSizeDefault),
            ...buildUnboundedQuery(context, list),
          }
          const page = await requirePage(context, subject, query)
          const expected = Math.min(query['page-size'], whole.records.length)
          const actual = readRecords(list, page).length
          if (actual === expected) continue
          fail(`${list.ref}: page-size=${query['page-size']} returned ${actual} records`, {
            expected: `${expected} records`,
            evidence: [page],
          })
        }
      }),
  },
  {
    id: 'paging.size.default',
    title: 'A page has 25 records by default',
    clause: sizes,
    run: (context) =>
      checkEachList(context, async (list) => {
        const { subject, whole } = await readShortList(context, list, pageSizeDefault + 1)
        const page = await requirePage(context, subject, {
          page: 1,
          ...buildUnboundedQuery(context, list),
        })
        const actual = readRecords(list, page).length
        if (actual === pageSizeDefault) return
        fail(
          `${list.ref}: a page without page-size has ${actual} of ${whole.records.length} records`,
          { expected: `${pageSizeDefault} records`, evidence: [page] },
        )
      }),
  },
  {
    id: 'paging.page.default',
    title: 'The first page is returned by default',
    clause: conventions('3', 'page (integer, requested page)'),
    run: (context) =>
      checkEachList(context, async (list) => {
        const { subject, whole } = await readShortList(context, list, 2)
        const page = await requirePage(context, subject, {
          'page-size': 1,
          ...buildUnboundedQuery(context, list),
        })
        const expected = whole.records.slice(0, 1).map((record) => readKey(list, record))
        const actual = readRecords(list, page).map((record) => readKey(list, record))
        const difference = describeDifference(expected, actual)
        if (!difference) return
        fail(
          `${list.ref}: without page, page-size=1 returns another record than page 1: ${difference}`,
          { expected: 'page 1', evidence: [page] },
        )
      }),
  },
  {
    id: 'paging.page.beyond',
    title: 'A page past the end has no records',
    clause: conventions('3', 'page (integer, requested page)'),
    run: async (context) => {
      const seen = new Set<string>()
      const passed = await checkEachList(context, async (list) => {
        const { subject, whole } = await readShortList(context, list)
        const query = {
          page: 1000,
          'page-size': pageSizeDefault,
          ...buildUnboundedQuery(context, list),
        }
        const page = await context.request(list.operation, { ...subject.input, query })
        seen.add(String(page.status))
        const details = {
          expected: 'an empty page with the totals of the list, or a rejection',
          evidence: [page],
        }
        if (page.status >= 500 || page.status === 0)
          fail(`${list.ref}: page=1000 returned ${page.status || 'no response'}`, details)
        if (!page.isSuccess) return
        const found = readRecords(list, page).length
        if (found > 0)
          fail(
            `${list.ref}: page=1000 of ${whole.records.length} records returned ${found} records`,
            details,
          )
        const total = requireTotals(page).totalRecords
        if (total !== whole.records.length)
          fail(`${list.ref}: page=1000 returned totalRecords ${total}`, details)
      })
      return {
        ...passed,
        choice: {
          seen: `${[...seen].join(', ')}; ${passed.seen}`,
          isOurs: [...seen].every((status) => status === '200'),
          ours: '200 with an empty list',
          decision: '0010-page-numbers-and-sizes',
        },
      }
    },
  },
  {
    id: 'paging.empty',
    title: 'A list without records has zero totals',
    clause: envelope,
    run: (context) =>
      checkEachList(context, async (list) => {
        if (list.bounds !== 'time') skip('it has no time bounds')
        const { subject } = await readShortList(context, list)
        const [from, to] = ['1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z']
        const [oldest = ''] = Object.keys(buildUnboundedQuery(context, list))
        const query = { [oldest]: from, 'newest-time': to }
        const page = await context.request(list.operation, { ...subject.input, query })
        const { totalRecords, totalPages } = page.isSuccess ? requireTotals(page) : readTotals(page)
        const found = readRecords(list, page).length
        if (found === 0 && totalRecords === 0 && (totalPages === 0 || totalPages === 1)) return
        fail(
          `${list.ref}: two days of 1970 returned ${page.status || 'no response'} with ${found} records, totalRecords ${totalRecords}, totalPages ${totalPages}`,
          { expected: 'no records, totalRecords 0, totalPages 0 (or 1)', evidence: [page] },
        )
      }),
  },
  {
    id: 'paging.totals.filtered',
    title: 'Totals count the filtered list',
    clause: totals,
    hint: 'Count with the same conditions as the query for the page.',
    run: (context) =>
      checkEachList(context, async (list) => {
        const { subject } = await readShortList(context, list, 2)
        const query = pickFilter(context, list) ?? skip('it has no filter')
        const found = await readList(context, subject, {
          ...buildUnboundedQuery(context, list),
          ...query,
        })
        if (found.total === undefined) skip('it has no totals')
        if (found.total === found.records.length) return
        fail(
          `${list.ref}: with ${new URLSearchParams(query)} totalRecords is ${found.total}, but the list has ${found.records.length} records`,
          {
            expected: `totalRecords ${found.records.length}`,
            evidence: found.responses.slice(0, 1),
          },
        )
      }),
  },
]
