import type { CheckContext } from '../context.ts'
import { type Check, conventions } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { pickFilters } from '../list-filters.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import {
  buildUnboundedQuery,
  compareRecords,
  findPagedLists,
  type PagedList,
  readLink,
  readRecords,
  readTotals,
} from '../paged-list.ts'
import { readUnbounded, requirePage, type Subject } from '../read-list.ts'
import { formatStatus } from '../responses.ts'
import { choosePageSize, forEachList, readShortList } from '../subjects.ts'

const links = conventions(
  '2',
  'links holds the keys first, last, next, prev; each value is a query-string fragment (for example page, page-size and a date bound) that is combined with the request URL to build the full link',
)

interface Linked {
  readonly subject: Subject
  readonly size: number
  /** The pages by number. */
  readonly pages: readonly HttpResponse[]
}

/** The pages of a list of about three pages, requested by number. */
async function readLinkedPages(
  context: CheckContext,
  list: PagedList,
  query: Record<string, string> = {},
): Promise<Linked> {
  const { subject } = await readShortList(context, list, 2)
  const count = (await readUnbounded(context, subject, query)).records.length
  if (count < 2) skip(`${count} records do not fill two pages`)
  const size = choosePageSize(count, 3)
  const { responses } = await readUnbounded(context, subject, query, size)
  return { subject, size, pages: responses.filter((page) => readRecords(list, page).length > 0) }
}

/** The query of a link in any form: another check tests the form. */
function parseLink(link: string): string {
  const question = link.indexOf('?')
  return link.slice(question + 1).replace(/^&/, '')
}

/** Follows a link and compares the page with the one requested by number. */
async function follow(
  context: CheckContext,
  { subject, size }: Linked,
  from: HttpResponse,
  name: string,
  expected: HttpResponse,
): Promise<HttpResponse> {
  const { list } = subject
  const link = readLink(from, name)
  if (link === undefined) {
    return fail(`${list.ref}: a page has no link ${name}`, {
      expected: `links.${name}`,
      evidence: [from],
    })
  }
  const query = parseLink(link)
  if (new URLSearchParams(query).get('page-size') !== String(size)) {
    skip('the link has another page size')
  }
  const page = await context.request(list.operation, { ...subject.input, query })
  const difference = page.isSuccess
    ? compareRecords(list, readRecords(list, expected), readRecords(list, page))
    : formatStatus(page)
  if (difference === undefined) return page
  return fail(`${list.ref}: the link ${name} returns another page: ${difference}`, {
    expected: 'the page with that number',
    evidence: [from, page],
  })
}

/** A check that a link leads from each of the chosen pages to the next one of them. */
function linkCheck(
  name: 'first' | 'last' | 'next' | 'prev',
  title: string,
  choose: (pages: readonly HttpResponse[]) => readonly (HttpResponse | undefined)[],
): Check {
  return {
    id: `paging.links.${name}`,
    title,
    clause: links,
    profile: name === 'next' ? 'smoke' : undefined,
    run: forEachList(async (context, list) => {
      const linked = await readLinkedPages(context, list)
      let [page, ...others] = choose(linked.pages).filter((each) => each !== undefined)
      for (const expected of others) {
        if (page) page = await follow(context, linked, page, name, expected)
      }
    }),
  }
}

