import { emailKey } from '../../../contract/email-key.ts'
import type {
  AccountItem,
  BalanceItem,
  ContactItem,
  CustomerItem,
  EntryItem,
  LocatedItem,
  RemovalItem,
  RestrictionItem,
  SourceLocation,
} from '../../../intake/writer.ts'
import type { EntryList } from '../../../provider/store.ts'
import { amountKey } from '../../amount-key.ts'
import { createCorrected, defineKey, toCorrectionKey } from '../../corrections.ts'
import { digest, emailDigest, toEmailsText } from '../../customer-values.ts'
import { kindCodes, latestTime, listCodes, listsMax, targetCodes } from '../../enum-codes.ts'
import type { CopyValue, openCopyEncoder } from './copy-encoder.ts'
import { toPlace } from './place.ts'

/** The records that an account has at most one of. */
export const partCodes = { balance: 1, contact: 2 } as const

/** Lines before they are checked and merged. `place` is the location; a line that removes has `is_put` false. */
const stagedTables = {
  staged_customer: `id text collate "C" not null, is_put boolean not null, email text,
    match text, emails text, record text, email_hash text collate "C", name_hash text collate "C"`,
  staged_email: `email text collate "C" not null`,
  staged_account: `id text collate "C" not null, is_put boolean not null, kind smallint,
    is_open boolean, category text, created bigint, is_owned_text text, shareable text, head text,
    tail text, detail text`,
  staged_holder: `index integer not null, customer text collate "C" not null, is_owned boolean`,
  staged_part: `account text collate "C" not null, part smallint not null, is_put boolean not null,
    status text, record text`,
  staged_entry: `account text collate "C" not null, list smallint not null, is_put boolean not null,
    id text collate "C" not null, has_own_time boolean, time bigint, amount text, description text,
    reference text, record text`,
  staged_restriction: `target smallint not null, id text collate "C" not null, is_put boolean not null,
    reason text, until bigint, record text`,
  staged_product: `id text collate "C" not null, item text`,
  staged_correction: defineKey('text collate "C"'),
} as const

type StagedTable = keyof typeof stagedTables

/** From this many lines on, the planner's statistics of a table are outdated. */
export const manyLines = 10_000

export const stagedNames = Object.keys(stagedTables) as StagedTable[]

export const makeStaging = [
  ...Object.entries(stagedTables).map(
    ([name, columns]) => `create temp table ${name} (place bigint not null, ${columns});`,
  ),
  createCorrected('text collate "C"'),
  // Few lines assign an entry a time that its record lacks.
  `create index on staged_entry (place) where time is not null and not has_own_time;`,
].join('\n')

/** With the place. */
const columnCounts = new Map(
  stagedNames.map((name) => [name, 1 + stagedTables[name].split(',').length]),
)

/** Writes items to the staged tables, and counts the lines of each. */
export function openStaging(rows: ReturnType<typeof openCopyEncoder>) {
  const counts = new Map<StagedTable, number>()

  /** Replaces the location of the next item. */
  let place: SourceLocation | undefined

  /** The number of lines by file and list, in one number. */
  let entryLines = new Map<number, number>()

  let hasAccountRemovals = false

  const count = (table: StagedTable): number => counts.get(table) ?? 0

  const add = (table: StagedTable, location: SourceLocation, ...values: CopyValue[]): void => {
    counts.set(table, count(table) + 1)
    rows.add(table, columnCounts.get(table) ?? 0, [toPlace(place ?? location), ...values])
  }

  const countEntry = (item: SourceLocation, list: EntryList): void => {
    const key = (place ?? item).file * listsMax + listCodes[list]
    entryLines.set(key, (entryLines.get(key) ?? 0) + 1)
  }

  const remove = (item: RemovalItem & SourceLocation): void => {
    const { of, accountId = '', id = '', person } = item
    if (of === 'customer') {
      const none = [undefined, undefined, undefined, undefined]
      add('staged_customer', item, id, false, ...none, person?.email, person?.name)
    } else if (of === 'restriction') {
      const target = targetCodes[accountId ? 'account' : 'customer']
      add('staged_restriction', item, target, accountId || id, false)
    } else if (of === 'product') {
      add('staged_product', item, id)
    } else if (of === 'account') {
      hasAccountRemovals = true
      add('staged_account', item, accountId, false, item.kind && kindCodes[item.kind])
    } else if (of === 'balance' || of === 'contact') {
      add('staged_part', item, accountId, partCodes[of], false)
    } else {
      countEntry(item, of)
      add('staged_entry', item, accountId, listCodes[of], false, id)
    }
  }

  const putAccount = (item: AccountItem & SourceLocation): void => {
    const { kind, isOpen, productCategory, created = latestTime } = item
    const filtered = [kindCodes[kind], isOpen, productCategory, created]
    const texts = [item.isOwnedText, item.shareable, item.head, item.tail, item.detail]
    add('staged_account', item, item.id, true, ...filtered, ...texts)
    for (const [index, { customerId, isOwned }] of item.holders.entries()) {
      add('staged_holder', item, index, customerId, isOwned)
    }
  }

  const putCustomer = (item: CustomerItem & SourceLocation): void => {
    const { id, email, match, record, name } = item
    const key = email === undefined ? undefined : emailKey(email)
    const texts = [match, toEmailsText(item.emails), record]
    add('staged_customer', item, id, true, key, ...texts, emailDigest(email), digest(name))
    for (const each of item.emails) add('staged_email', item, emailKey(each))
  }

  const putEntry = (item: EntryItem & SourceLocation): void => {
    const { accountId, list, id, hasOwnTime, time, description, reference, record } = item
    const amount = item.amount === undefined ? undefined : amountKey(item.amount)
    countEntry(item, list)
    const values = [hasOwnTime, time, amount, description, reference, record]
    add('staged_entry', item, accountId, listCodes[list], true, id, ...values)
  }

  const putPart = (
    item: (BalanceItem | ContactItem) & SourceLocation,
    status: string | undefined,
  ): void =>
    add('staged_part', item, item.accountId, partCodes[item.type], true, status, item.record)

  const putRestriction = (item: RestrictionItem & SourceLocation): void => {
    const { of, id, reason, until = latestTime, record } = item
    add('staged_restriction', item, targetCodes[of], id, true, reason, until, record)
  }

  const put = (item: LocatedItem): void => {
    if (item.isCorrection) add('staged_correction', item, ...toCorrectionKey(item))
    if (item.type === 'entry') putEntry(item)
    else if (item.type === 'balance') putPart(item, undefined)
    else if (item.type === 'contact') putPart(item, item.status)
    else if (item.type === 'customer') putCustomer(item)
    else if (item.type === 'account') putAccount(item)
    else if (item.type === 'restriction') putRestriction(item)
    else if (item.type === 'product') add('staged_product', item, item.id, JSON.stringify(item))
    else remove(item)
  }

  return {
    /** With a file, the lines of the items are numbered from 1 in their order. */
    async put(items: readonly LocatedItem[], file?: number): Promise<void> {
      for (const [index, item] of items.entries()) {
        place = file === undefined ? undefined : { file, line: index + 1 }
        put(item)
        if (rows.isAnyFull()) await rows.advance()
      }
    },
    count,
    has: (table: StagedTable): boolean => count(table) > 0,
    hasMany: (table: StagedTable): boolean => count(table) >= manyLines,
    hasOwners: (): boolean => count('staged_customer') > 0 || count('staged_account') > 0,
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

export type Staging = ReturnType<typeof openStaging>
