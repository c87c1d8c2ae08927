import { pageSizeDefault } from '../../contract/index.ts'
import { findRepeated, formatKeys } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, conventions } from '../definition.ts'
import { pickFilter } from '../list-filters.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import {
  buildUnboundedQuery,
  compareRecords,
  findPagedLists,
  type PagedList,
  readKeys,
  readRecords,
  readTotals,
  requireTotals,
} from '../paged-list.ts'
import { readUnbounded, requirePage } from '../read-list.ts'
import { formatStatus, isRejection } from '../responses.ts'
import { choosePageSize, forEachList, readShortList } from '../subjects.ts'

const totals = conventions('2', 'meta holds totalRecords (integer) and totalPages (integer)')
const sizes = conventions('3', 'page-size (integer, default 25)')
const pageNumber = conventions('3', 'page (integer, requested page)')

/** A list, and the same list in smaller pages. */
async function readInPages(context: CheckContext, list: PagedList) {
  const { subject, whole } = await readShortList(context, list, 2)
  const size = choosePageSize(whole.records.length)
  const pages = await readUnbounded(context, subject, {}, size)
  return { whole, pages, size, count: whole.records.length }
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
    run: forEachList(async (context, list) => {
      const { whole, pages, size } = await readInPages(context, list)
      const difference = compareRecords(list, whole.records, pages.records)
      const known = findRepeated(readKeys(list, whole.records))
      const repeated = findRepeated(readKeys(list, pages.records)).filter(
        (key) => !known.includes(key),
      )
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
    run: forEachList(async (context, list) => {
      const { pages, count } = await readInPages(context, list)
      for (const response of pages.responses) {
        const { totalRecords } = requireTotals(response)
        if (totalRecords === count) continue
        fail(`${list.ref}: totalRecords is ${totalRecords}, but the list has ${count} records`, {
          expected: `totalRecords ${count} on every page`,
          evidence: [response],
        })
      }
    }),
  },
  {
    id: 'paging.totals.pages',
    title: 'totalPages is the number of pages of that size',
    clause: totals,
    profile: 'smoke',
    run: forEachList(async (context, list) => {
      const { pages, size, count } = await readInPages(context, list)
      const expected = Math.ceil(count / size)
      for (const response of pages.responses) {
        const { totalPages } = requireTotals(response)
        if (totalPages === expected) continue
        fail(`${list.ref}: totalPages is ${totalPages} for ${count} records in pages of ${size}`, {
          expected: `totalPages ${expected}`,
          evidence: [response],
        })
      }
    }),
  },
  {
    id: 'paging.size.held',
    title: 'A page has as many records as page-size requests',
    clause: sizes,
    profile: 'smoke',
    run: forEachList(async (context, list) => {
      const { whole } = await readShortList(context, list, 2)
      for (const size of [1, Math.min(whole.records.length - 1, pageSizeDefault)]) {
        await expectPageSize(context, list, { page: 1, 'page-size': size }, size)
      }
    }),
  },
  {
    id: 'paging.size.default',
    title: 'A page has 25 records by default',
    clause: sizes,
    run: forEachList(async (context, list) => {
      await readShortList(context, list, pageSizeDefault + 1)
      await expectPageSize(context, list, { page: 1 }, pageSizeDefault)
    }),
  },
  {
    id: 'paging.page.default',
    title: 'The first page is returned by default',
    clause: pageNumber,
    run: forEachList(async (context, list) => {
      const { subject, whole } = await readShortList(context, list, 2)
      const query = { 'page-size': 1, ...buildUnboundedQuery(context, list) }
      const page = await requirePage(context, subject, query)
      const actual = readRecords(list, page)
      const difference = compareRecords(list, whole.records.slice(0, 1), actual)
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
    clause: pageNumber,
    choice: { ofHoldfast: '200 with an empty list', decision: '0010-page-numbers-and-sizes' },
    run: async (context) => {
      const statuses = new Set<number>()
      const { seen } = await checkEach(findPagedLists(context), async (list) => {
        const { subject, whole } = await readShortList(context, list)
        const bounds = buildUnboundedQuery(context, list)
        const query = { page: 1000, 'page-size': pageSizeDefault, ...bounds }
        const page = await context.request(list.operation, { ...subject.input, query })
        statuses.add(page.status)
        const failBeyond = (found: string) =>
          fail(`${list.ref}: page=1000 of ${whole.records.length} records returned ${found}`, {
            expected: 'an empty page with the totals of the list, or a rejection',
            evidence: [page],
          })
        if (isRejection(page)) return
        if (!page.isSuccess) failBeyond(formatStatus(page))
        const found = readRecords(list, page).length
        if (found > 0) failBeyond(`${found} records`)
        const total = requireTotals(page).totalRecords
        if (total !== whole.records.length) failBeyond(`totalRecords ${total}`)
      })
      return {
        seen: `${[...statuses].join(', ')}; ${seen}`,
        isHoldfastChoice: [...statuses].every((status) => status === 200),
      }
    },
  },
  {
    id: 'paging.empty',
    title: 'A list without records has zero totals',
    clause: conventions(
      '2',
      'Paged responses have data (required object), links (object) and meta (object)',
    ),
    run: forEachList(async (context, list) => {
      if (list.bounds !== 'time') skip('it has no time bounds')
      const { subject } = await readShortList(context, list)
      const [oldest = ''] = Object.keys(buildUnboundedQuery(context, list))
      const query = { [oldest]: '1970-01-01T00:00:00Z', 'newest-time': '1970-01-02T00:00:00Z' }
      const page = await context.request(list.operation, { ...subject.input, query })
      const { totalRecords, totalPages } = page.isSuccess ? requireTotals(page) : readTotals(page)
      const found = readRecords(list, page).length
      if (found === 0 && totalRecords === 0 && (totalPages === 0 || totalPages === 1)) return
      fail(
        `${list.ref}: two days of 1970 returned ${formatStatus(page)} with ${found} records, totalRecords ${totalRecords}, totalPages ${totalPages}`,
        { expected: 'no records, totalRecords 0, totalPages 0 (or 1)', evidence: [page] },
      )
    }),
  },
  {
    id: 'paging.totals.filtered',
    title: 'Totals count the filtered list',
    clause: totals,
    hint: 'Count with the same conditions as the query for the page.',
    run: forEachList(async (context, list) => {
      const { subject } = await readShortList(context, list, 2)
      const query = pickFilter(context, list) ?? skip('it has no filter')
      const { total, records, responses } = await readUnbounded(context, subject, query)
      if (total === undefined) skip('it has no totals')
      if (total === records.length) return
      fail(
        `${list.ref}: with ${new URLSearchParams(query)} totalRecords is ${total}, but the list has ${records.length} records`,
        { expected: `totalRecords ${records.length}`, evidence: responses.slice(0, 1) },
      )
    }),
  },
]

/** Requests the first page of a short list. */
async function expectPageSize(
  context: CheckContext,
  list: PagedList,
  query: Readonly<Record<string, number>>,
  expected: number,
): Promise<void> {
  const { subject } = await readShortList(context, list)
  const page = await requirePage(context, subject, {
    ...query,
    ...buildUnboundedQuery(context, list),
  })
  const actual = readRecords(list, page).length
  if (actual === expected) return
  const given = query['page-size'] === undefined ? 'no page-size' : `page-size=${expected}`
  fail(`${list.ref}: ${given} returned ${actual} records`, {
    expected: `${expected} records`,
    evidence: [page],
  })
}
