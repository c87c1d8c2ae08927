import type {
  AccountFilters,
  EntriesOfAccountsQuery,
  EntriesQuery,
  TimeWindow,
} from '../../../src/provider/store.ts'
import {
  type Fault,
  filteredByHand,
  onPages,
  onRecords,
  onStore,
  rightFilters,
  transactionsByHand,
} from './fault.ts'

/** Another view of the filters of every question about accounts. */
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

/** Another view of the window of one list. */
function withWindow(list: EntriesQuery['list'], change: (window: TimeWindow) => TimeWindow) {
  const changed = <Query extends EntriesQuery | EntriesOfAccountsQuery>(query: Query): Query =>
    query.list === list && query.window ? { ...query, window: change(query.window) } : query
  return onStore((store) => ({
    listEntries: (query) => store.listEntries(changed(query)),
    listEntriesOfAccounts: (query) => store.listEntriesOfAccounts(changed(query)),
  }))
}

/** Bounds that are the wrong way round, put right instead of taken as they are. */
function inOrder({ oldest, newest }: TimeWindow): TimeWindow {
  return oldest > newest ? { oldest: newest, newest: oldest } : { oldest, newest }
}

/** Changes the query before it is read, for the lists at some path. */
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

/** `newest` minus so many months, where `oldest` is not given. */
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
    name: 'open-status is not looked at',
    seam: withFilters((filters) => ({ ...filters, openStatus: 'ALL' })),
    catches: ['filters.open-status'],
  },
  {
    name: 'without open-status, open accounts alone are shown',
    seam: onQuery(/open-status=|accounts(\?|$)|balances|direct-debits|scheduled/, (query) => {
      query['open-status'] ??= 'OPEN'
    }),
    catches: ['filters.open-status.all'],
  },
  {
    name: 'product-category is not looked at',
    seam: withFilters(({ productCategory: _, ...filters }) => filters),
    catches: ['filters.product-category'],
  },
  {
    name: 'is-owned is not looked at',
    seam: withFilters(({ isOwned: _, ...filters }) => filters),
    catches: ['filters.is-owned'],
  },
  {
    name: 'isOwned is that of another holder',
    seam: onRecords((account) => {
      if (['a-2', 'a-4'].includes(account.accountId)) account.isOwned = !account.isOwned
    }, 'B1'),
    catches: ['filters.is-owned'],
  },
  {
    name: 'of two filters, one counts',
    seam: withFilters(({ isOwned, ...filters }) =>
      filters.openStatus === 'ALL' ? { isOwned, ...filters } : filters,
    ),
    catches: ['filters.combined'],
  },
  {
    name: 'the least amount itself is left out',
    seam: filteredByHand({
      min: (record, query) => rightFilters.min(record, query) && record.amount !== query.minAmount,
    }),
    catches: ['filters.amount.min'],
  },
  {
    name: 'the largest amount itself is left out',
    seam: filteredByHand({
      max: (record, query) => rightFilters.max(record, query) && record.amount !== query.maxAmount,
    }),
    catches: ['filters.amount.max'],
  },
  {
    name: 'amounts compare as floats',
    seam: filteredByHand({
      min: (record, { minAmount }) =>
        minAmount === undefined || Number(record.amount) >= Number(minAmount),
      max: (record, { maxAmount }) =>
        maxAmount === undefined || Number(record.amount) <= Number(maxAmount),
    }),
    catches: ['filters.amount.exact'],
  },
  {
    name: 'amounts compare without their sign',
    seam: filteredByHand({
      min: (record, query) => rightFilters.min({ amount: record.amount.replace('-', '') }, query),
      max: (record, query) => rightFilters.max({ amount: record.amount.replace('-', '') }, query),
    }),
    catches: ['filters.amount.sign', 'filters.amount.min', 'filters.amount.max'],
  },
  {
    name: 'text goes by its case',
    strict: true,
    seam: filteredByHand({
      text: (record, { text = '' }) =>
        [record.description, record.reference].some((value) => value?.includes(text)),
    }),
    catches: ['filters.text.case'],
  },
  {
    name: 'text has the wildcards of LIKE',
    seam: filteredByHand({
      text: (record, { text }) => {
        if (text === undefined) return true
        const pattern = RegExp.escape(text).replaceAll('%', '.*').replaceAll('_', '.')
        return [record.description, record.reference].some(
          (value) => value && new RegExp(pattern, 'i').test(value),
        )
      },
    }),
    catches: ['filters.text.literal'],
  },
  {
    name: 'text is looked for in descriptions alone',
    seam: filteredByHand({
      text: (record, { text = '' }) =>
        record.description.toLowerCase().includes(text.toLowerCase()),
    }),
    catches: ['filters.text.reference'],
  },
  {
    name: 'text is looked for at the beginning alone',
    seam: filteredByHand({
      text: (record, { text = '' }) =>
        [record.description, record.reference].some((value) =>
          value?.toLowerCase().startsWith(text.toLowerCase()),
        ),
    }),
    catches: ['filters.text.description', 'filters.text.reference'],
  },
  {
    name: 'a quote in the text breaks the statement',
    seam: transactionsByHand((records, { text }) => {
      if (text?.includes("'")) throw new Error('unterminated')
      return records
    }),
    catches: ['filters.text.ascii'],
  },
  {
    name: 'the text filter is left out, and that is said beside the parameter alone',
    seam: {
      ...onPages((page, { query }) => {
        if (query.has('text')) page.meta.isQueryParamUnsupported = true
      }, 'B3'),
      ...onQuery(transactions, (query) => {
        delete query['text']
      }),
    },
    catches: ['filters.text.unsupported'],
  },
  {
    name: 'beside a text, amounts do not count',
    seam: filteredByHand({
      min: (record, query) => query.text !== undefined || rightFilters.min(record, query),
      max: (record, query) => query.text !== undefined || rightFilters.max(record, query),
    }),
    catches: ['filters.transactions.combined'],
  },

  {
    name: 'the lower bound of B3 itself is left out',
    seam: withWindow('transaction', ({ oldest, newest }) => ({ oldest: oldest + 1n, newest })),
    catches: ['windows.B3.oldest'],
  },
  {
    name: 'the upper bound of B3 itself is left out',
    seam: withWindow('transaction', ({ oldest, newest }) => ({ oldest, newest: newest - 1n })),
    catches: ['windows.B3.newest'],
  },
  {
    name: 'B3 goes back thirteen months',
    seam: defaultMonths(transactions, 'time', 13),
    catches: ['windows.B3.default-oldest'],
  },
  {
    name: 'B3 also shows what is still to come',
    seam: onQuery(transactions, (query) => {
      if (query['newest-time'] !== undefined) return
      query['newest-time'] = Temporal.Now.instant()
        .add({ hours: 24 * 60 })
        .toString()
      query['oldest-time'] ??= months(12).toInstant().toString()
    }),
    catches: ['windows.B3.default'],
  },
  {
    name: 'B3 reads bounds without their zone',
    seam: onQuery(transactions, (query) => {
      for (const name of ['oldest-time', 'newest-time'])
        query[name] = query[name]?.replace(/[+ ]10:00$/, 'Z')
    }),
    catches: ['windows.B3.offset'],
  },
  {
    name: 'B3 puts bounds in the wrong order right',
    seam: withWindow('transaction', inOrder),
    catches: ['windows.B3.inverted'],
  },
  {
    name: 'the lower bound of invoices is a day late',
    seam: withWindow('invoice', ({ oldest, newest }) => ({ oldest: oldest + 1n, newest })),
    catches: ['windows.E3.oldest'],
  },
  {
    name: 'the upper bound of invoices itself is left out',
    seam: withWindow('invoice', ({ oldest, newest }) => ({ oldest, newest: newest - 1n })),
    catches: ['windows.E3.newest'],
  },
  {
    name: 'invoices go back twelve months',
    seam: defaultMonths(invoices, 'date', 12),
    catches: ['windows.E3.default-oldest'],
  },
  {
    name: 'the upper bound of billing itself is left out',
    seam: withWindow('billing', ({ oldest, newest }) => ({ oldest, newest: newest - 1n })),
    catches: ['windows.E4.newest', 'windows.E5.newest'],
  },
  {
    name: 'E4 does not look at its lower bound',
    seam: onQuery(billing, (query) => {
      query['oldest-time'] = '1970-01-01T00:00:00Z'
    }),
    catches: [
      'windows.E4.oldest',
      'windows.E4.default-oldest',
      'windows.E4.default',
      'windows.E4.inverted',
    ],
  },
  {
    name: 'E5 goes back 24 months',
    seam: defaultMonths(billingOfAccounts, 'time', 24),
    catches: ['windows.E5.default-oldest', 'windows.E5.default'],
  },
  {
    name: 'billing reads bounds without their zone',
    seam: onQuery(anyBilling, (query) => {
      for (const name of ['oldest-time', 'newest-time']) {
        query[name] = query[name]?.replace(/[+ ]10:00$/, 'Z')
      }
    }),
    catches: ['windows.E4.offset', 'windows.E5.offset'],
  },
  {
    name: 'the lower bound of billing itself is left out',
    seam: withWindow('billing', ({ oldest, newest }) => ({ oldest: oldest + 1n, newest })),
    catches: ['windows.E4.oldest', 'windows.E5.oldest'],
  },
  {
    name: 'billing puts bounds in the wrong order right',
    seam: withWindow('billing', inOrder),
    catches: ['windows.E4.inverted', 'windows.E5.inverted'],
  },
  {
    name: 'invoices put bounds in the wrong order right',
    seam: withWindow('invoice', inOrder),
    catches: ['windows.E3.inverted'],
  },
  {
    name: 'invoices that are still to come are shown',
    seam: onQuery(invoices, (query) => {
      if (query['newest-date'] !== undefined) return
      query['newest-date'] = months(-2).toPlainDate().toString()
      query['oldest-date'] ??= months(24).toPlainDate().toString()
    }),
    catches: ['windows.E3.default'],
  },
]
