import type { JsonText, PageRequest } from '../../../contract/index.ts'
import {
  type AccountsQuery,
  accountKindByList,
  type EntriesQuery,
  type Overview,
  type Page,
  type ProviderStore,
} from '../../../provider/store.ts'
import { foldCase } from '../../../text/case-folding.ts'
import { emailKey } from '../../../text/email-key.ts'
import { amountKey } from '../../amount-key.ts'
import { clampTime, kindCodes, listCodes } from '../../enum-codes.ts'
import { openDatabase } from '../driver/open.ts'
import { openReadPool, type Reader } from '../driver/read-pool.ts'
import { batchReads, query } from '../driver/statements.ts'
import { listNumber, ordinalMax } from '../entry-position.ts'
import { openAccounts, passes, type SeenAccount } from './accounts.ts'
import {
  type EntryRanges,
  type Filter,
  joinedRecords,
  lengthOf,
  openEntryRanges,
  type Range,
  slice,
} from './entry-ranges.ts'
import { mergedRecords } from './merge.ts'

const noCustomer = { missing: 'customer' } as const
const noAccount = { missing: 'account' } as const

/** How many entries a filter looks at before others get their turn. */
const scanStep = 2000

/** The provider's data in one SQLite file. Answers come from a snapshot: a load is seen whole or not. */
export function openSqliteProviderStore(path: string): ProviderStore {
  const database = openDatabase(path, 'serve')
  const snapshot = batchReads(database)
  const accounts = openAccounts(database)
  const lists = openEntryRanges(database)
  const longReaders = openReadPool(path)

  const accountRows = query<SeenAccount & { head: string; tail: string }>(
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
         (select position from entry where list = a.number * 8 + ?4 and time >= ?5
          order by time, position limit 1) as first,
         (select position from entry where list = a.number * 8 + ?4 and time <= ?6
          order by time desc, position desc limit 1) as last
       from account a join holder h on h.account = a.number
       where a.id = ?2 and a.kind = ?3 and a.head is not null
         and h.customer = (select number from customer where id = ?1 and record is not null))
     select first & ${ordinalMax}, last & ${ordinalMax},
       (select ${joined} from
         (select record from entry
          where position between max(first, last - ?7 - ?8 + 1) and last - ?7
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
       and exists (select 1 from entry where list = a.number * 8 + ${listCodes.transaction})
     order by c.number limit 1`,
  )
  const matches = query<{ match: string }>(
    database,
    'select match from customer where email = ? and record is not null order by id',
  )

  /** The named accounts that pass the filters, in the order asked, with the text that each has. */
  const textsOf = (
    asked: AccountsQuery,
    kind: 'banking' | 'energy',
    text: (account: number) => string[],
  ) =>
    snapshot(() => {
      const owner = accounts.customer(asked.customerId)
      if (owner === undefined) return noCustomer
      const found = accounts.findAll(owner, asked.accountIds, kind)
      if (!found) return noAccount
      const texts = found
        .filter((account) => passes(account, asked.filters))
        .flatMap(({ number }) => text(number))
      return pageOf(texts, asked)
    })

  /** What is asked for most, in one statement; undefined where something is missing. */
  const pageOfWindow = (asked: EntriesQuery): Page<JsonText> | undefined => {
    const { customerId, accountId, list, window, page, pageSize } = asked
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
    async listAccounts(asked) {
      return snapshot(() => {
        const owner = accounts.customer(asked.customerId)
        if (owner === undefined) return noCustomer
        const rows = accountRows
          .all(owner, kindCodes[asked.kind])
          .filter((row) => passes(row, asked.filters))
        const { items, total } = pageOf(rows, asked)
        return {
          items: items.map(({ head, tail, is_owned }) => ({ head, tail, isOwned: is_owned === 1 })),
          total,
        }
      })
    },

    async readEnergyAccounts(asked) {
      return textsOf(asked, 'energy', (account) => detail.all(account).map(({ text }) => text))
    },

    async listBalances(asked) {
      return textsOf(asked, 'banking', (account) =>
        balance.all(account).map(({ record }) => record),
      )
    },

    async listEntries(asked) {
      const filter = filterOf(asked)
      const found = await snapshot(() => {
        const page = filter ? undefined : pageOfWindow(asked)
        if (page) return page
        const stretch = stretchOf(asked, accounts, lists)
        if ('missing' in stretch) return stretch
        if (!filter) return pageOfStretch(stretch, asked, lists)
        if (lengthOf(stretch) > scanStep) return undefined
        const { items, total } = pageOf(lists.matching(stretch, filter), asked)
        return { items: recordsAt(lists, stretch, items), total }
      })
      if (found !== undefined || !filter) return found ?? noAccount
      return longReaders(async (reader) => {
        const stretch = stretchOf(asked, reader.accounts, reader.lists)
        if ('missing' in stretch) return stretch
        const { items, total } = await scan(reader, stretch, filter, asked)
        return { items: recordsAt(reader.lists, stretch, items), total }
      })
    },

    async listEntriesOfAccounts(asked) {
      const kind = accountKindByList[asked.list]
      return longReaders(async (reader) => {
        const owner = reader.accounts.customer(asked.customerId)
        if (owner === undefined) return noCustomer
        const accountIds = asked.window ? asked.accountIds.toSorted(byBytes) : asked.accountIds
        const found = reader.accounts.findAll(owner, accountIds, kind)
        if (!found) return noAccount

        const stretches = found
          .filter((account) => passes(account, asked.filters))
          .map(({ number }) => listNumber(number, asked.list))
          .map((list) =>
            asked.window ? reader.lists.within(list, asked.window) : reader.lists.whole(list),
          )
        const total = stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0)
        const start = (asked.page - 1) * asked.pageSize
        if (start >= total) return { items: [], total }

        const end = Math.min(start + asked.pageSize, total)
        const items = asked.window
          ? await mergedRecords(reader, stretches, start, end)
          : consecutiveRecords(reader.lists, stretches, start, end)
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
      await longReaders.close()
      database.close()
    },
  }
}

/** Accounts that have entries of the same time and id come in this order. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function pageOf<Item>(all: readonly Item[], { page, pageSize }: PageRequest): Page<Item> {
  const start = (page - 1) * pageSize
  return { items: all.slice(start, start + pageSize), total: all.length }
}

function pageOfStretch(
  stretch: Range,
  { page, pageSize }: PageRequest,
  lists: EntryRanges,
): Page<JsonText> {
  const total = lengthOf(stretch)
  const start = (page - 1) * pageSize
  if (start >= total) return { items: [], total }
  return { items: lists.records(slice(stretch, start, start + pageSize)), total }
}

function recordsAt(lists: EntryRanges, { list }: Range, ordinals: readonly number[]): JsonText[] {
  return lists.recordsAt(ordinals.map((ordinal) => ({ list, ordinal })))
}

function stretchOf(
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

function filterOf({ minAmount, maxAmount, text }: EntriesQuery): Filter | undefined {
  if (minAmount === undefined && maxAmount === undefined && !text) return undefined
  return {
    minAmount: minAmount === undefined ? null : amountKey(minAmount),
    maxAmount: maxAmount === undefined ? null : amountKey(maxAmount),
    text: text ? foldCase(text) : null,
  }
}

/** A long list in steps: a filter must look at every entry to count, and others must not wait for it. */
async function scan(
  { lists, takeTurn }: Reader,
  stretch: Range,
  filter: Filter,
  { page, pageSize }: PageRequest,
): Promise<Page<number>> {
  const items: number[] = []
  let total = 0
  for (let start = 0; start < lengthOf(stretch); start += scanStep) {
    for (const ordinal of lists.matching(slice(stretch, start, start + scanStep), filter)) {
      if (total >= (page - 1) * pageSize && items.length < pageSize) items.push(ordinal)
      total += 1
    }
    await takeTurn()
  }
  return { items, total }
}

/** List after list, as the accounts were asked for. */
function consecutiveRecords(
  lists: EntryRanges,
  stretches: readonly Range[],
  start: number,
  end: number,
): JsonText[] {
  const pieces: JsonText[] = []
  let before = 0
  for (const stretch of stretches) {
    const length = lengthOf(stretch)
    const from = Math.max(start - before, 0)
    const to = Math.min(end - before, length)
    if (from < to) pieces.push(...lists.records(slice(stretch, from, to)))
    before += length
  }
  return pieces
}
