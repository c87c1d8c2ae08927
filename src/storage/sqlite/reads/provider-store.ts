import { foldCase } from '../../../contract/case-folding.ts'
import { emailKey } from '../../../contract/email-key.ts'
import type { JsonText, PageRequest } from '../../../contract/index.ts'
import { compareBytes } from '../../../provider/entry-order.ts'
import {
  type AccountsQuery,
  accountKindByList,
  type EntriesQuery,
  type Overview,
  type Page,
  type ProviderStore,
} from '../../../provider/store.ts'
import { amountKey } from '../../amount-key.ts'
import { clampTime, kindCodes, listCodes } from '../../enum-codes.ts'
import { openDatabase } from '../driver/open.ts'
import { openReadPool } from '../driver/read-pool.ts'
import { batchReads, query } from '../driver/statements.ts'
import {
  listNumber,
  listOfAccount,
  ordinalMax,
  selectNewest,
  selectOldest,
} from '../entry-position.ts'
import { type HeldAccount, matchesFilters, openAccounts } from './accounts.ts'
import {
  type EntryRanges,
  type Filter,
  joinedRecords,
  openEntryRanges,
  type Range,
  rangeLength,
  slice,
} from './entry-ranges.ts'
import { findMatching, scanStep } from './filtered-entries.ts'
import { mergedRecords } from './merge.ts'
import { isShortMerge, openMergedPage } from './merged-page.ts'

const noCustomer = { missing: 'customer' } as const
const noAccount = { missing: 'account' } as const

interface AccountRow extends HeldAccount {
  readonly head: string
  readonly tail: string
}

