import { ContractError } from '../../../src/contract/index.ts'
import type {
  AccountFilters,
  EntriesOfAccountsQuery,
  EntriesQuery,
  TimeWindow,
} from '../../../src/provider/store.ts'
import {
  correctFilters,
  type Fault,
  filteredInMemory,
  onPages,
  onRecords,
  onStore,
  transactionsInMemory,
} from './fault.ts'

/** Changes the filters of every query for accounts. */
function withFilters(change: (filters: AccountFilters) => AccountFilters) {
  return onStore((store) => ({
    listAccounts: (query) => store.listAccounts({ ...query, filters: change(query.filters) }),
    listBalances: (query) => store.listBalances({ ...query, filters: change(query.filters) }),
    readEnergyAccounts: (query) =>
      store.readEnergyAccounts({ ...query, filters: change(query.filters) }),
    listEntriesOfAccounts: (query) =>
      store.listEntriesOfAccounts({ ...query, filters: change(query.filters) }),
  }))
}

/** Changes the time window of a list. */
function withWindow(list: EntriesQuery['list'], change: (window: TimeWindow) => TimeWindow) {
  const changed = <Query extends EntriesQuery | EntriesOfAccountsQuery>(query: Query): Query =>
    query.list === list && query.window ? { ...query, window: change(query.window) } : query
  return onStore((store) => ({
    listEntries: (query) => store.listEntries(changed(query)),
    listEntriesOfAccounts: (query) => store.listEntriesOfAccounts(changed(query)),
  }))
}

/** Swaps bounds in the wrong order. */
function inOrder({ oldest, newest }: TimeWindow): TimeWindow {
  return oldest > newest ? { oldest: newest, newest: oldest } : { oldest, newest }
}

/** Changes the query of requests to a path before it is parsed. */
export function onQuery(path: RegExp, change: (query: Record<string, string | undefined>) => void) {
  return {
    app: (app: {
      addHook: (
        name: 'preHandler',
        hook: (request: { url: string; query: unknown }) => Promise<void>,
      ) => unknown
    }) =>
      void app.addHook('preHandler', async (request) => {
        if (path.test(request.url)) change(request.query as Record<string, string | undefined>)
      }),
  }
}

const transactions = /\/transactions/
const invoices = /\/invoices/
export const billing = /\/accounts\/[^/]+\/billing/
const billingOfAccounts = /\/accounts\/billing/
const anyBilling = /\/billing/
const months = (count: number) => Temporal.Now.zonedDateTimeISO('UTC').subtract({ months: count })

/** Sets the default of `oldest` to this number of months before `newest`. */
function defaultMonths(path: RegExp, unit: 'time' | 'date', count: number) {
  return onQuery(path, (query) => {
    const newest = query[`newest-${unit}`]
    if (query[`oldest-${unit}`] !== undefined) return
    const end =
      newest === undefined
        ? months(0)
        : Temporal.PlainDate.from(newest.slice(0, 10)).toZonedDateTime('UTC')
    const start = end.subtract({ months: count })
    query[`oldest-${unit}`] =
      unit === 'date' ? start.toPlainDate().toString() : start.toInstant().toString()
  })
}

