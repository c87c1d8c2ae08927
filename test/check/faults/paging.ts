import type { Body } from '../provider.ts'
import {
  changeLink,
  type Fault,
  isMissing,
  onPages,
  onStore,
  recordsIn,
  transactionsInMemory,
} from './fault.ts'
import { billing, onQuery } from './filters.ts'

export const pagingFaults: readonly Fault[] = [
  {
    name: 'totalRecords counts only the page',
    seam: onPages((page) => {
      page.meta.totalRecords = recordsIn(page).length
    }),
    detectedBy: ['paging.totals.records'],
  },
  {
    name: 'totalPages does not count an incomplete last page',
    seam: onPages((page, { query }) => {
      page.meta.totalPages = Math.floor(
        page.meta.totalRecords / Number(query.get('page-size') ?? 25),
      )
    }),
    detectedBy: ['paging.totals.pages'],
  },
  {
    name: 'totals ignore the filters',
    seam: onStore((store) => ({
      async listEntries(query) {
        const page = await store.listEntries(query)
        const { minAmount: _min, maxAmount: _max, text: _text, ...rest } = query
        const whole = await store.listEntries(rest)
        return isMissing(page) || isMissing(whole) ? page : { ...page, total: whole.total }
      },
    })),
    detectedBy: ['paging.totals.filtered'],
  },
  {
    name: 'small pages overlap by one record',
    seam: {
      ...onStore((store) => ({
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
      refs: ['B6'],
    },
    detectedBy: ['paging.partition'],
  },
  {
    name: 'a page never has more than ten records',
    seam: {
      ...onQuery(billing, (query) => {
        query['page-size'] = String(Math.min(Number(query['page-size'] ?? 25), 10))
      }),
      refs: ['E4'],
    },
    detectedBy: ['paging.size.default', 'paging.size.held'],
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
    detectedBy: ['paging.size.default'],
  },
  {
    name: 'the second page is returned by default',
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const query = request.query as Record<string, string>
          query['page'] ??= '2'
        }),
    },
    detectedBy: ['paging.page.default'],
  },
  {
    name: 'the last page is returned for a page past the end',
    seam: onStore((store) => ({
      async listAccounts(query) {
        const page = await store.listAccounts(query)
        if (isMissing(page) || page.items.length > 0 || page.total === 0) return page
        return store.listAccounts({ ...query, page: Math.ceil(page.total / query.pageSize) })
      },
    })),
    detectedBy: ['paging.page.beyond'],
  },
  {
    name: 'an empty list is rejected',
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
    detectedBy: ['paging.empty'],
  },
  {
    name: 'links omit the filters',
    seam: onPages((page) => {
      for (const [name, link] of Object.entries<string>(page.links)) {
        page.links[name] = ['max-amount', 'open-status'].reduce(
          (text, filter) => changeLink(text, filter, undefined),
          link,
        )
      }
    }),
    detectedBy: ['paging.links.filters'],
  },
  {
    name: 'links omit the page size',
    seam: onPages((page) => {
      for (const [name, link] of Object.entries<string>(page.links))
        page.links[name] = changeLink(link, 'page-size', undefined)
    }),
    detectedBy: ['paging.links.size'],
  },
  {
    name: 'links omit the default window',
    strict: true,
    seam: onPages((page, { query }) => {
      if (query.has('oldest-time')) return
      for (const [name, link] of Object.entries<string>(page.links)) {
        page.links[name] = changeLink(link, 'oldest-time', undefined)
      }
    }, 'E4'),
    detectedBy: ['paging.links.window'],
  },
  {
    name: 'the last link points past the last page',
    seam: onPages((page) => {
      if (page.links.last)
        page.links.last = changeLink(page.links.last, 'page', String(page.meta.totalPages + 1))
    }),
    detectedBy: ['paging.links.last'],
  },
  {
    name: 'the first link points to the current page',
    seam: onPages((page, { query }) => {
      if (page.links.first)
        page.links.first = changeLink(page.links.first, 'page', query.get('page') ?? '1')
    }),
    detectedBy: ['paging.links.first'],
  },
  {
    name: 'the next link skips a page',
    seam: onPages((page, { query }) => {
      if (page.links.next)
        page.links.next = changeLink(
          page.links.next,
          'page',
          String(Number(query.get('page') ?? 1) + 2),
        )
    }),
    detectedBy: ['paging.links.next'],
  },
  {
    name: 'the last page has a next link to itself',
    seam: onPages((page) => {
      page.links.next ??= page.links.last
    }),
    detectedBy: ['paging.links.end'],
  },
  {
    name: 'the prev link points to the first page',
    seam: onPages((page) => {
      if (page.links.prev) page.links.prev = changeLink(page.links.prev, 'page', '1')
    }),
    detectedBy: ['paging.links.prev'],
  },
  {
    name: 'links are complete URLs',
    seam: onPages((page, { path }) => {
      for (const [name, link] of Object.entries<string>(page.links))
        page.links[name] = `https://bank.example${path}?${link}`
    }),
    detectedBy: ['paging.links.fragment'],
  },
  {
    name: 'transactions are oldest first',
    seam: transactionsInMemory((records) => records.toReversed()),
    detectedBy: ['order.transactions', 'order.pages'],
  },
  {
    name: 'transactions are ordered by their times as text',
    seam: transactionsInMemory((records) =>
      records.toSorted((a, b) =>
        (a.postingDateTime ?? 'z') < (b.postingDateTime ?? 'z') ? 1 : -1,
      ),
    ),
    detectedBy: ['order.transactions', 'order.pages'],
  },
  {
    name: 'posted transactions are ordered by their execution times',
    seam: transactionsInMemory((records) => {
      const time = ({ executionDateTime, postingDateTime }: Body) =>
        Date.parse(executionDateTime ?? postingDateTime)
      return records.toSorted((a, b) => time(b) - time(a))
    }),
    detectedBy: ['order.transactions', 'order.pages'],
  },
  {
    name: 'filtered transactions are not ordered',
    seam: onPages((page, { query }) => {
      if (query.has('max-amount')) recordsIn(page).reverse()
    }, 'B3'),
    detectedBy: ['order.filtered'],
  },
  {
    name: 'transactions with the same time are ordered differently on each page',
    seam: transactionsInMemory((records, { page, pageSize }) => {
      if (pageSize > 1 || page % 2 === 1) return records
      const moments = Map.groupBy(records, ({ postingDateTime }) => postingDateTime)
      return [...moments.values()].flatMap(([first, ...rest]) => [...rest, first])
    }),
    detectedBy: ['order.ties'],
  },
  {
    name: 'invoices are oldest first',
    strict: true,
    seam: onPages((page) => void recordsIn(page).reverse(), 'E3'),
    detectedBy: ['order.invoices'],
  },
  {
    name: 'billing is oldest first',
    strict: true,
    seam: onPages((page) => void recordsIn(page).reverse(), 'E4'),
    detectedBy: ['order.billing'],
  },
  {
    name: 'billing of several accounts is oldest first',
    strict: true,
    seam: onPages((page) => void recordsIn(page).reverse(), 'E5'),
    detectedBy: ['order.billing-of-accounts'],
  },
]
