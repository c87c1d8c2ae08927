import {
  type AccountsQuery,
  type CategoryFilter,
  type MissingFrom,
  missing,
  type OwnershipFilter,
  type Source,
  type SourcePage,
  type StatusFilter,
} from 'holdfast/server'
import type { Pool } from 'pg'
import { listProductCodes } from './codes.ts'
import * as queries from './queries.ts'
import {
  type AccountRow,
  type BalanceRow,
  type CustomerRow,
  type PartyRow,
  toAccount,
  toBalance,
  toContact,
  toCustomer,
  toPayment,
  toTransaction,
} from './records.ts'

interface Answer<Row> {
  readonly has_customer: boolean
  /** Absent if the query names no accounts. */
  readonly has_accounts?: boolean
  /** Absent if the query returns no balances. */
  readonly has_balances?: boolean
  readonly total: number
  readonly records: readonly Row[]
}

interface Page {
  readonly page: number
  readonly pageSize: number
}

type Filters = StatusFilter & OwnershipFilter & CategoryFilter
type PageOfAccounts<Item> = SourcePage<Item> | MissingFrom<'customer' | 'account'>
type OfAccounts<Item> = Promise<PageOfAccounts<Item>>

/** Reads a core banking database. It has no direct debits, so the source has no `listDirectDebits`. */
export function createSource(pool: Pool): Source {
  async function readAnswer<Row>(sql: string, values: unknown[]): Promise<Answer<Row>> {
    const { rows } = await pool.query<Answer<Row>>(sql, values)
    const [answer] = rows
    if (!answer) throw new Error('the query returned no row')
    return answer
  }

  async function listOfAccounts<Row, Item>(
    sql: string,
    values: unknown[],
    toItem: (row: Row) => Item,
  ): OfAccounts<Item> {
    return toPageOfAccounts(await readAnswer<Row>(sql, values), toItem)
  }

  async function listAccounts(customerId: string, filters: Filters, page: Page) {
    const values = [customerId, ...toLimits(page), ...toFilterValues(filters)]
    const answer = await readAnswer<AccountRow>(queries.listAccounts, values)
    if (!answer.has_customer) return missing('customer')
    return { items: answer.records.map(toAccount), total: answer.total }
  }

  async function listBalances({
    customerId,
    accountIds,
    ...query
  }: AccountsQuery & Filters & Page) {
    const values = [customerId, ...toLimits(query), ...toFilterValues(query), accountIds]
    const answer = await readAnswer<BalanceRow>(queries.listBalances, values)
    const found = toPageOfAccounts(answer, toBalance)
    return 'missing' in found || answer.has_balances ? found : missing('balance')
  }

  function listPayments({ customerId, accountIds, ...query }: AccountsQuery & Filters & Page) {
    const values = [customerId, ...toLimits(query), ...toFilterValues(query), accountIds]
    return listOfAccounts(queries.listStandingOrders, values, toPayment)
  }

  return {
    async searchCustomers({ email }) {
      const { rows } = await pool.query<CustomerRow>(queries.findCustomersByEmail, [email])
      return rows.map(toCustomer).map(({ id, name, phoneNumber }) => ({ id, name, phoneNumber }))
    },

    async getCustomer({ customerId }) {
      const { rows } = await pool.query<CustomerRow>(queries.findCustomer, [customerId])
      return rows[0] ? toCustomer(rows[0]) : missing('customer')
    },

    async listShareableAccounts({ customerId }) {
      const found = await listAccounts(customerId, { openStatus: 'ALL' }, allAccounts)
      if ('missing' in found) return found
      return found.items.map(({ accountId, productName, productCategory, displayName }) => ({
        id: accountId,
        name: productName,
        type: productCategory,
        displayName,
      }))
    },

    listBankingAccounts: ({ customerId, ...query }) => listAccounts(customerId, query, query),

    listBankingBalances: listBalances,

    async getExampleBalance({ customerId, accountId }) {
      const found = await listBalances({ customerId, accountIds: [accountId], ...first })
      return 'missing' in found ? found : (found.items[0] ?? missing('balance'))
    },

    listBankingTransactions: (query) =>
      listOfAccounts(
        queries.listTransactions,
        [
          query.customerId,
          ...toLimits(query),
          [query.accountId],
          toMicroseconds(query.oldest, 'ceil'),
          toMicroseconds(query.newest, 'floor'),
          query.minAmount,
          query.maxAmount,
          toSearchText(query.text),
        ],
        toTransaction,
      ),

    listScheduledPayments: ({ accountId, ...query }) =>
      listPayments({ ...query, accountIds: [accountId], openStatus: 'ALL' }),

    listScheduledPaymentsOfAccounts: listPayments,

    async getAccountContact({ customerId, accountId }) {
      const values = [customerId, [accountId]]
      const answer = await readAnswer<PartyRow>(queries.listParties, values)
      if (!answer.has_customer) return missing('customer')
      return answer.has_accounts ? toContact(answer.records) : missing('account')
    },
  }
}

/** No customer of the bank has more accounts. */
const allAccounts = { page: 1, pageSize: 1000 }
const first = { openStatus: 'ALL', page: 1, pageSize: 1 } as const

function toPageOfAccounts<Row, Item>(
  { has_customer, has_accounts, records, total }: Answer<Row>,
  toItem: (row: Row) => Item,
): PageOfAccounts<Item> {
  if (!has_customer) return missing('customer')
  return has_accounts ? { items: records.map(toItem), total } : missing('account')
}

function toLimits({ page, pageSize }: Page): number[] {
  return [pageSize, (page - 1) * pageSize]
}

function toFilterValues({ openStatus, isOwned, productCategory }: Filters): unknown[] {
  const products = productCategory === undefined ? undefined : listProductCodes(productCategory)
  return [openStatus, isOwned, products]
}

/** Bounds have nanoseconds, the journal has microseconds: a bound between two of them must not reach the wrong one. */
function toMicroseconds(bound: Temporal.Instant, roundingMode: 'ceil' | 'floor'): string {
  const rounded = bound.round({ smallestUnit: 'microsecond', roundingMode })
  return String(rounded.epochNanoseconds / 1000n)
}

/** PostgreSQL accepts no NUL character. A noncharacter is in no text either. */
function toSearchText(text = ''): string {
  return text.replaceAll('\0', '\uffff')
}
