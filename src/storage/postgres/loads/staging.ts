import { emailKey } from '../../../contract/email-key.ts'
import type {
  AccountItem,
  CustomerItem,
  EntryItem,
  LocatedItem,
  ProductItem,
  RemovalItem,
  SourceLocation,
} from '../../../intake/writer.ts'
import type { EntryList } from '../../../provider/store.ts'
import { amountKey } from '../../amount-key.ts'
import { digest, emailDigest } from '../../digest.ts'
import { createdUnknown, kindCodes, listCodes, listsMax } from '../../enum-codes.ts'
import type { openCopyEncoder } from './copy-encoder.ts'
import { placeHalves } from './place.ts'

/** The records that an account has at most one of. */
export const partCodes = { balance: 1, contact: 2 } as const

/**
 * The lines of a load before they are checked and merged. `place` is their location (place.ts). A line that removes has
 * `is_put` false.
 */
const stagedTables = {
  staged_customer: `id text collate "C" not null, is_put boolean not null, email text,
    match text, record text, email_hash text collate "C", name_hash text collate "C"`,
  staged_account: `id text collate "C" not null, is_put boolean not null, kind smallint,
    is_open boolean, category text, created bigint, is_owned_text text, shareable text, head text,
    tail text, detail text`,
  staged_holder: `index integer not null, customer text collate "C" not null, is_owned boolean`,
  staged_part: `account text collate "C" not null, part smallint not null, is_put boolean not null,
    status text, record text`,
  staged_entry: `account text collate "C" not null, list smallint not null, is_put boolean not null,
    has_own_time boolean, time bigint, id text collate "C" not null, amount text, description text,
    reference text, record text`,
  staged_product: `id text collate "C" not null, item text`,
} as const

export type StagedTable = keyof typeof stagedTables

export const stagedNames = Object.keys(stagedTables) as StagedTable[]

export const makeStaging = [
  ...Object.entries(stagedTables).map(
    ([name, columns]) => `create temp table ${name} (place bigint not null, ${columns});`,
  ),
  // Few lines assign an entry a time that its record lacks.
  `create index on staged_entry (place) where time is not null and not has_own_time;`,
].join('\n')

const columnCounts = Object.fromEntries(
  Object.entries(stagedTables).map(([name, columns]) => [name, columns.split(',').length + 1]),
) as Record<StagedTable, number>

