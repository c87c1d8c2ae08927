import type { EntriesOfAccountsQuery } from '../../../provider/store.ts'
import { kindOfList, listCodes } from '../../enum-codes.ts'
import { keysReadMax } from '../../merged-lists.ts'
import { type Reads, toMissing, toPage } from '../../provider-store.ts'
import {
  amountCodes,
  listValues,
  pageValues,
  requestedAccounts,
  type SearchValues,
  searchValues,
  windowValues,
} from '../../request-values.ts'
import { textSlices } from '../../search-index.ts'
import type { DescribedStatement } from '../../statement.ts'
import { sliceBits, slicesPerPart } from '../driver/search-index-tables.ts'
import type { Query } from '../driver/statements.ts'
import { findPartition, partitionTable } from '../partition.ts'
import * as entries from './entry-statements.ts'

type OneList = ReturnType<typeof entries.partitionStatements>

/** A read of at most so many lists that sorts at most so many keys shares its round trip with others. */
const shortReadAccounts = 20
const shortReadKeys = 1000

/** The lists of accounts in the layout `partitions`. Each method is one statement. */
export function openPartitionedLists(
  query: Query,
  partitions: number,
): Pick<Reads, 'listEntries' | 'listEntriesOfAccounts' | 'close'> {
  const statements = Array.from({ length: partitions }, (_, partition) =>
    entries.partitionStatements(partitionTable(partition)),
  )
  const page = async (statement: DescribedStatement, values: Parameters<Query>[1]) => {
    const [[text, ...row] = []] = await query(statement, values)
    return toMissing(text) ?? toPage(row)
  }
  return {
    listEntries(request) {
      const filter = searchValues(request)
      const values = listValues(request)
      const partition = findPartition(values[1], partitions)
      const { list, search, searchAmounts } = statements[partition] as OneList
      if (!filter) return page(list, values)
      return request.text
        ? page(search, [...values, ...filter, ...sliceValues(filter)])
        : page(searchAmounts, [...values, ...filter, ...amountCodes(filter)])
    },

    listEntriesOfAccounts: (request) =>
      page(selectStatement(request), [
        ...requestedAccounts(request),
        ...pageValues(request),
        kindOfList(request.list),
        listCodes[request.list],
        ...windowValues(request.window),
      ]),

    async close() {},
  }
}

function selectStatement({
  window,
  accountIds: { length: accounts },
  page,
  pageSize,
}: EntriesOfAccountsQuery): DescribedStatement {
  const sortedKeys = window ? accounts * page * pageSize : 0
  if (sortedKeys > keysReadMax) return entries.listEntriesByTimeLater
  const statement = window ? entries.listEntriesByTime : entries.listEntriesByAccount
  const isShort = accounts <= shortReadAccounts && sortedKeys <= shortReadKeys
  return isShort ? statement : { ...statement, isLong: true }
}

/** The rows of the index, and the first bits in them, of the slices of a text. */
function sliceValues([, , text]: SearchValues) {
  const slices = text === null ? [] : textSlices(text)
  return [
    slices.map((slice) => Math.floor(slice / slicesPerPart)),
    slices.map((slice) => (slice % slicesPerPart) * sliceBits + 1),
  ] as const
}
