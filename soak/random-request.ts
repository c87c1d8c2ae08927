import type { Holdings, Model, Window } from './model.ts'

/** A request, and what the answer must be in any version of the data. */
export interface Question {
  readonly path: string
  readonly query: string
  readonly body?: string
  /** The part of the answer that is judged, of the answer and of the version. */
  readonly part: (answer: Answer) => unknown
  readonly expected: (version: number) => unknown
}

/** Any answer of the provider, as far as it is looked at. */
export interface Answer {
  readonly data?: Readonly<Record<string, unknown>>
  readonly meta?: { readonly totalRecords: number; readonly totalPages: number }
}

const pageSizes = [1, 7, 25, 100, 1000]

export function randomQuestion(model: Model, customers: readonly Holdings[]): Question {
  const holdings = pick(customers)
  const make = pick([customer, balances, transactions, transactions, transactions, invoices])
  return make(model, holdings)
}

/** C3 */
function customer(model: Model, { customerId }: Holdings): Question {
  return {
    path: `/auth/v1/customer/${customerId}`,
    query: '',
    part: (answer) => answer,
    expected: (version) => model.customer(customerId, version),
  }
}

/** B2 */
function balances(model: Model, { customerId, banking }: Holdings): Question {
  return listed(
    `/v1/banking/customer/${customerId}/accounts/balances`,
    'balances',
    (version) => banking.map((accountId) => model.balance(accountId, version)),
    { body: { data: { accountIds: banking } } },
  )
}

/** B3 */
function transactions(model: Model, { customerId, banking }: Holdings): Question {
  const accountId = pick(banking)
  const window = randomWindow()
  return listed(
    `/v1/banking/customer/${customerId}/accounts/${accountId}/transactions`,
    'transactions',
    (version) => model.transactions(accountId, window, version),
    { query: { 'oldest-time': window.oldest, 'newest-time': window.newest } },
  )
}

/** E3 */
function invoices(model: Model, { customerId, energy }: Holdings): Question {
  const { oldest, newest } = randomWindow()
  const window = { oldest: oldest.slice(0, 10), newest: newest.slice(0, 10) }
  return listed(
    `/v1/energy/customer/${customerId}/accounts/invoices`,
    'invoices',
    (version) => model.invoices(energy, window, version),
    {
      query: { 'oldest-date': window.oldest, 'newest-date': window.newest },
      body: { data: { accountIds: energy } },
    },
  )
}

function listed(
  path: string,
  field: string,
  all: (version: number) => unknown[],
  { query = {}, body }: { query?: Record<string, string>; body?: object },
): Question {
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

/** Some days of the last two years, or all that there ever was. */
function randomWindow(): Window {
  if (Math.random() < 0.5) return { oldest: '2000-01-01T00:00:00Z', newest: '2100-01-01T00:00:00Z' }
  const newest = Date.now() - Math.random() * 400 * dayMs
  const oldest = newest - Math.random() * 400 * dayMs
  return { oldest: new Date(oldest).toISOString(), newest: new Date(newest).toISOString() }
}

export function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
}
