import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind, Actor, Problem } from '../../../contract/index.ts'
import { type LineCounts, type LineOutcome, openLineCounter } from '../../../intake/line-counts.ts'
import { recordTypeOf } from '../../../intake/record-type.ts'
import type {
  AccountItem,
  BalanceItem,
  ContactItem,
  EntryItem,
  LineError,
  LocatedItem,
  RemovalItem,
  RestrictionItem,
  SourceLocation,
} from '../../../intake/writer.ts'
import { accountKindByList, entryLists } from '../../../provider/store.ts'
import { openAccountRecords } from './account-records.ts'
import { type AccountNumber, isOfKind, openAccountRows } from './account-rows.ts'
import { openCorrections } from './corrections.ts'
import { openCustomerRows } from './customer-rows.ts'
import { openEntryWriter } from './entry-writer.ts'
import { openLoadedProducts } from './loaded-products.ts'
import { openRestrictionRows } from './restriction-rows.ts'
import { openUnresolvedReferences } from './unresolved-references.ts'

interface ItemWriterOptions {
  /** Called with the number of each account that is put, or that a balance or a contact is deleted of. */
  readonly onAccount?: (account: number) => void
}

/**
 * Writes items one after another in the caller's transaction, and counts what they did. The caller opens it outside a
 * transaction, because a rollback would remove its temporary tables. `clock` is the effective time of transactions that
 * have none.
 */
export function openItemWriter(
  database: DatabaseSync,
  clock: () => Temporal.Instant,
  { onAccount = () => {} }: ItemWriterOptions = {},
) {
  const counter = openLineCounter()
  const entries = openEntryWriter(database, clock, counter)
  const products = openLoadedProducts(database, clock, counter)
  const customers = openCustomerRows(database)
  const accounts = openAccountRows(database)
  const records = openAccountRecords(database)
  const restrictions = openRestrictionRows(database)
  const references = openUnresolvedReferences(database)
  const corrections = openCorrections(database)

  /** The account, or a placeholder. */
  const findAccount = (item: Referring & SourceLocation): AccountNumber => {
    const required = accountReference(item)
    const account = accounts.findOrCreate(item.accountId)
    if (!isOfKind(account, required.kind)) {
      references.add({ account: account.number, ...required }, item)
    }
    return account
  }

  const writeAccount = (item: AccountItem & LocatedItem): LineOutcome | Problem => {
    const existing = accounts.find(item.id)
    const account = existing ?? accounts.findOrCreate(item.id)
    const outcome = accounts.put(account, item)
    if (typeof outcome === 'object') return outcome
    onAccount(account.number)
    if (existing?.kind === 0) records.assignContact(account.number, item.kind)
    const holders = item.holders.map(({ customerId, isOwned }, index) => {
      const customer = customers.findOrCreate(customerId)
      const field = `holders[${index}].customerId`
      references.add({ account: account.number, kind: item.kind, customer, field }, item)
      return [customer, isOwned] as const
    })
    const isHoldersChanged = accounts.putHolders(account.number, new Map(holders))
    return outcome === 'unchanged' && isHoldersChanged ? 'changed' : outcome
  }

  const writeRestriction = (item: RestrictionItem & LocatedItem): LineOutcome => {
    const reference =
      item.of === 'account'
        ? { account: accounts.findOrCreate(item.id).number, field: 'accountId' }
        : { customer: customers.findOrCreate(item.id), field: 'customerId' }
    references.add({ ...reference, kind: undefined, isRestriction: true }, item)
    return restrictions.put(item)
  }

  /** Deletes what is stored for an account of this kind, also if the account does not exist. */
  const removeAccount = (account: AccountNumber, kind: AccountKind): LineOutcome => {
    for (const list of entryLists) {
      if (accountKindByList[list] === kind) entries.removeList(account.number, list)
    }
    records.removeAll(account.number, kind)
    references.addDeletion(account.number, kind)
    if (!isOfKind(account, kind)) return 'unchanged'
    accounts.remove(account.number)
    return 'deleted'
  }

  const remove = (item: RemovalItem): LineOutcome | undefined => {
    const { of, kind = 'banking', accountId = '', id = '', person } = item
    if (of === 'customer') return customers.remove(id, person)
    if (of === 'product') {
      products.remove(id)
      return undefined
    }
    if (of === 'restriction') {
      return accountId
        ? restrictions.remove('account', accountId)
        : restrictions.remove('customer', id)
    }
    const account = accounts.find(accountId)
    if (!account) return 'unchanged'
    if (of === 'account') return removeAccount(account, kind)
    if (of === 'balance' || of === 'contact') {
      onAccount(account.number)
      return of === 'balance'
        ? records.removeBalance(account.number)
        : records.removeContact(account.number)
    }
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
        return records.putBalance(findAccount(item).number, item)
      case 'contact':
        return records.putContact(findAccount(item), item)
      case 'entry':
        entries.put(findAccount(item).number, item)
        return undefined
      case 'restriction':
        return writeRestriction(item)
      case 'product':
        products.put(item)
        return undefined
      case 'removal':
        return remove(item)
    }
  }

  return {
    /** An item with a problem is not written and does not count. */
    write(item: LocatedItem): LineError | undefined {
      const outcome = writeItem(item)
      if (typeof outcome === 'object') {
        const { file, line, part } = item
        return { file, line, ...(part !== undefined && { part }), ...outcome }
      }
      if (outcome) counter.add(recordTypeOf(item), outcome)
      if (item.isCorrection) corrections.add(item)
      return undefined
    },

    /** The references since `clearReferences` to what does not exist now. */
    findUnresolved: references.errors,

    clearReferences: references.clear,

    /** Before a commit, after the last group of items. */
    writeCorrections: corrections.write,

    /** Ends a group of items: sorts their lists, writes their products, and returns what they did. */
    finish(author?: Actor): LineCounts {
      entries.finish()
      products.finish(author)
      return counter.take()
    },

    writeIndex: entries.writeIndex,

    /** After a rollback: nothing that was written or read is valid. */
    discard(): void {
      accounts.clearCache()
      entries.discard()
      products.discard()
      corrections.discard()
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
