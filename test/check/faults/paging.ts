import {
  type Fault,
  isMissing,
  onPages,
  onStore,
  recordsIn,
  relinked,
  transactionsByHand,
} from './fault.ts'
import { billing, onQuery } from './filters.ts'

export const pagingFaults: readonly Fault[] = [
  {
    name: 'totalRecords is that of the page',
    seam: onPages((page) => {
      page.meta.totalRecords = recordsIn(page).length
    }),
    catches: ['paging.totals.records'],
  },
  {
    name: 'totalPages leaves out the last page where it is not full',
    seam: onPages((page, { query }) => {
      page.meta.totalPages = Math.floor(
        page.meta.totalRecords / Number(query.get('page-size') ?? 25),
      )
    }),
    catches: ['paging.totals.pages'],
  },
  {
    name: 'totals are those of the list without its filters',
    seam: onStore((store) => ({
      async listEntries(query) {
        const page = await store.listEntries(query)
        const { minAmount: _min, maxAmount: _max, text: _text, ...rest } = query
        const whole = await store.listEntries(rest)
        return isMissing(page) || isMissing(whole) ? page : { ...page, total: whole.total }
      },
    })),
    catches: ['paging.totals.filtered'],
  },
  {
    name: 'pages overlap by one record where they are small',
    seam: onStore((store) => ({
      async listEntriesOfAccounts(query) {
        const all = await store.listEntriesOfAccounts({ ...query, page: 1, pageSize: 1000 })
        if (isMissing(all) || query.pageSize >= 25) return store.listEntriesOfAccounts(query)
        const records = JSON.parse(`[${all.items.join(',')}]`)
        const start = Math.max(0, (query.page - 1) * query.pageSize - (query.page > 1 ? 1 : 0))
        const items = records
          .slice(start, start + query.pageSize)
          .map((record: unknown) => JSON.stringify(record))
        return { items, total: all.total }
      },
    })),
    catches: ['paging.partition'],
  },
  {
    name: 'a page never has more than ten records',
    seam: onQuery(billing, (query) => {
      query['page-size'] = String(Math.min(Number(query['page-size'] ?? 25), 10))
    }),
    catches: ['paging.size.default', 'paging.size.held'],
  },
  {
    name: 'the default size is 20',
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const query = request.query as Record<string, string>
          query['page-size'] ??= '20'
        }),
    },
    catches: ['paging.size.default'],
  },
  {
    name: 'without a page, the second is shown',
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const query = request.query as Record<string, string>
          query['page'] ??= '2'
        }),
    },
    catches: ['paging.page.default'],
  },
  {
    name: 'a page past the end is the last one',
    seam: onStore((store) => ({
      async listAccounts(query) {
        const page = await store.listAccounts(query)
        if (isMissing(page) || page.items.length > 0 || page.total === 0) return page
        return store.listAccounts({ ...query, page: Math.ceil(page.total / query.pageSize) })
      },
    })),
    catches: ['paging.page.beyond'],
  },
  {
    name: 'an empty list is refused',
    seam: onPages(
      (page, { reply }) => {
        if (page.meta.totalRecords > 0) return
        reply.status(404)
        for (const member of Object.keys(page)) delete page[member]
        page.error = 'Nothing found'
      },
      'B3',
      'E4',
    ),
    catches: ['paging.empty'],
  },
  {
    name: 'links forget the filters',
    seam: onPages((page) => {
      for (const [name, link] of Object.entries<string>(page.links)) {
        page.links[name] = ['max-amount', 'open-status'].reduce(
          (text, filter) => relinked(text, filter, undefined),
          link,
        )
      }
    }),
    catches: ['paging.links.filters'],
  },
  {
    name: 'links forget the size of the page',
    seam: onPages((page) => {
      for (const [name, link] of Object.entries<string>(page.links))
        page.links[name] = relinked(link, 'page-size', undefined)
    }),
    catches: ['paging.links.size'],
  },
  {
    name: 'links forget a window that was not asked for',
    strict: true,
    seam: onPages((page, { query }) => {
      if (query.has('oldest-time')) return
      for (const [name, link] of Object.entries<string>(page.links)) {
        page.links[name] = relinked(link, 'oldest-time', undefined)
      }
    }, 'E4'),
    catches: ['paging.links.window'],
  },
  {
    name: 'the last link leads one page too far',
    seam: onPages((page) => {
      if (page.links.last)
        page.links.last = relinked(page.links.last, 'page', String(page.meta.totalPages + 1))
    }),
    catches: ['paging.links.last'],
  },
  {
    name: 'the first link leads to the page itself',
    seam: onPages((page, { query }) => {
      if (page.links.first)
        page.links.first = relinked(page.links.first, 'page', query.get('page') ?? '1')
    }),
    catches: ['paging.links.first'],
  },
  {
    name: 'the next link leaves out a page',
    seam: onPages((page, { query }) => {
      if (page.links.next)
        page.links.next = relinked(
          page.links.next,
          'page',
          String(Number(query.get('page') ?? 1) + 2),
        )
    }),
    catches: ['paging.links.next'],
  },
  {
    name: 'the last page has a next link to itself',
    seam: onPages((page) => {
      page.links.next ??= page.links.last
    }),
    catches: ['paging.links.end'],
  },
  {
    name: 'the prev link leads to the first page',
    seam: onPages((page) => {
      if (page.links.prev) page.links.prev = relinked(page.links.prev, 'page', '1')
    }),
    catches: ['paging.links.prev'],
  },
  {
    name: 'links are whole addresses',
    seam: onPages((page, { path }) => {
      for (const [name, link] of Object.entries<string>(page.links))
        page.links[name] = `https://bank.example${path}?${link}`
    }),
    catches: ['paging.links.fragment'],
  },
  {
    name: 'transactions are oldest first',
    seam: transactionsByHand((records) => records.toReversed()),
    catches: ['order.transactions', 'order.pages'],
  },
  {
    name: 'transactions are ordered by the text of their time',
    seam: transactionsByHand((records) =>
      records.toSorted((a, b) =>
        (a.postingDateTime ?? 'z') < (b.postingDateTime ?? 'z') ? 1 : -1,
      ),
    ),
    catches: ['order.transactions', 'order.pages'],
  },
  {
    name: 'transactions that are filtered lose their order',
    seam: onPages((page, { query }) => {
      if (query.has('max-amount')) recordsIn(page).reverse()
    }, 'B3'),
    catches: ['order.filtered'],
  },
  {
    name: 'transactions of the same moment change places from page to page',
    seam: transactionsByHand((records, { page, pageSize }) => {
      if (pageSize > 1 || page % 2 === 1) return records
      const moments = Map.groupBy(records, ({ postingDateTime }) => postingDateTime)
      return [...moments.values()].flatMap(([first, ...rest]) => [...rest, first])
    }),
    catches: ['order.ties'],
  },
  {
    name: 'invoices are oldest first',
    strict: true,
    seam: onPages((page) => void recordsIn(page).reverse(), 'E3'),
    catches: ['order.invoices'],
  },
  {
    name: 'billing is oldest first',
    strict: true,
    seam: onPages((page) => void recordsIn(page).reverse(), 'E4'),
    catches: ['order.billing'],
  },
  {
    name: 'billing of several accounts is oldest first',
    strict: true,
    seam: onPages((page) => void recordsIn(page).reverse(), 'E5'),
    catches: ['order.billing-of-accounts'],
  },
]
