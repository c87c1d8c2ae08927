import type { Problem } from '../../contract/index.ts'
import { type AccountKind, entryLists, kindOfList } from '../../provider/store.ts'
import type {
  AccountItem,
  BalanceItem,
  ContactItem,
  EntryItem,
  Place,
  PlacedItem,
  ProviderWriter,
  Refusal,
  RemovalItem,
  WriterOptions,
} from '../../provider/writer.ts'
import { DatabaseError } from '../database.ts'
import { noAccount, noCustomer } from '../refusals.ts'
import { isOfKind, openAccountRows } from './account-rows.ts'
import { openCustomerRows } from './customer-rows.ts'
import { openEntryWriter } from './entry-writer.ts'
import { identityOf } from './files.ts'
import { type Line, openHeldItems } from './held-items.ts'
import { openLoadedProducts } from './loaded-products.ts'
import { openMentions } from './mentions.ts'
import { openDatabase } from './open.ts'
import { command, execute } from './statements.ts'
import { commitWithinSpace, releaseLog } from './write-ahead-log.ts'

/**
 * Opens the store for one load. Waits while another load has it. With `inBatches`, what refers to
 * something that is not there yet is held back until the end instead of being written.
 */
export function openSqliteProviderWriter(
  path: string,
  { loadTime, inBatches = false }: WriterOptions,
): ProviderWriter {
  const opened = identityOf(path)
  const database = openDatabase(path, 'write')
  const entries = openEntryWriter(database, loadTime.epochNanoseconds)
  const mentions = openMentions(database)
  const held = openHeldItems(database)
  const customers = openCustomerRows(database)
  const accounts = openAccountRows(database)
  const products = openLoadedProducts(database, loadTime)
  const putBalance = command(database, 'insert or replace into balance values (?, ?)')
  const putContact = command(database, 'insert or replace into contact values (?, ?, ?)')
  const dropBalance = command(database, 'delete from balance where account = ?')
  const dropContact = command(database, 'delete from contact where account = ?')
  // Behind the temporary tables: a rollback must not take them away.
  execute(database, 'begin immediate')

  /** The account's number, with a note where it is not there yet. */
  const accountOf = (item: Referring & Place): number => {
    const { kind, field } = referenceOf(item)
    const account = accounts.numberOf(item.accountId)
    if (!isOfKind(account, kind)) mentions.account(account.number, kind, item, field)
    return account.number
  }

  const writeAccount = (item: AccountItem & PlacedItem): Problem | undefined => {
    const account = accounts.numberOf(item.id)
    const problem = accounts.put(account, item)
    if (problem) return problem
    const holders = item.holders.map(({ customerId, isOwned }, index) => {
      const { number, isDefined } = customers.numberOf(customerId)
      const field = `holders[${index}].customerId`
      if (isDefined) mentions.holder(number, item, field)
      else mentions.customer(number, item, field)
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
        held.forget(accountId)
        // Also one that is only mentioned yet: what came for it so far goes with it.
        if (account && (account.kind === 0 || isOfKind(account, kind)))
          removeAccount(account.number)
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

  const write = (item: PlacedItem): Problem | undefined => {
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
  const lacking = (item: PlacedItem): Problem[] => {
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

  const writeOrHold = (item: PlacedItem): Problem | undefined => {
    const line = inBatches ? lineOf(item) : undefined
    if (!line || (!held.isWaiting(line) && lacking(item).length === 0)) return write(item)
    held.hold(line, item)
    return undefined
  }

  return {
    async write(items) {
      const refusals: Refusal[] = []
      for (const item of items) {
        const problem = writeOrHold(item)
        if (problem) refusals.push({ file: item.file, line: item.line, ...problem })
      }
      return refusals
    },

    /** Each was told when it was written. */
    impossible: () => [],

    *unresolved() {
      for (const item of held.all()) {
        const problems = lacking(item)
        const problem = problems.length === 0 ? write(item) : undefined
        for (const each of problem ? [problem] : problems) {
          yield { file: item.file, line: item.line, ...each }
        }
      }
      yield* mentions.refusals()
    },

    async commit() {
      entries.settle()
      products.settle()
      // A commit into a file that no path leads to would be lost.
      if (identityOf(path) !== opened) throw replacedDatabase(path)
      commitWithinSpace(database, path)
      execute(database, 'begin immediate')
    },

    async rollback() {
      execute(database, 'rollback; begin immediate')
      entries.forget()
      products.forget()
      accounts.forget()
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
  return { kind: kindOfList[item.list], field }
}

/** Where an item must keep its place. The removal of a whole account does not wait. */
function lineOf(item: PlacedItem): Line | undefined {
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
