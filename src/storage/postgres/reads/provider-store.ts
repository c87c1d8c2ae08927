import { ContractError, type JsonText, type PageRequest } from '../../../contract/index.ts'
import {
  type AccountFilters,
  type AccountsQuery,
  accountKindByList,
  type EntriesOfAccountsQuery,
  type EntriesQuery,
  type Missing,
  type Overview,
  type Page,
  type ProviderStore,
  type TimeWindow,
} from '../../../provider/store.ts'
import { foldCase } from '../../../text/case-folding.ts'
import { emailKey } from '../../../text/email-key.ts'
import { amountKey } from '../../amount-key.ts'
import type { DatabaseOptions } from '../../database.ts'
import { clampTime, kindCodes, listCodes } from '../../enum-codes.ts'
import { escapeNul, unescapeNul } from '../driver/escape-nul.ts'
import { readPartitions } from '../driver/migrate.ts'
import type { Statement } from '../driver/pipeline.ts'
import { openPool } from '../driver/pool.ts'
import { openReplica } from '../driver/replica.ts'
import { openQuery, type Query, splitTexts } from '../driver/statements.ts'
import { findPartition, partitionTable } from '../partition.ts'
import * as accounts from './account-statements.ts'
import * as entries from './entry-statements.ts'
import { overview } from './overview.ts'

const noAccount = { missing: 'account' } as const

/** Up to this many keys, the newest entries of every list are read and sorted; beyond, a binary search is cheaper. */
const keysReadMax = 5000

/** No id is empty, so this one is never found. */
const unknownId = ''

type Values = Parameters<Query>[1]
type OneList = ReturnType<typeof entries.oneListStatements>

/** The provider's data in PostgreSQL. Each method is one statement, and so reads one snapshot. */
export async function openPostgresProviderStore(
  database: string,
  options: DatabaseOptions,
): Promise<ProviderStore> {
  const pool = await openPool(database, 'read', options)
  const partitions = await readPartitions(pool)
  const oneList = Array.from({ length: partitions }, (_, partition) =>
    entries.oneListStatements(partitionTable(partition)),
  )
  const replica = options.replica ? openReplica(options.replica, pool, options) : undefined

  const queryPrimary = openQuery(pool)
  const query: Query = async (statement, values) => {
    const queryReplica = replica?.current()
    if (!queryReplica) return queryPrimary(statement, values)
    try {
      return await queryReplica(statement, values)
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      replica?.distrust()
      return queryPrimary(statement, values)
    }
  }
  /** The first row of a result, or what was not found. */
  const first = async (statement: Statement, values: Values) => {
    const [[missing, ...row] = []] = await query(statement, values)
    return missing ? ({ missing } as Missing) : row
  }
  const page = async (statement: Statement, values: Values): Promise<Page<JsonText> | Missing> => {
    const found = await first(statement, values)
    if ('missing' in found) return found
    const [total, texts] = found as readonly (JsonText | null)[]
    return { items: texts ? [texts] : [], total: Number(total) }
  }

  return {
    async listAccounts(request) {
      const found = await first(accounts.listAccounts, [
        toId(request.customerId),
        kindCodes[request.kind],
        ...filterValues(request.filters),
        ...pageValues(request),
      ])
      if ('missing' in found) return found
      const [total, texts] = found
      return { items: accountTexts(splitTexts(texts)), total: Number(total) }
    },

    readEnergyAccounts: (request) =>
      page(accounts.readEnergyAccounts, [...requestedAccounts(request), ...pageValues(request)]),

    listBalances: (request) =>
      page(accounts.listBalances, [...requestedAccounts(request), ...pageValues(request)]),

    listEntries(request) {
      const filter = searchValues(request)
      const account = toId(request.accountId)
      const values = [
        toId(request.customerId),
        account,
        kindCodes[accountKindByList[request.list]],
        listCodes[request.list],
        ...windowValues(request.window),
        ...pageValues(request),
      ]
      const statements = oneList[findPartition(account, partitions)] as OneList
      return filter
        ? page(statements.search, [...values, ...filter])
        : page(statements.list, values)
    },

    listEntriesOfAccounts: (request) =>
      page(selectStatement(request), [
        ...requestedAccounts(request),
        ...pageValues(request),
        kindCodes[accountKindByList[request.list]],
        listCodes[request.list],
        ...windowValues(request.window),
      ]),

    async findCustomers(email) {
      if (!email.isWellFormed()) return []
      const rows = await query(accounts.findCustomers, [escapeNul(emailKey(email))])
      return rows.map(([match]) => match ?? '')
    },

    async readCustomer(customerId) {
      const [[record] = []] = await query(accounts.readCustomer, [toId(customerId)])
      return record ?? undefined
    },

    async listShareableAccounts(customerId) {
      const found = await first(accounts.listShareableAccounts, [toId(customerId)])
      return 'missing' in found ? found : splitTexts(found[0])
    },

    async readBalance(customerId, accountId) {
      const found = await first(accounts.readBalance, [toId(customerId), toId(accountId)])
      return 'missing' in found ? found : (found[0] ?? noAccount)
    },

    async readContact(customerId, accountId) {
      const found = await first(accounts.readContact, [toId(customerId), toId(accountId)])
      if ('missing' in found) return found
      const [status, record] = found
      return status == null || record == null ? noAccount : { status, record }
    },

    async overview(): Promise<Overview> {
      const [[customers, accounts, customerId, accountId] = []] = await query(overview, [])
      return {
        customers: Number(customers),
        accounts: Number(accounts),
        ...(customerId && accountId
          ? { example: { customerId: unescapeNul(customerId), accountId: unescapeNul(accountId) } }
          : {}),
      }
    },

    async close() {
      await replica?.close()
      await pool.end()
    },
  }
}

