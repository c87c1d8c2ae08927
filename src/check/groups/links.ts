import { differenceOf } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import { type Check, conventions } from '../definition.ts'
import type { Answer } from '../http-client.ts'
import { filtersFor } from '../list-filters.ts'
import {
  type Fields,
  keyOf,
  linkOf,
  metaOf,
  type PagedList,
  pageOf,
  recordsOf,
  type Subject,
  walk,
  wholeQuery,
} from '../lists.ts'
import { fail, judgeEach, skip } from '../outcome.ts'
import { onEachList, shortWalk, sizeFor } from './paging.ts'

const links = conventions(
  '2',
  'links holds the keys first, last, next, prev; each value is a query-string fragment (for example page, page-size and a date bound) that is combined with the request URL to build the full link',
)

interface Linked {
  readonly subject: Subject
  readonly size: number
  /** The pages by number. */
  readonly pages: readonly Answer[]
}

/** A list in three pages or so, as the numbers of pages show it. */
async function linkedPages(
  world: CheckContext,
  list: PagedList,
  query: Record<string, string> = {},
): Promise<Linked> {
  const { subject, whole } = await shortWalk(world, list, 2)
  const all = { ...wholeQuery(world, list), ...query }
  const count =
    Object.keys(query).length > 0
      ? (await walk(world, subject, all)).records.length
      : whole.records.length
  if (count < 2) skip(`${count} records are too few for two pages`)
  const size = sizeFor(count, 3)
  const { answers } = await walk(world, subject, all, size)
  return { subject, size, pages: answers.filter((page) => recordsOf(list, page).length > 0) }
}

/** The link as a query, however it is dressed: that is for another check. */
function queryOfLink(link: string): string {
  const question = link.indexOf('?')
  return link.slice(question + 1).replace(/^&/, '')
}

function requireLink(list: PagedList, page: Answer, name: string, where: string): string {
  const link = linkOf(page, name)
  if (link !== undefined) return queryOfLink(link)
  return fail(`${list.ref}: ${where} has no link ${name}`, {
    expected: `links.${name}`,
    evidence: [page],
  })
}

/** Follows a link and compares what it shows with a page by number. */
async function follow(
  world: CheckContext,
  { subject, size }: Linked,
  from: Answer,
  name: string,
  expected: Answer,
): Promise<Answer> {
  const { list } = subject
  const query = requireLink(list, from, name, 'a page')
  if (new URLSearchParams(query).get('page-size') !== String(size)) {
    skip('the link loses the size of the page')
  }
  const page = await world.ask(list.operation, { ...subject.ask, query })
  const difference = differenceOf(
    keys(list, recordsOf(list, expected)),
    keys(list, recordsOf(list, page)),
  )
  if (page.isSuccess && difference === undefined) return page
  return fail(
    `${list.ref}: the link ${name} leads to another page: ${page.isSuccess ? difference : `status ${page.status}`}`,
    {
      expected: 'the page that its number shows',
      evidence: [from, page],
    },
  )
}

function keys(list: PagedList, records: readonly Fields[]): string[] {
  return records.map((record) => keyOf(list, record))
}

/** From the other end of the list. */
function leadsTo(name: 'first' | 'last'): Check {
  return {
    id: `paging.links.${name}`,
    title: `The link ${name} leads to the ${name} page`,
    clause: links,
    profile: 'full',
    run: (world) =>
      onEachList(world, async (list) => {
        const linked = await linkedPages(world, list)
        const [first, last] = [linked.pages[0], linked.pages.at(-1)]
        if (!first || !last) return
        const [from, to] = name === 'first' ? [last, first] : [first, last]
        await follow(world, linked, from, name, to)
      }),
  }
}