/** The provider's data in one SQLite file. Each method reads one snapshot: a load is visible as a whole or not at all. */
export function openSqliteProviderStore(path: string): ProviderStore {
  const database = openDatabase(path, 'serve')
  const snapshot = batchReads(database)
  const accounts = openAccounts(database)
  const lists = openEntryRanges(database)
  const readMergedPage = openMergedPage(database)
  const readPool = openReadPool(path)

  const accountRows = query<AccountRow>(
    database,
    `select a.number, a.is_open, a.category, h.is_owned, a.head, a.tail
     from holder h join account a on a.number = h.account
     where h.customer = ? and a.kind = ? and a.head is not null
     order by a.created, a.id`,
  )
  const windowPage = joinedRecords((joined) =>
    query<readonly [first: number | null, last: number | null, records: JsonText | null]>(
      database,
      `with bounds as materialized (
       select
         (${selectOldest('position', listOfAccount('?4'), '?5')}) as first,
         (${selectNewest('position', listOfAccount('?4'), '?6')}) as last
       from account a join holder h on h.account = a.number
       where a.id = ?2 and a.kind = ?3 and a.head is not null
         and h.customer = (select number from customer where id = ?1 and record is not null))
     select first & ${ordinalMax}, last & ${ordinalMax},
       (select ${joined} from
         (select record from entry
          where position between max(first, last - cast(?7 + ?8 as integer) + 1)
            and last - cast(?7 as integer)
          order by position desc))
     from bounds`,
      { lists: true },
    ),
  )
  const detail = query<{ text: string }>(
    database,
    'select coalesce(detail, head) as text from account where number = ?',
  )
  const shareable = query<{ shareable: string }>(
    database,
    `select a.shareable from holder h join account a on a.number = h.account
     where h.customer = ? and a.head is not null order by a.created, a.id`,
  )
  const balance = query<{ record: string }>(
    database,
    'select record from balance where account = ?',
  )
  const contact = query<{ status: string; record: string }>(
    database,
    'select status, record from contact where account = ?',
  )
  const customer = query<{ record: string }>(
    database,
    'select record from customer where id = ? and record is not null',
  )
  const customerCount = query<{ count: number }>(
    database,
    'select count(*) as count from customer where record is not null',
  )
  const accountCount = query<{ count: number }>(
    database,
    'select count(*) as count from account where head is not null',
  )
  const example = query<{ customerId: string; accountId: string }>(
    database,
    `select c.id as customerId, a.id as accountId
     from customer c join holder h on h.customer = c.number join account a on a.number = h.account
     where c.record is not null and a.kind = ${kindCodes.banking} and h.is_owned = 1
       and exists (select 1 from entry where list = ${listOfAccount(listCodes.transaction)})
     order by c.number limit 1`,
  )
  const matches = query<{ match: string }>(
    database,
    'select match from customer where email = ? and record is not null order by id',
  )

  /** The texts of the requested accounts that match the filters, in the requested order. */
  const readTexts = (
    request: AccountsQuery,
    kind: 'banking' | 'energy',
    text: (account: number) => string[],
  ) =>
    snapshot(() => {
      const owner = accounts.customer(request.customerId)
      if (owner === undefined) return noCustomer
      const found = accounts.findAll(owner, request.accountIds, kind)
      if (!found) return noAccount
      const texts = found
        .filter((account) => matchesFilters(account, request.filters))
        .flatMap(({ number }) => text(number))
      return paginate(texts, request)
    })

  /** The most frequent query, in one statement. Undefined if the customer or the account is not found. */
  const readWindowPage = (request: EntriesQuery): Page<JsonText> | undefined => {
    const { customerId, accountId, list, window, page, pageSize } = request
    if (!window || !accountId.isWellFormed()) return undefined
    const row = windowPage(pageSize).first(
      customerId,
      accountId,
      kindCodes[accountKindByList[list]],
      listCodes[list],
      clampTime(window.oldest),
      clampTime(window.newest),
      Math.min((page - 1) * pageSize, ordinalMax),
      pageSize,
    )
    if (!row) return undefined
    const [first, last, records] = row
    const total = first === null || last === null ? 0 : Math.max(0, last - first + 1)
    return { items: records === null ? [] : [records], total }
  }

  return {
    async listAccounts(request) {
      return snapshot(() => {
        const owner = accounts.customer(request.customerId)
        if (owner === undefined) return noCustomer
        const rows = accountRows
          .all(owner, kindCodes[request.kind])
          .filter((row) => matchesFilters(row, request.filters))
        const { items, total } = paginate(rows, request)
        const isBanking = request.kind === 'banking'
        const text = ({ head, tail, is_owned }: AccountRow) =>
          isBanking ? `${head}${is_owned === 1}${tail}` : head + tail
        return { items: items.map(text), total }
      })
    },

    async readEnergyAccounts(request) {
      return readTexts(request, 'energy', (account) => detail.all(account).map(({ text }) => text))
    },

    async listBalances(request) {
      return readTexts(request, 'banking', (account) =>
        balance.all(account).map(({ record }) => record),
      )
    },

    async listEntries(request) {
      const filter = toFilter(request)
      const found = await snapshot(() => {
        const page = filter ? undefined : readWindowPage(request)
        if (page) return page
        const range = findRange(request, accounts, lists)
        if ('missing' in range) return range
        if (!filter) return readPage(range, request, lists)
        if (rangeLength(range) > scanStep) return undefined
        const { items, total } = paginate(lists.matching([range], filter), request)
        return { items: recordsAt(lists, range, items), total }
      })
      if (found !== undefined || !filter) return found ?? noAccount
      return readPool(async (reader) => {
        const range = findRange(request, reader.accounts, reader.lists)
        if ('missing' in range) return range
        const { items, total } = await findMatching(reader, range, filter, request)
        return { items: recordsAt(reader.lists, range, items), total }
      })
    },

    async listEntriesOfAccounts(request) {
      if (isShortMerge(request)) {
        return snapshot(
          () =>
            readMergedPage(request) ??
            (accounts.customer(request.customerId) === undefined ? noCustomer : noAccount),
        )
      }
      const kind = accountKindByList[request.list]
      return readPool(async (reader) => {
        const owner = reader.accounts.customer(request.customerId)
        if (owner === undefined) return noCustomer
        // The account decides the order of entries with the same time and id.
        const accountIds = request.window
          ? request.accountIds.toSorted(compareBytes)
          : request.accountIds
        const found = reader.accounts.findAll(owner, accountIds, kind)
        if (!found) return noAccount

        const ranges = found
          .filter((account) => matchesFilters(account, request.filters))
          .map(({ number }) => listNumber(number, request.list))
          .map((list) =>
            request.window ? reader.lists.within(list, request.window) : reader.lists.whole(list),
          )
        const total = ranges.reduce((sum, range) => sum + rangeLength(range), 0)
        const start = (request.page - 1) * request.pageSize
        if (start >= total) return { items: [], total }

        const end = Math.min(start + request.pageSize, total)
        const items = request.window
          ? await mergedRecords(reader, ranges, start, end)
          : consecutiveRecords(reader.lists, ranges, start, end)
        return { items, total }
      })
    },

    async findCustomers(email) {
      if (!email.isWellFormed()) return []
      return matches.all(emailKey(email)).map(({ match }) => match)
    },

    async readCustomer(customerId) {
      return customer.first(customerId)?.record
    },

    async listShareableAccounts(customerId) {
      return snapshot(() => {
        const owner = accounts.customer(customerId)
        if (owner === undefined) return noCustomer
        return shareable.all(owner).map((row) => row.shareable)
      })
    },

    async readBalance(customerId, accountId) {
      return snapshot(() => {
        const owner = accounts.customer(customerId)
        if (owner === undefined) return noCustomer
        const account = accounts.find(owner, accountId, 'banking')
        return (account && balance.first(account.number)?.record) ?? noAccount
      })
    },

    async readContact(customerId, accountId) {
      return snapshot(() => {
        const owner = accounts.customer(customerId)
        if (owner === undefined) return noCustomer
        const account = accounts.find(owner, accountId)
        return (account && contact.first(account.number)) ?? noAccount
      })
    },

    async overview() {
      return snapshot(() => ({
        customers: customerCount.first()?.count ?? 0,
        accounts: accountCount.first()?.count ?? 0,
        ...(example.first() && { example: example.first() as Required<Overview>['example'] }),
      }))
    },

    async close() {
      await readPool.close()
      database.close()
    },
  }
}

