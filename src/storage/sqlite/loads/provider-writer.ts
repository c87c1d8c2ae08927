import { setImmediate } from 'node:timers/promises'
import type { Problem } from '../../../contract/index.ts'
import type {
  AccountItem,
  BalanceItem,
  ContactItem,
  EntryItem,
  LineError,
  LocatedItem,
  ProviderWriter,
  RemovalItem,
  SourceLocation,
  WriterOptions,
} from '../../../load/writer.ts'
import { type AccountKind, accountKindByList, entryLists } from '../../../provider/store.ts'
import { DatabaseError } from '../../database.ts'
import { kindCodes } from '../../enum-codes.ts'
import { noAccount, noCustomer } from '../../load-errors.ts'
import { identityOf } from '../driver/files.ts'
import { openDatabase } from '../driver/open.ts'
import { command, execute } from '../driver/statements.ts'
import { commitWithinSpace, releaseLog } from '../driver/write-ahead-log.ts'
import { takeWriteLock } from '../driver/write-lock.ts'
import { isOfKind, openAccountRows } from './account-rows.ts'
import { openCustomerRows } from './customer-rows.ts'
import { type Line, openDeferredItems } from './deferred-items.ts'
import { openEntryWriter } from './entry-writer.ts'
import { openLoadedProducts } from './loaded-products.ts'
import { openStagedItems } from './staged-items.ts'
import { openUnresolvedReferences } from './unresolved-references.ts'

/**
 * Opens the store for one load. The write lock is taken for the first item of a commit, or for the last one where
 * items come slowly, and waits for other loads. With `inBatches`, what refers to something that is not there yet is held
 * back until the end instead of being written.
 *
 * Between two commits another process may change anything, so nothing that was read is remembered across one.
 */