export const linkChecks: readonly Check[] = [
  leadsTo('first'),
  leadsTo('last'),
  {
    id: 'paging.links.next',
    title: 'Following next shows the whole list, page by page',
    clause: links,
    profile: 'smoke',
    run: (world) =>
      onEachList(world, async (list) => {
        const linked = await linkedPages(world, list)
        let [page] = linked.pages
        for (const expected of linked.pages.slice(1)) {
          if (page) page = await follow(world, linked, page, 'next', expected)
        }
      }),
  },
  {
    id: 'paging.links.prev',
    title: 'Following prev leads back to the first page',
    clause: links,
    profile: 'full',
    run: (world) =>
      onEachList(world, async (list) => {
        const linked = await linkedPages(world, list)
        let page = linked.pages.at(-1)
        for (const expected of linked.pages.slice(0, -1).reverse()) {
          if (page) page = await follow(world, linked, page, 'prev', expected)
        }
      }),
  },
  {
    id: 'paging.links.end',
    title: 'The last page has no next that shows records, and the first no prev',
    clause: links,
    profile: 'full',
    hint: 'Leave the link out there: whoever follows next until it ends would never end.',
    run: (world) =>
      onEachList(world, async (list) => {
        const { subject, pages } = await linkedPages(world, list)
        for (const [page, name] of [
          [pages.at(-1), 'next'],
          [pages[0], 'prev'],
        ] as const) {
          const link = page && linkOf(page, name)
          if (link === undefined) continue
          const answer = await world.ask(list.operation, {
            ...subject.ask,
            query: queryOfLink(link),
          })
          if (recordsOf(list, answer).length === 0) continue
          fail(
            `${list.ref}: the ${name === 'next' ? 'last' : 'first'} page has a link ${name}, which shows records`,
            {
              expected: `no link ${name}`,
              evidence: [page as Answer, answer],
            },
          )
        }
      }),
  },
  {
    id: 'paging.links.fragment',
    title: 'Links are query-string fragments',
    clause: links,
    profile: 'full',
    run: async (world) => {
      const dressed = new Set<string>()
      const judged = await onEachList(world, async (list) => {
        const { pages } = await linkedPages(world, list)
        for (const page of pages) {
          for (const name of ['first', 'last', 'next', 'prev']) {
            const link = linkOf(page, name)
            if (link === undefined) continue
            if (/^[?&]/.test(link)) dressed.add(link[0] ?? '')
            if (!/:\/\/|^\/|^#/.test(link) && link.includes('=')) continue
            fail(`${list.ref}: links.${name} is ${link.slice(0, 100)}`, {
              expected: 'a query-string fragment such as page=2&page-size=25',
              evidence: [page],
            })
          }
        }
      })
      return {
        ...judged,
        choice: {
          seen: `${dressed.size > 0 ? `with a leading ${[...dressed].join(' or ')}` : 'without a leading question mark'}; ${judged.seen}`,
          isOurs: dressed.size === 0,
          ours: 'without a leading question mark',
          decision: '0011-paging-links',
        },
      }
    },
  },
  {
    id: 'paging.links.size',
    title: 'Links keep the size of the page',
    clause: links,
    profile: 'full',
    run: (world) =>
      onEachList(world, async (list) => {
        const { pages, size } = await linkedPages(world, list)
        const [first] = pages
        if (!first) return
        for (const name of ['first', 'last', 'next']) {
          const link = linkOf(first, name)
          if (link === undefined) continue
          const given = new URLSearchParams(queryOfLink(link)).get('page-size')
          if (given === String(size)) continue
          fail(
            `${list.ref}: with page-size=${size}, links.${name} has ${given === null ? 'no page-size' : `page-size=${given}`}`,
            {
              expected: `page-size=${size}`,
              evidence: [first],
            },
          )
        }
      }),
  },
  {
    id: 'paging.links.filters',
    title: 'Links keep the filters of the request',
    clause: links,
    profile: 'full',
    hint: 'Repeat every parameter of the request but page in each link.',
    run: (world) =>
      onEachList(world, async (list) => {
        const filters = await filtersFor(world, list)
        if (filters.length === 0) skip('it has no filter')
        await judgeEach(filters, nameOfFilter, (filter) => judgeFilter(world, list, filter))
      }),
  },
  {
    id: 'paging.links.window',
    title: 'Links of a list with a default window say which window it was',
    clause: links,
    profile: 'full',
    run: async (world) => {
      const seen: string[] = []
      const evidence: Answer[] = []
      const judged = await onEachList(world, async (list) => {
        const bounds = Object.keys(wholeQuery(world, list))
        if (bounds.length === 0) skip('it has no window')
        const { subject } = await shortWalk(world, list)
        const page = await pageOf(world, subject, { 'page-size': 1 })
        const link = linkOf(page, 'first')
        if (link === undefined) return skip('its default window is empty')
        const pinned = bounds.every((name) => new URLSearchParams(queryOfLink(link)).has(name))
        seen.push(`${list.ref} ${pinned ? 'pins both bounds' : 'does not pin both bounds'}`)
        if (!pinned) evidence.push(page)
      })
      return {
        ...judged,
        choice: {
          seen: seen.join(', '),
          isOurs: evidence.length === 0,
          ours: 'the bounds that were in force are in every link',
          decision: '0011-paging-links',
          evidence,
        },
      }
    },
  },
]

const nameOfFilter = (filter: Readonly<Record<string, string>>) => Object.keys(filter).join(' and ')

/** Follows the links of a filtered list: page, total and records must be those of the filtered list. */
async function judgeFilter(
  world: CheckContext,
  list: PagedList,
  filter: Record<string, string>,
): Promise<void> {
  const { subject, pages } = await linkedPages(world, list, filter)
  const [first] = pages
  for (const name of ['next', 'last']) {
    const link = first && linkOf(first, name)
    if (!first || link === undefined) continue
    const query = queryOfLink(link)
    const followed = await world.ask(list.operation, { ...subject.ask, query })
    const expected = (name === 'next' ? pages[1] : pages.at(-1)) ?? first
    const total = metaOf(followed).totalRecords
    const difference =
      differenceOf(keys(list, recordsOf(list, expected)), keys(list, recordsOf(list, followed))) ??
      (total === metaOf(first).totalRecords ? undefined : `totalRecords is ${total}`)
    // Another spelling of the same bound is as good.
    if (difference === undefined) continue
    const given = new URLSearchParams(query)
    const isLost = Object.entries(filter).some(
      ([parameter, value]) => given.get(parameter) !== value,
    )
    fail(
      `${list.ref}: with ${new URLSearchParams(filter)}, links.${name} ${isLost ? 'drops the filter' : 'leads elsewhere'}: ${difference}`,
      { expected: 'the page of the filtered list', evidence: [first, followed] },
    )
  }
}
