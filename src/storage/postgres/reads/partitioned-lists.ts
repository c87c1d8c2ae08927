import type { JsonText } from '../../../contract/index.ts'
import {
  accountKindByList,
  type EntriesOfAccountsQuery,
  type Missing,
  type Page,
} from '../../../provider/store.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import type { Statement } from '../driver/pipeline.ts'
import type { Query } from '../driver/statements.ts'
import { findPartition, partitionTable } from '../partition.ts'
import * as entries from './entry-statements.ts'
import { keysReadMax, type Lists, toOverview } from './lists.ts'
import { overview } from './overview.ts'
import {
  amountValues,
  pageValues,
  requestedAccounts,
  searchValues,
  sliceValues,
  toId,
  type Values,
  windowValues,
} from './values.ts'

type OneList = ReturnType<typeof entries.partitionStatements>

/** A read of at most so many lists that sorts at most so many keys shares its round trip with others. */
const shortReadAccounts = 20
const shortReadKeys = 1000

/** The lists of accounts in the layout `partitions`. Each method is one statement. */
export function openPartitionedLists(
  query: Query,
  page: (statement: Statement, values: Values) => Promise<Page<JsonText> | Missing>,
  partitions: number,
): Lists {
  const statements = Array.from({ length: partitions }, (_, partition) =>
    entries.partitionStatements(partitionTable(partition)),
  )
  return {
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
      const { list, search, searchAmounts } = statements[
        findPartition(account, partitions)
      ] as OneList
      if (!filter) return page(list, values)
      return request.text
        ? page(search, [...values, ...filter, ...sliceValues(filter)])
        : page(searchAmounts, [...values, ...filter, ...amountValues(filter)])
    },

    listEntriesOfAccounts: (request) =>
      page(selectStatement(request), [
        ...requestedAccounts(request),
        ...pageValues(request),
        kindCodes[accountKindByList[request.list]],
        listCodes[request.list],
        ...windowValues(request.window),
      ]),

    async overview() {
      const [[customers, accounts, customerId, accountId] = []] = await query(overview, [])
      return toOverview([customers, accounts], [customerId, accountId])
    },

    async close() {},
  }
}

function selectStatement({
  window,
  accountIds: { length: accounts },
  page,
  pageSize,
}: EntriesOfAccountsQuery): Statement {
  const sortedKeys = window ? accounts * page * pageSize : 0
  if (sortedKeys > keysReadMax) return entries.listEntriesByTimeLater
  const statement = window ? entries.listEntriesByTime : entries.listEntriesByAccount
  const isShort = accounts <= shortReadAccounts && sortedKeys <= shortReadKeys
  return isShort ? statement : { ...statement, isLong: true }
}