/** Writes items to the staged tables, and counts the lines of each. */
export function openStaging(rows: ReturnType<typeof openCopyEncoder>) {
  const counts = new Map<StagedTable, number>()

  /** Replaces the location of the next item. */
  let place: SourceLocation | undefined

  const row = (table: StagedTable, location: SourceLocation) => {
    const [high, low] = placeHalves(place ?? location)
    counts.set(table, (counts.get(table) ?? 0) + 1)
    const next = rows.into(table)
    next.row(columnCounts[table])
    next.pair(high, low)
    return next
  }

  /** The number of lines by file and list, in one number. */
  let entryLines = new Map<number, number>()

  let hasAccountRemovals = false

  const entryRow = (item: SourceLocation, list: EntryList) => {
    const key = (place ?? item).file * listsMax + listCodes[list]
    entryLines.set(key, (entryLines.get(key) ?? 0) + 1)
    return row('staged_entry', item)
  }

  const putEntry = (item: EntryItem & SourceLocation): void => {
    const next = entryRow(item, item.list)
    next.text(item.accountId)
    next.smallint(listCodes[item.list])
    next.boolean(true)
    next.boolean(item.hasOwnTime)
    next.bigint(item.time)
    next.text(item.id)
    next.text(item.amount === undefined ? undefined : amountKey(item.amount))
    next.text(item.description)
    next.text(item.reference)
    next.text(item.record)
  }

  const putPart = (
    item: SourceLocation & { readonly accountId: string },
    part: keyof typeof partCodes,
    content?: { readonly status?: string; readonly record: string },
  ): void => {
    const next = row('staged_part', item)
    next.text(item.accountId)
    next.smallint(partCodes[part])
    next.boolean(content !== undefined)
    next.text(content?.status)
    next.text(content?.record)
  }

  const remove = (item: RemovalItem & SourceLocation): void => {
    const { of, accountId = '', id = '' } = item
    if (of === 'customer') {
      const next = row('staged_customer', item)
      next.text(id)
      next.boolean(false)
      for (let column = 0; column < 3; column += 1) next.text(undefined)
      next.text(item.person?.email)
      next.text(item.person?.name)
    } else if (of === 'product') {
      putProduct(item, id)
    } else if (of === 'account') {
      hasAccountRemovals = true
      const next = row('staged_account', item)
      next.text(accountId)
      next.boolean(false)
      next.smallint(item.kind && kindCodes[item.kind])
      for (let column = 0; column < 8; column += 1) next.text(undefined)
    } else if (of === 'balance' || of === 'contact') {
      putPart({ ...item, accountId }, of)
    } else {
      const next = entryRow(item, of)
      next.text(accountId)
      next.smallint(listCodes[of])
      next.boolean(false)
      next.boolean(undefined)
      next.bigint(undefined)
      next.text(id)
      for (let column = 0; column < 4; column += 1) next.text(undefined)
    }
  }

  const putCustomer = (item: CustomerItem & SourceLocation): void => {
    const next = row('staged_customer', item)
    next.text(item.id)
    next.boolean(true)
    next.text(item.email === undefined ? undefined : emailKey(item.email))
    next.text(item.match)
    next.text(item.record)
    next.text(emailDigest(item.email))
    next.text(digest(item.name))
  }

  const putAccount = (item: AccountItem & SourceLocation): void => {
    const next = row('staged_account', item)
    next.text(item.id)
    next.boolean(true)
    next.smallint(kindCodes[item.kind])
    next.boolean(item.isOpen)
    next.text(item.productCategory)
    next.bigint(item.created ?? createdUnknown)
    next.text(item.isOwnedText)
    next.text(item.shareable)
    next.text(item.head)
    next.text(item.tail)
    next.text(item.detail)
    for (const [index, { customerId, isOwned }] of item.holders.entries()) {
      const holder = row('staged_holder', item)
      holder.integer(index)
      holder.text(customerId)
      holder.boolean(isOwned)
    }
  }

  const putProduct = (place: SourceLocation, id: string, item?: ProductItem): void => {
    const next = row('staged_product', place)
    next.text(id)
    next.text(item && JSON.stringify(item))
  }

  const put = (item: LocatedItem): void => {
    switch (item.type) {
      case 'entry':
        putEntry(item)
        break
      case 'balance':
      case 'contact':
        putPart(item, item.type, item)
        break
      case 'customer':
        putCustomer(item)
        break
      case 'account':
        putAccount(item)
        break
      case 'product':
        putProduct(item, item.id, item)
        break
      case 'removal':
        remove(item)
    }
  }

  return {
    async put(items: readonly LocatedItem[]): Promise<void> {
      for (const item of items) {
        put(item)
        if (rows.isAnyFull()) await rows.advance()
      }
    },
    /** Puts items whose lines are numbered from 1 in their order. */
    async putInOrder(items: readonly LocatedItem[], file: number): Promise<void> {
      for (const [index, item] of items.entries()) {
        place = { file, line: index + 1 }
        put(item)
        if (rows.isAnyFull()) await rows.advance()
      }
      place = undefined
    },
    count: (table: StagedTable): number => counts.get(table) ?? 0,
    total: (): number => counts.values().reduce((sum, count) => sum + count, 0),
    hasAccountRemovals: (): boolean => hasAccountRemovals,
    /** The number of lines of each file and list. */
    countEntryLines: () =>
      Array.from(entryLines, ([key, lines]) => ({
        file: Math.floor(key / listsMax),
        list: key % listsMax,
        lines,
      })),
    clear(): void {
      counts.clear()
      hasAccountRemovals = false
      entryLines = new Map()
    },
  }
}
