import type { JsonText, PageRequest } from '../../../contract/index.ts'
import type {
  EntriesOfAccountsQuery,
  EntriesQuery,
  Missing,
  Page,
  ProviderStore,
} from '../../../provider/store.ts'
import {
  countAll,
  createAccountStatements,
  foundAccounts,
  missingAny,
  missingOne,
  owner,
  ownerAndAccount,
} from '../../account-statements.ts'
import { kindOfList, listCodes } from '../../enum-codes.ts'
import { type ListReads, readSeveralLists } from '../../merged-lists.ts'
import { createProviderStore, toMissing } from '../../provider-store.ts'
import { requestedAccounts, searchValues, toId, windowValues } from '../../request-values.ts'
import { describe } from '../../statement.ts'
import { openDatabase } from '../driver/open.ts'
import { openReadPool, type Reader } from '../driver/read-pool.ts'
import { dialect, openStatements } from '../driver/sql.ts'
import { batchReads } from '../driver/statements.ts'
import { listNumber, listOfAccount } from '../entry-position.ts'
import { type EntryRanges, openEntryRanges, type Range, rangeLength } from './entry-ranges.ts'
import { findMatching, scanStep } from './filtered-entries.ts'
import { isShortMerge, openMergedPage } from './merged-page.ts'
import { openWindowPage } from './window-page.ts'

const hasTransactions = `exists (
  select 1 from entry where list = ${listOfAccount(listCodes.transaction)})`

/** An account of the customer, by its kind ($3). */
const findAccount = `select ${missingOne(dialect)}, a.number from ${ownerAndAccount('$3')}`

/** The requested accounts that match the filters, by their kind ($6). One row with nulls if there are none. */
const findAccounts = `with ${foundAccounts(dialect, '$6')}
  select ${missingAny(dialect)}, f.number, f.id from ${owner} left join found f on f.passes
  order by f.place`

/** The provider's data in one SQLite file. Each method reads one snapshot: a load is visible as a whole or not at all. */
export function openSqliteProviderStore(path: string): ProviderStore {
  const database = openDatabase(path, 'serve')
  const snapshot = batchReads(database)
  const { readRows } = openStatements(database)
  const lists = openEntryRanges(database)
  const readWindowPage = openWindowPage(database)
  const readMergedPage = openMergedPage(database)
  const readPool = openReadPool(path)

  return createProviderStore({
    statements: createAccountStatements(dialect),
    overview: countAll(hasTransactions),
    query: (statement, values) => snapshot(() => readRows(describe(statement).text, values)),

    async listEntries(request) {
      const filter = searchValues(request)
      if (!filter) {
        return snapshot(() => readWindowPage(request) ?? (findList(readRows, request) as Missing))
      }
      const found = await snapshot(() => {
        const range = findRange({ readRows, lists }, request)
        if ('missing' in range) return range
        if (rangeLength(range) > scanStep) return undefined
        return toFilteredPage(lists, range, paginate(lists.matching([range], filter), request))
      })
      if (found) return found
      return readPool(async (reader) => {
        const range = findRange(reader, request)
        if ('missing' in range) return range
        const matching = await findMatching(reader, range, filter, request)
        return toFilteredPage(reader.lists, range, matching)
      })
    },

    async listEntriesOfAccounts(request) {
      if (isShortMerge(request)) {
        return snapshot(() => readMergedPage(request) ?? (findLists(readRows, request) as Missing))
      }
      return readPool(async (reader) => {
        const found = findLists(reader.readRows, request)
        if ('missing' in found) return found
        const window = windowValues(request.window)
        const windows = found.flatMap(({ list, account }) => {
          const within = reader.lists.within(list, window)
          return within ? [{ ...within, account }] : []
        })
        return readSeveralLists(toListReads(reader), windows, request)
      })
    },

    async close() {
      await readPool.close()
      database.close()
    },
  })
}

function findList(
  readRows: Reader['readRows'],
  { customerId, accountId, list }: EntriesQuery,
): number | Missing {
  const values = [toId(customerId), toId(accountId), kindOfList(list)]
  const [[text, number] = []] = readRows(findAccount, values)
  return toMissing(text) ?? listNumber(Number(number), list)
}

function findRange(
  { readRows, lists }: Pick<Reader, 'readRows' | 'lists'>,
  request: EntriesQuery,
): Range | Missing {
  const list = findList(readRows, request)
  if (typeof list === 'object') return list
  return lists.within(list, windowValues(request.window)) ?? { list, first: 1, last: 0 }
}

/** The lists of the requested accounts that match the filters, in the requested order. */
function findLists(
  readRows: Reader['readRows'],
  request: EntriesOfAccountsQuery,
): { readonly list: number; readonly account: string }[] | Missing {
  const values = [...requestedAccounts(request), kindOfList(request.list)]
  const rows = readRows(findAccounts, values)
  const missing = toMissing(rows[0]?.[0])
  if (missing) return missing
  return rows.flatMap(([, number, id]) =>
    number === null || number === undefined
      ? []
      : [{ list: listNumber(Number(number), request.list), account: String(id) }],
  )
}

/** After how many seeks of a search by time the event loop runs other work. */
const seeksPerTurn = 64

function toListReads({ lists, yieldTurn }: Reader): ListReads<number> {
  let seeks = 0
  return {
    soughtAtOnce: 1,
    async seek(list, times) {
      seeks += 1
      if (seeks % seeksPerTurn === 0) await yieldTurn()
      return times.map((time) => lists.seek(list, time))
    },
    async keys({ window, low, high }) {
      const keys = lists.keys({ list: window.list, first: low, last: high })
      return keys.map(([ordinal, time, id]) => ({ ordinal: Number(ordinal), time, id, window }))
    },
    async records({ window, low, high }) {
      return lists.records({ list: window.list, first: low, last: high })
    },
    async recordsOf(keys) {
      return lists.recordsAt(keys.map(({ window, ordinal }) => ({ list: window.list, ordinal })))
    },
  }
}

function paginate<Item>(all: readonly Item[], { page, pageSize }: PageRequest): Page<Item> {
  const start = (page - 1) * pageSize
  return { items: all.slice(start, start + pageSize), total: all.length }
}

/** The page of the entries with these ordinals. */
function toFilteredPage(
  lists: EntryRanges,
  { list }: Range,
  { items, total }: Page<number>,
): Page<JsonText> {
  return { items: lists.recordsAt(items.map((ordinal) => ({ list, ordinal }))), total }
}
