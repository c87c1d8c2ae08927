import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind, Problem } from '../../../contract/index.ts'
import { type LineCounts, type LineOutcome, openLineCounter } from '../../../intake/line-counts.ts'
import { recordTypeOf } from '../../../intake/record-type.ts'
import type {
  AccountItem,
  BalanceItem,
  ContactItem,
  EntryItem,
  LocatedItem,
  RemovalItem,
  SourceLocation,
} from '../../../intake/writer.ts'
import type { Author } from '../../../platform/catalogue/store.ts'
import { accountKindByList, entryLists } from '../../../provider/store.ts'
import { kindCodes } from '../../enum-codes.ts'
import { openAccountRecords } from './account-records.ts'
import { type AccountNumber, isOfKind, openAccountRows } from './account-rows.ts'
import { openCustomerRows } from './customer-rows.ts'
import { openEntryWriter } from './entry-writer.ts'
import { type ItemProblem, missingAccount, missingCustomer } from './line-error.ts'
import { openLoadedProducts } from './loaded-products.ts'
import type { UnresolvedReferences } from './unresolved-references.ts'

export interface ItemWriterOptions {
  /** The effective time of transactions that have none. */
  readonly clock: () => Temporal.Instant
  /** Records references to what does not exist yet. Without it, the caller first calls `findMissing` for each item. */
  readonly references?: UnresolvedReferences | undefined
}

/**
 * Writes items one after another in the caller's transaction, and counts what they did. The caller opens it outside a
 * transaction, because a rollback would remove its temporary tables.
 */
export function openItemWriter(database: DatabaseSync, { clock, references }: ItemWriterOptions) {
  const counter = openLineCounter()
  const entries = openEntryWriter(database, clock, counter)
  const products = openLoadedProducts(database, clock, counter)
  const customers = openCustomerRows(database)
  const accounts = openAccountRows(database)
  const records = openAccountRecords(database)

  /** The account's number. If the account does not exist yet, the reference is recorded. */
  const findAccount = (item: Referring & SourceLocation): number => {
    const { kind, field } = accountReference(item)
    const account = accounts.findOrCreate(item.accountId)
    if (!isOfKind(account, kind)) references?.addAccount(account.number, kind, item, field)
    return account.number
  }

  const writeAccount = (item: AccountItem & LocatedItem): LineOutcome | Problem => {
    const account = accounts.findOrCreate(item.id)
    const outcome = accounts.put(account, item)
    if (typeof outcome === 'object') return outcome
    const holders = item.holders.map(({ customerId, isOwned }, index) => {
      const { number, isDefined } = customers.findOrCreate(customerId)
      const field = holderField(index)
      if (isDefined) references?.addHolder(number, item, field)
      else references?.addCustomer(number, item, field)
      return [number, isOwned] as const
    })
    const isHoldersChanged = accounts.putHolders(account.number, new Map(holders))
    return outcome === 'unchanged' && isHoldersChanged ? 'changed' : outcome
  }

  const removeAccount = ({ number }: AccountNumber): void => {
    for (const list of entryLists) entries.removeList(number, list)
    records.removeBalance(number)
    records.removeContact(number)
    accounts.remove(number)
  }

  /** An account of the other kind stays. */
  const removeAccountOfKind = (
    account: AccountNumber | undefined,
    kind: AccountKind | undefined,
  ): LineOutcome => {
    if (!account || !kind || account.kind !== kindCodes[kind]) return 'unchanged'
    removeAccount(account)
    return 'deleted'
  }

  const removeCustomer = (id: string, person: RemovalItem['person']): LineOutcome => {
    const { number, outcome } = customers.remove(id, person)
    if (number !== undefined) references?.addRemovedCustomer(number)
    return outcome
  }

  const remove = (item: RemovalItem): LineOutcome | undefined => {
    const { of, kind, accountId = '', id = '', person } = item
    if (of === 'customer') return removeCustomer(id, person)
    if (of === 'product') {
      products.remove(id)
      return undefined
    }
    const account = accounts.find(accountId)
    if (of === 'account') return removeAccountOfKind(account, kind)
    if (!account) return 'unchanged'
    if (of === 'balance') return records.removeBalance(account.number)
    if (of === 'contact') return records.removeContact(account.number)
    return entries.remove(account.number, of, id)
  }

  /** Undefined for items that are counted when they are written: entries and products. */
  const writeItem = (item: LocatedItem): LineOutcome | Problem | undefined => {
    switch (item.type) {
      case 'customer':
        return customers.put(item)
      case 'account':
        return writeAccount(item)
      case 'balance':
        return records.putBalance(findAccount(item), item)
      case 'contact':
        return records.putContact(findAccount(item), item)
      case 'entry':
        entries.put(findAccount(item), item)
        return undefined
      case 'product':
        products.put(item)
        return undefined
      case 'removal':
        return remove(item)
    }
  }

  return {
    findAccount: accounts.find,

    /** An item with a problem is not written and does not count. */
    write(item: LocatedItem): Problem | undefined {
      const outcome = writeItem(item)
      if (typeof outcome === 'object') return outcome
      if (outcome) counter.add(recordTypeOf(item), outcome)
      return undefined
    },

    /** The references of an item to customers and accounts that do not exist. */
    *findMissing(item: LocatedItem): Generator<ItemProblem> {
      if (item.type === 'account') {
        for (const [index, { customerId }] of item.holders.entries()) {
          if (!customers.isDefined(customerId))
            yield missingCustomer(holderField(index), customerId)
        }
      }
      if (item.type !== 'balance' && item.type !== 'contact' && item.type !== 'entry') return
      const { kind, field } = accountReference(item)
      const account = accounts.find(item.accountId)
      if (!account || !isOfKind(account, kind)) yield missingAccount(field, kind, item.accountId)
    },

    /** Removes an account, or what was written for its placeholder. Does not count. */
    removeAccount,

    count: counter.add,

    /** Ends a group of items: sorts their lists, writes their products, and returns what they did. */
    finish(author?: Author): LineCounts {
      entries.finish()
      products.finish(author)
      return counter.take()
    },

    writeSummaries: entries.writeSummaries,

    /** After a rollback: nothing that was written or read is valid. */
    discard(): void {
      accounts.clearCache()
      entries.discard()
      products.discard()
      counter.take()
    },

    /** After a commit: other processes can write, so nothing that was read is still valid. */
    clearCache: accounts.clearCache,

    forgetAssignedTimes: entries.forgetAssignedTimes,
  }
}

type Referring = BalanceItem | ContactItem | EntryItem

/** The kind of account that an item requires, undefined for either, and the field that refers to it. */
function accountReference(item: Referring): { kind: AccountKind | undefined; field: string } {
  if (item.type === 'contact') return { kind: undefined, field: 'accountId' }
  if (item.type === 'balance') return { kind: 'banking', field: 'accountId' }
  const field = item.list === 'payment' ? 'from.accountId' : 'accountId'
  return { kind: accountKindByList[item.list], field }
}

function holderField(index: number): string {
  return `holders[${index}].customerId`
}
