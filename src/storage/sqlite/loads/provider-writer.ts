import { setImmediate } from 'node:timers/promises'
import type { AccountKind, Problem } from '../../../contract/index.ts'
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
import { accountKindByList, entryLists } from '../../../provider/store.ts'
import { DatabaseError } from '../../database.ts'
import { kindCodes } from '../../enum-codes.ts'
import { noAccount, noCustomer } from '../../load-errors.ts'
import { fileIdentity } from '../driver/files.ts'
import { openDatabase } from '../driver/open.ts'
import { command, execute } from '../driver/statements.ts'
import { commitWithinSpace, releaseLog } from '../driver/write-ahead-log.ts'
import { takeWriteLock } from '../driver/write-lock.ts'
import { isOfKind, openAccountRows } from './account-rows.ts'
import { openCustomerRows } from './customer-rows.ts'
import { openDeferredItems } from './deferred-items.ts'
import { openEntryWriter } from './entry-writer.ts'
import { openLoadedProducts } from './loaded-products.ts'
import { openStagedItems } from './staged-items.ts'
import { openUnresolvedReferences } from './unresolved-references.ts'

/**
 * Opens the store for one load. The write lock is taken with the first item of a commit, or with slow input after the
 * last item, and waits for other loads. With `inBatches`, items that refer to something that does not exist yet are
 * deferred to the end.
 *
 * Between two commits another process may change anything, so no cache survives a commit.
 */
