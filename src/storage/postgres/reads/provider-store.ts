import { emailKey } from '../../../contract/email-key.ts'
import { type AccountKind, ContractError, type JsonText } from '../../../contract/index.ts'
import type { Missing, Page, ProviderStore } from '../../../provider/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { kindCodes } from '../../enum-codes.ts'
import { partitionsDefault, readSchema } from '../driver/migrate.ts'
import type { Statement } from '../driver/pipeline.ts'
import { openPool } from '../driver/pool.ts'
import { openReplica } from '../driver/replica.ts'
import { openQuery, type Query, splitTexts } from '../driver/statements.ts'
import * as accounts from './account-statements.ts'
import { openDistributedLists } from './distributed-lists.ts'
import { openPartitionedLists } from './partitioned-lists.ts'
import { filterValues, pageValues, requestedAccounts, toId, type Values } from './values.ts'

const noAccount = { missing: 'account' } as const

/** The provider's data in PostgreSQL. Each method reads one snapshot: it is one statement, except in distributed-lists.ts. */
export async function openPostgresProviderStore(
  database: string,
  options: DatabaseOptions,
): Promise<ProviderStore> {
  const pool = await openPool(database, 'read', options)
  const schema = await readSchema(pool)
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

  const lists =
    schema?.layout === 'citus'
      ? await openDistributedLists(database, pool, options)
      : openPartitionedLists(query, page, schema?.partitions ?? partitionsDefault)

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
      return { items: joinAccounts(splitTexts(texts), request.kind), total: Number(total) }
    },

    readEnergyAccounts: (request) =>
      page(accounts.readEnergyAccounts, [...requestedAccounts(request), ...pageValues(request)]),

    listBalances: (request) =>
      page(accounts.listBalances, [...requestedAccounts(request), ...pageValues(request)]),

    listEntries: lists.listEntries,
    listEntriesOfAccounts: lists.listEntriesOfAccounts,
    overview: lists.overview,

    async findCustomers(email) {
      if (!email.isWellFormed() || email.includes('\0')) return []
      const rows = await query(accounts.findCustomers, [emailKey(email)])
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

    async close() {
      await replica?.close()
      await lists.close()
      await pool.end()
    },
  }
}

/** Each account has three parts: the text before and after `isOwned`, and its value, which only banking accounts have. */
function joinAccounts(parts: readonly string[], kind: AccountKind): string[] {
  return Array.from({ length: parts.length / 3 }, (_, index) => {
    const [head = '', isOwned, tail = ''] = parts.slice(3 * index, 3 * index + 3)
    return kind === 'banking' ? `${head}${isOwned === 't'}${tail}` : head + tail
  })
}
