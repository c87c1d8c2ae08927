import type { CustomerAccounts, Model, Window } from './model.ts'

/** A request, and the expected response for each version of the data. */
export interface CheckedRequest {
  readonly path: string
  readonly query: string
  readonly body?: string
  /** Selects the part of the response that is compared. */
  readonly part: (body: ResponseBody) => unknown
  readonly expected: (version: number) => unknown
}

/** The fields of a response that are compared. */
export interface ResponseBody {
  readonly data?: Readonly<Record<string, unknown>>
  readonly meta?: { readonly totalRecords: number; readonly totalPages: number }
}

const pageSizes = [1, 7, 25, 100, 1000]

export function createRandomRequest(
  model: Model,
  customers: readonly CustomerAccounts[],
): CheckedRequest {
  const accounts = pick(customers)
  const create = pick([
    customerRequest,
    balancesRequest,
    transactionsRequest,
    transactionsRequest,
    transactionsRequest,
    invoicesRequest,
  ])
  return create(model, accounts)
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
function balancesRequest(model: Model, { customerId, banking }: CustomerAccounts): CheckedRequest {
  return pagedRequest(
    `/v1/banking/customer/${customerId}/accounts/balances`,
    'balances',
    (version) => banking.map((accountId) => model.balance(accountId, version)),
    { body: { data: { accountIds: banking } } },
  )
}

/** B3 */
function transactionsRequest(
  model: Model,
  { customerId, banking }: CustomerAccounts,
): CheckedRequest {
  const accountId = pick(banking)
  const window = randomWindow()
  return pagedRequest(
    `/v1/banking/customer/${customerId}/accounts/${accountId}/transactions`,
    'transactions',
    (version) => model.transactions(accountId, window, version),
    { query: { 'oldest-time': window.oldest, 'newest-time': window.newest } },
  )
}

/** E3 */
function invoicesRequest(model: Model, { customerId, energy }: CustomerAccounts): CheckedRequest {
  const { oldest, newest } = randomWindow()
  const window = { oldest: oldest.slice(0, 10), newest: newest.slice(0, 10) }
  return pagedRequest(
    `/v1/energy/customer/${customerId}/accounts/invoices`,
    'invoices',
    (version) => model.invoices(energy, window, version),
    {
      query: { 'oldest-date': window.oldest, 'newest-date': window.newest },
      body: { data: { accountIds: energy } },
    },
  )
}

function pagedRequest(
  path: string,
  field: string,
  all: (version: number) => unknown[],
  { query = {}, body }: { query?: Record<string, string>; body?: object },
): CheckedRequest {
  const size = pick(pageSizes)
  const page = 1 + Math.floor(Math.random() * 3)
  const parameters = { page: String(page), 'page-size': String(size), ...query }
  return {
    path,
    query: `?${new URLSearchParams(parameters)}`,
    ...(body && { body: JSON.stringify(body) }),
    part: ({ data, meta }) => ({ records: data?.[field], ...meta }),
    expected(version) {
      const records = all(version)
      const totalRecords = records.length
      return {
        records: records.slice((page - 1) * size, page * size),
        totalRecords,
        totalPages: Math.ceil(totalRecords / size),
      }
    },
  }
}

const dayMs = 86_400_000

/** A random range within the last two years, or all time. */
function randomWindow(): Window {
  if (Math.random() < 0.5) return { oldest: '2000-01-01T00:00:00Z', newest: '2100-01-01T00:00:00Z' }
  const newest = Date.now() - Math.random() * 400 * dayMs
  const oldest = newest - Math.random() * 400 * dayMs
  return { oldest: new Date(oldest).toISOString(), newest: new Date(newest).toISOString() }
}

export function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
}