export const filterFaults: readonly Fault[] = [
  {
    name: 'open-status is ignored',
    seam: withFilters((filters) => ({ ...filters, openStatus: 'ALL' })),
    detectedBy: ['filters.open-status'],
  },
  {
    name: 'only open accounts are returned without open-status',
    seam: onQuery(/open-status=|accounts(\?|$)|balances|direct-debits|scheduled/, (query) => {
      query['open-status'] ??= 'OPEN'
    }),
    detectedBy: ['filters.open-status.all'],
  },
  {
    name: 'product-category is ignored',
    seam: withFilters(({ productCategory: _, ...filters }) => filters),
    detectedBy: ['filters.product-category'],
  },
  {
    name: 'a product category is rejected',
    seam: onQuery(/product-category=TRADE_FINANCE/, () => {
      throw new ContractError('invalid_request')
    }),
    detectedBy: ['filters.values'],
  },
  {
    name: 'is-owned is ignored',
    seam: withFilters(({ isOwned: _, ...filters }) => filters),
    detectedBy: ['filters.is-owned'],
  },
  {
    name: 'isOwned is the value of another holder',
    seam: onRecords((account) => {
      if (['a-2', 'a-4'].includes(account.accountId)) account.isOwned = !account.isOwned
    }, 'B1'),
    detectedBy: ['filters.is-owned'],
  },
  {
    name: 'only one of two filters is applied',
    seam: withFilters(({ isOwned, ...filters }) =>
      filters.openStatus === 'ALL' ? { isOwned, ...filters } : filters,
    ),
    detectedBy: ['filters.combined'],
  },
  {
    name: 'the minimum amount is exclusive',
    seam: filteredInMemory({
      min: (record, query) =>
        correctFilters.min(record, query) && record.amount !== query.minAmount,
    }),
    detectedBy: ['filters.amount.min'],
  },
  {
    name: 'the maximum amount is exclusive',
    seam: filteredInMemory({
      max: (record, query) =>
        correctFilters.max(record, query) && record.amount !== query.maxAmount,
    }),
    detectedBy: ['filters.amount.max'],
  },
  {
    name: 'amounts are compared as floats',
    seam: filteredInMemory({
      min: (record, { minAmount }) =>
        minAmount === undefined || Number(record.amount) >= Number(minAmount),
      max: (record, { maxAmount }) =>
        maxAmount === undefined || Number(record.amount) <= Number(maxAmount),
    }),
    detectedBy: ['filters.amount.exact'],
  },
  {
    name: 'amounts are compared without their sign',
    seam: filteredInMemory({
      min: (record, query) => correctFilters.min({ amount: record.amount.replace('-', '') }, query),
      max: (record, query) => correctFilters.max({ amount: record.amount.replace('-', '') }, query),
    }),
    detectedBy: ['filters.amount.sign', 'filters.amount.min', 'filters.amount.max'],
  },
  {
    name: 'the text filter is case-sensitive',
    strict: true,
    seam: filteredInMemory({
      text: (record, { text = '' }) =>
        [record.description, record.reference].some((value) => value?.includes(text)),
    }),
    detectedBy: ['filters.text.case'],
  },
  {
    name: 'the text filter has the wildcards of LIKE',
    seam: filteredInMemory({
      text: (record, { text }) => {
        if (text === undefined) return true
        const pattern = RegExp.escape(text).replaceAll('%', '.*').replaceAll('_', '.')
        return [record.description, record.reference].some(
          (value) => value && new RegExp(pattern, 'i').test(value),
        )
      },
    }),
    detectedBy: ['filters.text.literal'],
  },
  {
    name: 'the text filter searches only descriptions',
    seam: filteredInMemory({
      text: (record, { text = '' }) =>
        record.description.toLowerCase().includes(text.toLowerCase()),
    }),
    detectedBy: ['filters.text.reference'],
  },
  {
    name: 'the text filter matches only at the start',
    seam: filteredInMemory({
      text: (record, { text = '' }) =>
        [record.description, record.reference].some((value) =>
          value?.toLowerCase().startsWith(text.toLowerCase()),
        ),
    }),
    detectedBy: ['filters.text.description', 'filters.text.reference'],
  },
  {
    name: 'a quote in the text causes an SQL error',
    seam: transactionsInMemory((records, { text }) => {
      if (text?.includes("'")) throw new Error('unterminated')
      return records
    }),
    detectedBy: ['filters.text.ascii'],
  },
  {
    name: 'a missing text filter is declared only if the parameter is present',
    seam: {
      ...onPages((page, { query }) => {
        if (query.has('text')) page.meta.isQueryParamUnsupported = true
      }, 'B3'),
      ...onQuery(transactions, (query) => {
        delete query['text']
      }),
    },
    detectedBy: ['filters.text.unsupported'],
  },
  {
    name: 'amounts are ignored in a request with text',
    seam: filteredInMemory({
      min: (record, query) => query.text !== undefined || correctFilters.min(record, query),
      max: (record, query) => query.text !== undefined || correctFilters.max(record, query),
    }),
    detectedBy: ['filters.transactions.combined'],
  },

  {
    name: 'the lower bound of B3 is exclusive',
    seam: withWindow('transaction', ({ oldest, newest }) => ({ oldest: oldest + 1n, newest })),
    detectedBy: ['windows.B3.oldest'],
  },
  {
    name: 'the upper bound of B3 is exclusive',
    seam: withWindow('transaction', ({ oldest, newest }) => ({ oldest, newest: newest - 1n })),
    detectedBy: ['windows.B3.newest'],
  },
  {
    name: 'the default window of B3 is thirteen months',
    seam: defaultMonths(transactions, 'time', 13),
    detectedBy: ['windows.B3.default-oldest'],
  },
  {
    name: 'the default window of B3 includes the future',
    seam: onQuery(transactions, (query) => {
      if (query['newest-time'] !== undefined) return
      query['newest-time'] = Temporal.Now.instant()
        .add({ hours: 24 * 60 })
        .toString()
      query['oldest-time'] ??= months(12).toInstant().toString()
    }),
    detectedBy: ['windows.B3.default'],
  },
  {
    name: 'B3 ignores the offset of bounds',
    seam: onQuery(transactions, (query) => {
      for (const name of ['oldest-time', 'newest-time'])
        query[name] = query[name]?.replace(/[+ ]10:00$/, 'Z')
    }),
    detectedBy: ['windows.B3.offset'],
  },
  {
    name: 'B3 swaps bounds in the wrong order',
    seam: withWindow('transaction', inOrder),
    detectedBy: ['windows.B3.inverted'],
  },
  {
    name: 'the lower bound of invoices is exclusive',
    seam: withWindow('invoice', ({ oldest, newest }) => ({ oldest: oldest + 1n, newest })),
    detectedBy: ['windows.E3.oldest'],
  },
  {
    name: 'the upper bound of invoices is exclusive',
    seam: withWindow('invoice', ({ oldest, newest }) => ({ oldest, newest: newest - 1n })),
    detectedBy: ['windows.E3.newest'],
  },
  {
    name: 'the default window of invoices is twelve months',
    seam: defaultMonths(invoices, 'date', 12),
    detectedBy: ['windows.E3.default-oldest'],
  },
  {
    name: 'the upper bound of billing is exclusive',
    seam: withWindow('billing', ({ oldest, newest }) => ({ oldest, newest: newest - 1n })),
    detectedBy: ['windows.E4.newest', 'windows.E5.newest'],
  },
  {
    name: 'E4 ignores its lower bound',
    seam: onQuery(billing, (query) => {
      query['oldest-time'] = '1970-01-01T00:00:00Z'
    }),
    detectedBy: [
      'windows.E4.oldest',
      'windows.E4.default-oldest',
      'windows.E4.default',
      'windows.E4.inverted',
    ],
  },
  {
    name: 'the default window of E5 is 24 months',
    seam: defaultMonths(billingOfAccounts, 'time', 24),
    detectedBy: ['windows.E5.default-oldest', 'windows.E5.default'],
  },
  {
    name: 'billing ignores the offset of bounds',
    seam: onQuery(anyBilling, (query) => {
      for (const name of ['oldest-time', 'newest-time']) {
        query[name] = query[name]?.replace(/[+ ]10:00$/, 'Z')
      }
    }),
    detectedBy: ['windows.E4.offset', 'windows.E5.offset'],
  },
  {
    name: 'the lower bound of billing is exclusive',
    seam: withWindow('billing', ({ oldest, newest }) => ({ oldest: oldest + 1n, newest })),
    detectedBy: ['windows.E4.oldest', 'windows.E5.oldest'],
  },
  {
    name: 'billing swaps bounds in the wrong order',
    seam: withWindow('billing', inOrder),
    detectedBy: ['windows.E4.inverted', 'windows.E5.inverted'],
  },
  {
    name: 'invoices swap bounds in the wrong order',
    seam: withWindow('invoice', inOrder),
    detectedBy: ['windows.E3.inverted'],
  },
  {
    name: 'the default window of invoices includes the future',
    seam: onQuery(invoices, (query) => {
      if (query['newest-date'] !== undefined) return
      query['newest-date'] = months(-2).toPlainDate().toString()
      query['oldest-date'] ??= months(24).toPlainDate().toString()
    }),
    detectedBy: ['windows.E3.default'],
  },
]