export function openSqliteProviderWriter(
  path: string,
  { loadTime, inBatches = false, isSlow = false, onWait, signal }: WriterOptions,
): ProviderWriter {
  const opened = identityOf(path)
  const database = openDatabase(path, 'write')
  // The wait for other loads is not SQLite's.
  database.exec('pragma busy_timeout = 0')
  const entries = openEntryWriter(database, loadTime.epochNanoseconds)
  const mentions = openUnresolvedReferences(database)
  const held = openDeferredItems(database)
  const customers = openCustomerRows(database)
  const accounts = openAccountRows(database)
  const products = openLoadedProducts(database, loadTime)
  const putBalance = command(database, 'insert or replace into balance values (?, ?)')
  const putContact = command(database, 'insert or replace into contact values (?, ?, ?)')
  const dropBalance = command(database, 'delete from balance where account = ?')
  const dropContact = command(database, 'delete from contact where account = ?')
  const staged = openStagedItems(database)
  let isAnyStaged = false

  // Behind the temporary tables: a rollback must not take them away.
  const begin = async (): Promise<void> => {
    if (!database.isTransaction) await takeWriteLock(database, { onWait, signal })
  }

  /** The account's number, with a note where it is not there yet. */
  const accountOf = (item: Referring & SourceLocation): number => {
    const { kind, field } = referenceOf(item)
    const account = accounts.numberOf(item.accountId)
    if (!isOfKind(account, kind)) mentions.account(account.number, kind, item, field)
    return account.number
  }

  const writeAccount = (item: AccountItem & LocatedItem): Problem | undefined => {
    const account = accounts.numberOf(item.id)
    const problem = accounts.put(account, item)
    if (problem) return problem
    const holders = item.holders.map(({ customerId, isOwned }, index) => {
      const { number, isDefined } = customers.numberOf(customerId)
      const field = `holders[${index}].customerId`
      if (!isDefined) mentions.customer(number, item, field)
      else if (!inBatches) mentions.holder(number, item, field)
      return [number, isOwned] as const
    })
    accounts.putHolders(account.number, new Map(holders))
    return undefined
  }

  const removeAccount = (number: number): void => {
    for (const list of entryLists) entries.removeList(number, list)
    dropBalance.run(number)
    dropContact.run(number)
    accounts.remove(number)
  }

  /** An account of the other kind stays. One that is not there yet may still come, see `openHeldItems`. */
  const removeAccountOf = (kind: AccountKind, id: string): void => {
    const account = accounts.find(id)
    const kindNow = account?.kind || held.putKind(id)
    if (kindNow === kindCodes[kind]) {
      held.forget(id)
      if (account) removeAccount(account.number)
    } else if (!kindNow && (account || held.isWaiting({ account: id }))) {
      held.addUndecided(id, kindCodes[kind])
    }
  }

  const decideRemoval = ({ id, kind }: AccountItem): void => {
    const account = accounts.find(id)
    if (account?.kind) return
    if (held.decide(id, kindCodes[kind]) && account) removeAccount(account.number)
  }

  const removeCustomer = (id: string, person: RemovalItem['person']): void => {
    const number = customers.remove(id, person)
    if (number !== undefined && !inBatches) mentions.removedCustomer(number)
  }

  const remove = ({ of, kind, accountId = '', id = '', person }: RemovalItem): void => {
    const account = accounts.find(accountId)
    switch (of) {
      case 'customer':
        removeCustomer(id, person)
        break
      case 'product':
        products.remove(id)
        break
      case 'payment':
        entries.removePayment(id)
        break
      case 'account':
        if (kind) removeAccountOf(kind, accountId)
        break
      case 'balance':
        if (account) dropBalance.run(account.number)
        break
      case 'contact':
        if (account) dropContact.run(account.number)
        break
      default:
        if (account) entries.remove(account.number, of, id)
    }
  }

  const write = (item: LocatedItem): Problem | undefined => {
    switch (item.type) {
      case 'customer':
        return customers.put(item)
      case 'account':
        return writeAccount(item)
      case 'balance':
        putBalance.run(accountOf(item), item.record)
        return undefined
      case 'contact':
        putContact.run(accountOf(item), item.status, item.record)
        return undefined
      case 'entry':
        entries.put(accountOf(item), item)
        return undefined
      case 'product':
        products.put(item)
        return undefined
      case 'removal':
        remove(item)
        return undefined
    }
  }

  /** What an item names that is not there, by the field that names it. */
  const lacking = (item: LocatedItem): Problem[] => {
    if (item.type === 'account') {
      return item.holders.flatMap(({ customerId }, index) =>
        customers.isDefined(customerId)
          ? []
          : [{ path: `holders[${index}].customerId`, reason: noCustomer }],
      )
    }
    if (item.type !== 'balance' && item.type !== 'contact' && item.type !== 'entry') return []
    const { kind, field } = referenceOf(item)
    const account = accounts.find(item.accountId)
    if (account && isOfKind(account, kind)) return []
    return [{ path: field, reason: noAccount(kind) }]
  }

  const writeOrHold = (item: LocatedItem): Problem | undefined => {
    if (!inBatches && held.isEmpty()) return write(item)
    if (item.type === 'account') decideRemoval(item)
    const line = lineOf(item)
    if (!line || !(held.isWaiting(line) || mustWait(item, line))) return write(item)
    held.hold(line, item)
    return undefined
  }

  const mustWait = (item: LocatedItem, { account }: Line): boolean => {
    if (inBatches) return lacking(item).length > 0
    return account !== undefined && held.isUndecided(account)
  }

  const writeAll = (items: readonly LocatedItem[]): LineError[] =>
    items.flatMap((item) => {
      const problem = writeOrHold(item)
      return problem ? [{ file: item.file, line: item.line, ...problem }] : []
    })

  /** Items that were held, once all are there. In one transaction, what they lack is noted like that of the others. */
  function* writeHeld(): Generator<LineError> {
    for (const { account, kind } of held.undecided()) {
      if (accounts.find(account)?.kind === kind) held.decide(account, kind)
    }
    for (const item of held.all()) {
      const problems = inBatches ? lacking(item) : []
      const problem = problems.length === 0 ? write(item) : undefined
      for (const each of problem ? [problem] : problems) {
        yield { file: item.file, line: item.line, ...each }
      }
    }
  }

  /** After a transaction others can write: what was read of the database may not be so any more. */
  const forgetRead = (): void => {
    accounts.forget()
    if (isAnyStaged) staged.clear()
    isAnyStaged = false
  }

  return {
    async write(items) {
      if (items.length === 0) return []
      if (isSlow) {
        isAnyStaged = true
        staged.put(items)
        return []
      }
      await begin()
      return writeAll(items)
    },

    /** Of items that did not come slowly, each was reported when it was written. */
    async *findErrors() {
      if (!isAnyStaged) return
      await begin()
      for (const items of staged.groups()) {
        yield* writeAll(items)
        // A signal is noticed between two turns of the event loop.
        await setImmediate()
        signal?.throwIfAborted()
      }
    },

    async *findUnresolved() {
      if (!held.isEmpty()) {
        await begin()
        yield* writeHeld()
      }
      yield* mentions.refusals()
    },

    async commit() {
      entries.settle()
      products.settle()
      // A commit into a file that no path leads to would be lost.
      if (identityOf(path) !== opened) throw replacedDatabase(path)
      if (database.isTransaction) commitWithinSpace(database, path)
      forgetRead()
    },

    async rollback() {
      if (database.isTransaction) execute(database, 'rollback')
      forgetRead()
      entries.forget()
      products.forget()
    },

    async close() {
      // Closing ends a transaction that a failure has not ended already.
      database.close()
      releaseLog(path)
    },
  }
}

type Referring = BalanceItem | ContactItem | EntryItem

/** Which kind of account an item means, either where it does not say, and the field that names it. */
function referenceOf(item: Referring): { kind: AccountKind | undefined; field: string } {
  if (item.type === 'contact') return { kind: undefined, field: 'accountId' }
  if (item.type === 'balance') return { kind: 'banking', field: 'accountId' }
  const field = item.list === 'payment' ? 'from.accountId' : 'accountId'
  return { kind: accountKindByList[item.list], field }
}

/** Where an item must keep its place. The removal of a whole account does not wait. */
function lineOf(item: LocatedItem): Line | undefined {
  switch (item.type) {
    case 'account':
      return { account: item.id }
    case 'balance':
    case 'contact':
      return { account: item.accountId }
    case 'entry':
      return { account: item.accountId, payment: item.list === 'payment' ? item.id : undefined }
    case 'removal':
      if (item.of === 'payment') return { payment: item.id }
      return item.of === 'account' ? undefined : { account: item.accountId }
    default:
      return undefined
  }
}

function replacedDatabase(path: string): DatabaseError {
  return new DatabaseError(
    `the database ${path} was deleted or replaced during the load: what was not committed yet is not loaded`,
  )
}