function paginate<Item>(all: readonly Item[], { page, pageSize }: PageRequest): Page<Item> {
  const start = (page - 1) * pageSize
  return { items: all.slice(start, start + pageSize), total: all.length }
}

function readPage(
  range: Range,
  { page, pageSize }: PageRequest,
  lists: EntryRanges,
): Page<JsonText> {
  const total = rangeLength(range)
  const start = (page - 1) * pageSize
  if (start >= total) return { items: [], total }
  return { items: lists.records(slice(range, start, start + pageSize)), total }
}

function recordsAt(lists: EntryRanges, { list }: Range, ordinals: readonly number[]): JsonText[] {
  return lists.recordsAt(ordinals.map((ordinal) => ({ list, ordinal })))
}

function findRange(
  { customerId, accountId, list, window }: EntriesQuery,
  accounts: ReturnType<typeof openAccounts>,
  lists: EntryRanges,
): Range | typeof noCustomer | typeof noAccount {
  const owner = accounts.customer(customerId)
  if (owner === undefined) return noCustomer
  const account = accounts.find(owner, accountId, accountKindByList[list])
  if (!account) return noAccount
  const number = listNumber(account.number, list)
  return window ? lists.within(number, window) : lists.whole(number)
}

function toFilter({ minAmount, maxAmount, text }: EntriesQuery): Filter | undefined {
  if (minAmount === undefined && maxAmount === undefined && !text) return undefined
  return {
    minAmount: minAmount === undefined ? null : amountKey(minAmount),
    maxAmount: maxAmount === undefined ? null : amountKey(maxAmount),
    text: text ? foldCase(text) : null,
  }
}

/** List after list, in the requested order of the accounts. */
function consecutiveRecords(
  lists: EntryRanges,
  ranges: readonly Range[],
  start: number,
  end: number,
): JsonText[] {
  const records: JsonText[] = []
  let before = 0
  for (const range of ranges) {
    const length = rangeLength(range)
    const from = Math.max(start - before, 0)
    const to = Math.min(end - before, length)
    if (from < to) records.push(...lists.records(slice(range, from, to)))
    before += length
  }
  return records
}