export function openSqliteProviderWriter(
  path: string,
  { loadTime, inBatches = false, isSlow = false, onWait, signal }: WriterOptions,
): ProviderWriter {
  const opened = fileIdentity(path)
  const database = openDatabase(path, 'write')
  // `takeWriteLock` waits for other loads, without blocking the process.
  database.exec('pragma busy_timeout = 0')
  const entries = openEntryWriter(database, loadTime.epochNanoseconds)
  const references = openUnresolvedReferences(database)
  const deferred = openDeferredItems(database)
  const customers = openCustomerRows(database)
  const accounts = openAccountRows(database)
  const products = openLoadedProducts(database, loadTime)
  const putBalance = command(database, 'insert or replace into balance values (?, ?)')
  const putContact = command(database, 'insert or replace into contact values (?, ?, ?)')
  const deleteBalance = command(database, 'delete from balance where account = ?')
  const deleteContact = command(database, 'delete from contact where account = ?')
  const staged = openStagedItems(database)
  let hasStaged = false

  // Only after the temporary tables exist: a rollback must not remove them.
  const begin = async (): Promise<void> => {
    if (!database.isTransaction) await takeWriteLock(database, { onWait, signal })
  }

  /** The account's number. If the account does not exist yet, the reference is recorded. */
  const findAccount = (item: Referring & SourceLocation): number => {
    const { kind, field } = accountReference(item)
    const account = accounts.findOrCreate(item.accountId)
    if (!isOfKind(account, kind)) references.addAccount(account.number, kind, item, field)
    return account.number
  }

  const writeAccount = (item: AccountItem & LocatedItem): Problem | undefined => {
    const account = accounts.findOrCreate(item.id)
    const problem = accounts.put(account, item)
    if (problem) return problem
    const holders = item.holders.map(({ customerId, isOwned }, index) => {
      const { number, isDefined } = customers.findOrCreate(customerId)
      const field = `holders[${index}].customerId`
      if (!isDefined) references.addCustomer(number, item, field)
      else if (!inBatches) references.addHolder(number, item, field)
      return [number, isOwned] as const
    })
    accounts.putHolders(account.number, new Map(holders))
    return undefined
  }

  const removeAccount = (number: number): void => {
    for (const list of entryLists) entries.removeList(number, list)
    deleteBalance.run(number)
    deleteContact.run(number)
    accounts.remove(number)
  }

  /** An account of the other kind stays. One that does not exist yet may follow, see `openDeferredItems`. */
  const removeAccountById = (kind: AccountKind, id: string): void => {
    const account = accounts.find(id)
    const presentKind = account?.kind || deferred.putKind(id)
    if (presentKind === kindCodes[kind]) {
      deferred.removeAccount(id)
      if (account) removeAccount(account.number)
    } else if (!presentKind && (account || deferred.isWaiting(id))) {
      deferred.addRemoval(id, kindCodes[kind])
    }
  }

  const resolveRemovals = ({ id, kind }: AccountItem): void => {
    const account = accounts.find(id)
    if (account?.kind) return
    if (deferred.resolveRemovals(id, kindCodes[kind]) && account) removeAccount(account.number)
  }

  const removeCustomer = (id: string, person: RemovalItem['person']): void => {
    const number = customers.remove(id, person)
    if (number !== undefined && !inBatches) references.addRemovedCustomer(number)
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
      case 'account':
        if (kind) removeAccountById(kind, accountId)
        break
      case 'balance':
        if (account) deleteBalance.run(account.number)
        break
      case 'contact':
        if (account) deleteContact.run(account.number)
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
        putBalance.run(findAccount(item), item.record)
        return undefined
      case 'contact':
        putContact.run(findAccount(item), item.status, item.record)
        return undefined
      case 'entry':
        entries.put(findAccount(item), item)
        return undefined
      case 'product':
        products.put(item)
        return undefined
      case 'removal':
        remove(item)
        return undefined
    }
  }

  /** The references of an item to customers and accounts that do not exist. */
  const findMissing = (item: LocatedItem): Problem[] => {
    if (item.type === 'account') {
      return item.holders.flatMap(({ customerId }, index) =>
        customers.isDefined(customerId)
          ? []
          : [{ path: `holders[${index}].customerId`, reason: noCustomer }],
      )
    }
    if (item.type !== 'balance' && item.type !== 'contact' && item.type !== 'entry') return []
    const { kind, field } = accountReference(item)
    const account = accounts.find(item.accountId)
    if (account && isOfKind(account, kind)) return []
    return [{ path: field, reason: noAccount(kind) }]
  }

  const writeOrDefer = (item: LocatedItem): Problem | undefined => {
    if (!inBatches && deferred.isEmpty()) return write(item)
    if (item.type === 'account') resolveRemovals(item)
    const account = accountOf(item)
    if (account === undefined) return write(item)
    if (!deferred.isWaiting(account) && !mustDefer(item, account)) return write(item)
    deferred.defer(account, item)
    return undefined
  }

  const mustDefer = (item: LocatedItem, account: string): boolean =>
    inBatches ? findMissing(item).length > 0 : deferred.hasRemoval(account)

  const writeAll = (items: readonly LocatedItem[]): LineError[] =>
    items.flatMap((item) => {
      const problem = writeOrDefer(item)
      return problem ? [{ file: item.file, line: item.line, ...problem }] : []
    })

  /** Writes the deferred items. In one transaction, their unresolved references are recorded as those of other items. */
  function* writeDeferred(): Generator<LineError> {
    for (const { account, kind } of deferred.removals()) {
      if (accounts.find(account)?.kind === kind) deferred.resolveRemovals(account, kind)
    }
    for (const item of deferred.all()) {
      const problems = inBatches ? findMissing(item) : []
      const problem = problems.length === 0 ? write(item) : undefined
      for (const each of problem ? [problem] : problems) {
        yield { file: item.file, line: item.line, ...each }
      }
    }
  }

  /** After a transaction, other processes can write, so nothing that was read is still valid. */
  const clearCaches = (): void => {
    accounts.clearCache()
    if (hasStaged) staged.clear()
    hasStaged = false
  }

  return {
    async write(items) {
      if (items.length === 0) return []
      if (isSlow) {
        hasStaged = true
        staged.put(items)
        return []
      }
      await begin()
      return writeAll(items)
    },

    /** Without slow input, errors were returned by `write`. */
    async *findErrors() {
      if (!hasStaged) return
      await begin()
      for (const items of staged.groups()) {
        yield* writeAll(items)
        // A signal is noticed between two turns of the event loop.
        await setImmediate()
        signal?.throwIfAborted()
      }
    },

    async *findUnresolved() {
      if (!deferred.isEmpty()) {
        await begin()
        yield* writeDeferred()
      }
      yield* references.errors()
    },

    async commit() {
      entries.finish()
      products.finish()
      // A commit to a file that was deleted or replaced would be lost.
      if (fileIdentity(path) !== opened) throw replacedDatabase(path)
      if (database.isTransaction) commitWithinSpace(database, path)
      clearCaches()
    },

    async rollback() {
      if (database.isTransaction) execute(database, 'rollback')
      clearCaches()
      entries.discard()
      products.clear()
    },

    async close() {
      // Closing rolls back an open transaction.
      database.close()
      releaseLog(path)
    },
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

/** The account whose items must stay in order. Undefined for an item that is never deferred, such as the removal of an account. */
function accountOf(item: LocatedItem): string | undefined {
  switch (item.type) {
    case 'account':
      return item.id
    case 'balance':
    case 'contact':
    case 'entry':
      return item.accountId
    case 'removal':
      return item.of === 'account' ? undefined : item.accountId
    default:
      return undefined
  }
}

function replacedDatabase(path: string): DatabaseError {
  return new DatabaseError(
    `the database ${path} was deleted or replaced during the load: uncommitted items were not loaded`,
  )
}
