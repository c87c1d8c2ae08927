import type { CustomerAccounts, Model, Window } from './model.ts'

/** A request, and the expected response for each version of the data. */
export interface CheckedRequest {
  readonly path: string
  readonly query: string
  readonly body?: string
  readonly lists?: readonly string[]
  /** Selects the part of the response that is compared. */
  readonly part: (body: ResponseBody) => unknown
  readonly expected: (version: number) => unknown
}

/** The fields of a response that are compared. */
export interface ResponseBody {
  readonly data?: Readonly<Record<string, unknown>>
  readonly meta?: { readonly totalRecords: number; readonly totalPages: number }
}

interface Page {
  readonly number: number
  readonly size: number
}

const pageSizes = [1, 7, 25, 100, 1000]
const firstPage: Page = { number: 1, size: 1000 }

const allTime: Window = { oldest: '2000-01-01T00:00:00Z', newest: '2100-01-01T00:00:00Z' }

export function createRandomRequest(
  model: Model,
  customers: readonly CustomerAccounts[],
): CheckedRequest {
  const accounts = pick(customers)
  const page = randomPage()
  const window = randomWindow()
  const transactions = () =>
    transactionsRequest(model, accounts, pick(accounts.banking), window, page)
  return pick([
    () => customerRequest(model, accounts),
    () => balancesRequest(model, accounts, page),
    transactions,
    transactions,
    transactions,
    () => invoicesRequest(model, accounts, accounts.energy, window, page),
  ])()
}

/** Requests for all data of a customer. */
export function createAllRequests(model: Model, accounts: CustomerAccounts): CheckedRequest[] {
  return [
    customerRequest(model, accounts),
    balancesRequest(model, accounts, firstPage),
    ...accounts.banking.map((id) => transactionsRequest(model, accounts, id, allTime, firstPage)),
    ...accounts.energy.map((id) => invoicesRequest(model, accounts, [id], allTime, firstPage)),
  ]
}

/** C3 */
function customerRequest(model: Model, { customerId }: CustomerAccounts): CheckedRequest {
  return {
    path: `/auth/v1/customer/${customerId}`,
    query: '',
    part: (body) => body,
    expected: (version) => model.customer(customerId, version),
  }
}

/** B2 */
function balancesRequest(
  model: Model,
  { customerId, banking }: CustomerAccounts,
  page: Page,
): CheckedRequest {
  return pagedRequest(
    `/v1/banking/customer/${customerId}/accounts/balances`,
    'balances',
    (version) => banking.map((accountId) => model.balance(accountId, version)),
    page,
    { body: { data: { accountIds: banking } } },
  )
}

/** B3 */
function transactionsRequest(
  model: Model,
  { customerId }: CustomerAccounts,
  accountId: string,
  window: Window,
  page: Page,
): CheckedRequest {
  return pagedRequest(
    `/v1/banking/customer/${customerId}/accounts/${accountId}/transactions`,
    'transactions',
    (version) => model.list('banking.transaction', [accountId], window, version),
    page,
    {
      query: { 'oldest-time': window.oldest, 'newest-time': window.newest },
      lists: [accountId],
    },
  )
}

/** E3 */
function invoicesRequest(
  model: Model,
  { customerId }: CustomerAccounts,
  accountIds: readonly string[],
  window: Window,
  page: Page,
): CheckedRequest {
  const [oldest, newest] = [window.oldest.slice(0, 10), window.newest.slice(0, 10)]
  const days = { oldest: `${oldest}T00:00:00Z`, newest: `${newest}T00:00:00Z` }
  return pagedRequest(
    `/v1/energy/customer/${customerId}/accounts/invoices`,
    'invoices',
    (version) => model.list('energy.invoice', accountIds, days, version),
    page,
    {
      query: { 'oldest-date': oldest, 'newest-date': newest },
      body: { data: { accountIds } },
      lists: accountIds,
    },
  )
}

interface PagedOptions {
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly lists?: readonly string[]
}

function pagedRequest(
  path: string,
  field: string,
  all: (version: number) => unknown[],
  { number, size }: Page,
  { query = {}, body, lists = [] }: PagedOptions,
): CheckedRequest {
  const parameters = { page: String(number), 'page-size': String(size), ...query }
  return {
    path,
    query: `?${new URLSearchParams(parameters)}`,
    ...(body && { body: JSON.stringify(body) }),
    lists,
    part: ({ data, meta }) => ({ records: data?.[field], ...meta }),
    expected(version) {
      const records = all(version)
      const totalRecords = records.length
      return {
        records: records.slice((number - 1) * size, number * size),
        totalRecords,
        totalPages: Math.ceil(totalRecords / size),
      }
    },
  }
}

function randomPage(): Page {
  return { number: 1 + Math.floor(Math.random() * 3), size: pick(pageSizes) }
}

const dayMs = 86_400_000

/** A random range within the last two years, or all time. */
function randomWindow(): Window {
  if (Math.random() < 0.5) return allTime
  const newest = Date.now() - Math.random() * 400 * dayMs
  const oldest = newest - Math.random() * 400 * dayMs
  return { oldest: new Date(oldest).toISOString(), newest: new Date(newest).toISOString() }
}

export function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
}