/** A lone surrogate would be encoded as U+FFFD, and could match another id. */
function toId(id: string): string {
  return id.isWellFormed() ? escapeNul(id) : unknownId
}

/** The customer, the requested accounts without duplicates, and the filters. */
function requestedAccounts({ customerId, accountIds, filters }: AccountsQuery): Values {
  return [toId(customerId), [...new Set(accountIds)].map(toId), ...filterValues(filters)]
}

function filterValues({ openStatus, productCategory, isOwned }: AccountFilters) {
  return [
    openStatus === 'ALL' ? null : openStatus === 'OPEN',
    productCategory === undefined ? null : escapeNul(productCategory),
    isOwned ?? null,
  ] as const
}

/** Offset and limit. */
function pageValues({ page, pageSize }: PageRequest) {
  return [Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER), pageSize] as const
}

/** Without a window, the whole list. */
function windowValues(window: TimeWindow | undefined) {
  const { oldest, newest } = window ?? { oldest: -(2n ** 63n), newest: 2n ** 63n }
  return [clampTime(oldest).toString(), clampTime(newest).toString()] as const
}

function searchValues({ minAmount, maxAmount, text }: EntriesQuery) {
  if (minAmount === undefined && maxAmount === undefined && !text) return undefined
  return [
    minAmount === undefined ? null : amountKey(minAmount),
    maxAmount === undefined ? null : amountKey(maxAmount),
    text ? escapeNul(foldCase(text)) : null,
  ] as const
}

function selectStatement({
  window,
  accountIds,
  page,
  pageSize,
}: EntriesOfAccountsQuery): Statement {
  if (!window) return entries.listEntriesByAccount
  return accountIds.length * page * pageSize <= keysReadMax
    ? entries.listEntriesByTime
    : entries.listEntriesByTimeLater
}

/** Each account has three parts. */
function accountTexts(parts: readonly string[]) {
  return Array.from({ length: parts.length / 3 }, (_, index) => {
    const [head = '', isOwned, tail = ''] = parts.slice(3 * index, 3 * index + 3)
    return { head, tail, isOwned: isOwned === 't' }
  })
}