export const linkChecks: readonly Check[] = [
  linkCheck('first', 'The link first returns the first page', (pages) => [pages.at(-1), pages[0]]),
  linkCheck('last', 'The link last returns the last page', (pages) => [pages[0], pages.at(-1)]),
  linkCheck('next', 'Following next returns the whole list, page by page', (pages) => pages),
  linkCheck('prev', 'Following prev returns to the first page', (pages) => pages.toReversed()),
  {
    id: 'paging.links.end',
    title: 'The last page has no next link to records, and the first page no prev link',
    clause: links,
    hint: 'Omit the link: a client that follows next would never stop.',
    run: forEachList(async (context, list) => {
      const { subject, pages } = await readLinkedPages(context, list)
      for (const [page, name] of [
        [pages.at(-1), 'next'],
        [pages[0], 'prev'],
      ] as const) {
        const link = page && readLink(page, name)
        if (link === undefined) continue
        const response = await context.request(list.operation, {
          ...subject.input,
          query: parseLink(link),
        })
        if (readRecords(list, response).length === 0) continue
        fail(
          `${list.ref}: the ${name === 'next' ? 'last' : 'first'} page has a link ${name}, which returns records`,
          { expected: `no link ${name}`, evidence: [page as HttpResponse, response] },
        )
      }
    }),
  },
  {
    id: 'paging.links.fragment',
    title: 'Links are query-string fragments',
    clause: links,
    choice: { ofHoldfast: 'without a leading question mark', decision: '0011-paging-links' },
    run: async (context) => {
      const prefixes = new Set<string>()
      const { seen } = await checkEach(findPagedLists(context), async (list) => {
        const { pages } = await readLinkedPages(context, list)
        for (const page of pages) {
          for (const name of ['first', 'last', 'next', 'prev']) {
            const link = readLink(page, name)
            if (link === undefined) continue
            if (/^[?&]/.test(link)) prefixes.add(link[0] ?? '')
            if (!/:\/\/|^\/|^#/.test(link) && link.includes('=')) continue
            fail(`${list.ref}: links.${name} is ${link.slice(0, 100)}`, {
              expected: 'a query-string fragment such as page=2&page-size=25',
              evidence: [page],
            })
          }
        }
      })
      const form =
        prefixes.size > 0
          ? `with a leading ${[...prefixes].join(' or ')}`
          : 'without a leading question mark'
      return { seen: `${form}; ${seen}`, isHoldfastChoice: prefixes.size === 0 }
    },
  },
  {
    id: 'paging.links.size',
    title: 'Links keep the page size',
    clause: links,
    run: forEachList(async (context, list) => {
      const { pages, size } = await readLinkedPages(context, list)
      const [first] = pages
      if (!first) return
      for (const name of ['first', 'last', 'next']) {
        const link = readLink(first, name)
        if (link === undefined) continue
        const given = new URLSearchParams(parseLink(link)).get('page-size')
        if (given === String(size)) continue
        fail(
          `${list.ref}: with page-size=${size}, links.${name} has ${given === null ? 'no page-size' : `page-size=${given}`}`,
          { expected: `page-size=${size}`, evidence: [first] },
        )
      }
    }),
  },
  {
    id: 'paging.links.filters',
    title: 'Links keep the filters of the request',
    clause: links,
    hint: 'Repeat every parameter of the request except page in each link.',
    run: forEachList(async (context, list) => {
      const filters = await pickFilters(context, list)
      if (filters.length === 0) skip('it has no filter')
      await checkEach(filters, (filter) => checkFilteredLinks(context, list, filter), formatFilter)
    }),
  },
  {
    id: 'paging.links.window',
    title: 'Whether links contain the default time window is reported',
    clause: links,
    choice: {
      ofHoldfast: 'every link has the bounds of the window',
      decision: '0011-paging-links',
    },
    run: async (context) => {
      const seen: string[] = []
      const evidence: HttpResponse[] = []
      await checkEach(findPagedLists(context), async (list) => {
        const bounds = Object.keys(buildUnboundedQuery(context, list))
        if (bounds.length === 0) skip('it has no time window')
        const { subject } = await readShortList(context, list)
        const page = await requirePage(context, subject, { 'page-size': 1 })
        const link = readLink(page, 'first')
        if (link === undefined) return skip('its default time window is empty')
        const hasBounds = bounds.every((name) => new URLSearchParams(parseLink(link)).has(name))
        seen.push(`${list.ref} ${hasBounds ? 'has both bounds' : 'does not have both bounds'}`)
        if (!hasBounds) evidence.push(page)
      })
      return { seen: seen.join(', '), isHoldfastChoice: evidence.length === 0, evidence }
    },
  },
]

const formatFilter = (filter: Readonly<Record<string, string>>) => Object.keys(filter).join(' and ')

/** Follows the links of a filtered list. The total and the records must be those of the filtered list. */
async function checkFilteredLinks(
  context: CheckContext,
  list: PagedList,
  filter: Record<string, string>,
): Promise<void> {
  const { subject, pages } = await readLinkedPages(context, list, filter)
  const [first] = pages
  for (const name of ['next', 'last']) {
    const link = first && readLink(first, name)
    if (!first || link === undefined) continue
    const query = parseLink(link)
    const followed = await context.request(list.operation, { ...subject.input, query })
    const expected = (name === 'next' ? pages[1] : pages.at(-1)) ?? first
    const total = readTotals(followed).totalRecords
    const difference =
      compareRecords(list, readRecords(list, expected), readRecords(list, followed)) ??
      (total === readTotals(first).totalRecords ? undefined : `totalRecords is ${total}`)
    // Bounds may be written in another way.
    if (difference === undefined) continue
    const given = new URLSearchParams(query)
    const isLost = Object.entries(filter).some(
      ([parameter, value]) => given.get(parameter) !== value,
    )
    fail(
      `${list.ref}: with ${new URLSearchParams(filter)}, links.${name} ${isLost ? 'drops the filter' : 'returns another page'}: ${difference}`,
      { expected: 'the page of the filtered list', evidence: [first, followed] },
    )
  }
}
