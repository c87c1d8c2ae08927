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
import { fromText, toText } from '../driver/escape-nul.ts'
import { partitionsOf } from '../driver/migrate.ts'
import type { Statement } from '../driver/pipeline.ts'
import { openPool } from '../driver/pool.ts'
import { openReplica } from '../driver/replica.ts'
import { type Ask, openAsking, separated } from '../driver/statements.ts'
import { numbersOf } from '../partition.ts'
import * as accounts from './account-statements.ts'
import * as entries from './entry-statements.ts'
import { overview } from './overview.ts'

const noAccount = { missing: 'account' } as const

/** Up to here the top of every list is read and sorted; beyond, the place in time is searched for. */
const keysReadMax = 5000

/** No id is empty: it stands for one that nobody can have. */
const nobody = ''

type Values = Parameters<Ask>[1]

/** The provider's data in PostgreSQL. Each answer is one statement, and so comes from one state of the data. */
export async function openPostgresProviderStore(
  database: string,
  options: DatabaseOptions,
): Promise<ProviderStore> {
  const pool = await openPool(database, 'read', options)
  const partitions = await partitionsOf(pool)
  const replica = options.replica ? openReplica(options.replica, pool, options) : undefined

  const askDatabase = openAsking(pool)
  const ask: Ask = async (statement, values) => {
    const askCopy = replica?.current()
    if (!askCopy) return askDatabase(statement, values)
    try {
      return await askCopy(statement, values)
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      replica?.distrust()
      return askDatabase(statement, values)
    }
  }
  /** The first row of what a statement gives, or what is missing. */
  const first = async (statement: Statement, values: Values) => {
    const [[missing, ...row] = []] = await ask(statement, values)
    return missing ? ({ missing } as Missing) : row
  }
  const page = async (statement: Statement, values: Values): Promise<Page<JsonText> | Missing> => {
    const found = await first(statement, values)
    if ('missing' in found) return found
    const [total, texts] = found as readonly (JsonText | null)[]
    return { items: texts ? [texts] : [], total: Number(total) }
  }

  return {
    async listAccounts(asked) {
      const found = await first(accounts.listAccounts, [
        idOf(asked.customerId),
        kindCodes[asked.kind],
        ...filtersOf(asked.filters),
        ...rangeOf(asked),
      ])
      if ('missing' in found) return found
      const [total, texts] = found
      return { items: accountTexts(separated(texts)), total: Number(total) }
    },

    readEnergyAccounts: (asked) =>
      page(accounts.readEnergyAccounts, [...namedIn(asked), ...rangeOf(asked)]),

    listBalances: (asked) => page(accounts.listBalances, [...namedIn(asked), ...rangeOf(asked)]),

    listEntries(asked) {
      const filter = filterOf(asked)
      const account = idOf(asked.accountId)
      const values = [
        idOf(asked.customerId),
        account,
        kindCodes[accountKindByList[asked.list]],
        listCodes[asked.list],
        ...windowOf(asked.window),
        ...rangeOf(asked),
        ...numbersOf(account, partitions),
      ]
      return filter
        ? page(entries.searchEntries, [...values, ...filter])
        : page(entries.listEntries, values)
    },

    listEntriesOfAccounts: (asked) =>
      page(statementFor(asked), [
        ...namedIn(asked),
        ...rangeOf(asked),
        kindCodes[accountKindByList[asked.list]],
        listCodes[asked.list],
        ...windowOf(asked.window),
      ]),

    async findCustomers(email) {
      if (!email.isWellFormed()) return []
      const rows = await ask(accounts.findCustomers, [toText(emailKey(email))])
      return rows.map(([match]) => match ?? '')
    },

    async readCustomer(customerId) {
      const [[record] = []] = await ask(accounts.readCustomer, [idOf(customerId)])
      return record ?? undefined
    },

    async listShareableAccounts(customerId) {
      const found = await first(accounts.listShareableAccounts, [idOf(customerId)])
      return 'missing' in found ? found : separated(found[0])
    },

    async readBalance(customerId, accountId) {
      const found = await first(accounts.readBalance, [idOf(customerId), idOf(accountId)])
      return 'missing' in found ? found : (found[0] ?? noAccount)
    },

    async readContact(customerId, accountId) {
      const found = await first(accounts.readContact, [idOf(customerId), idOf(accountId)])
      if ('missing' in found) return found
      const [status, record] = found
      return status == null || record == null ? noAccount : { status, record }
    },

    async overview(): Promise<Overview> {
      const [[customers, accounts, customerId, accountId] = []] = await ask(overview, [])
      return {
        customers: Number(customers),
        accounts: Number(accounts),
        ...(customerId && accountId
          ? { example: { customerId: fromText(customerId), accountId: fromText(accountId) } }
          : {}),
      }
    },

    async close() {
      await replica?.close()
      await pool.end()
    },
  }
}

/** The database would take half a character for the mark that stands for an unknown one. */
function idOf(id: string): string {
  return id.isWellFormed() ? toText(id) : nobody
}

/** The customer, the accounts that are named, each once, and the filters. */
function namedIn({ customerId, accountIds, filters }: AccountsQuery): Values {
  return [idOf(customerId), [...new Set(accountIds)].map(idOf), ...filtersOf(filters)]
}

function filtersOf({ openStatus, productCategory, isOwned }: AccountFilters) {
  return [
    openStatus === 'ALL' ? null : openStatus === 'OPEN',
    productCategory === undefined ? null : toText(productCategory),
    isOwned ?? null,
  ] as const
}

/** How many to leave out, and how many to give. */
function rangeOf({ page, pageSize }: PageRequest) {
  return [Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER), pageSize] as const
}

/** Without a window, all of the list. */
function windowOf(window: TimeWindow | undefined) {
  const { oldest, newest } = window ?? { oldest: -(2n ** 63n), newest: 2n ** 63n }
  return [clampTime(oldest).toString(), clampTime(newest).toString()] as const
}

function filterOf({ minAmount, maxAmount, text }: EntriesQuery) {
  if (minAmount === undefined && maxAmount === undefined && !text) return undefined
  return [
    minAmount === undefined ? null : amountKey(minAmount),
    maxAmount === undefined ? null : amountKey(maxAmount),
    text ? toText(foldCase(text)) : null,
  ] as const
}

function statementFor({ window, accountIds, page, pageSize }: EntriesOfAccountsQuery): Statement {
  if (!window) return entries.listEntriesByAccount
  return accountIds.length * page * pageSize <= keysReadMax
    ? entries.listEntriesByTime
    : entries.listEntriesByTimeFarDown
}

/** Three parts for each account. */
function accountTexts(parts: readonly string[]) {
  return Array.from({ length: parts.length / 3 }, (_, index) => {
    const [head = '', isOwned, tail = ''] = parts.slice(3 * index, 3 * index + 3)
    return { head, tail, isOwned: isOwned === 't' }
  })
}
