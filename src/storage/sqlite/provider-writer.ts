import type { Problem } from '../../contract/index.ts'
import { type AccountKind, entryLists, kindOfList } from '../../provider/store.ts'
import type {
  AccountItem,
  PlacedItem,
  ProviderWriter,
  Refusal,
  RemovalItem,
} from '../../provider/writer.ts'
import { isOfKind, openAccountRows } from './account-rows.ts'
import { openCustomerRows } from './customer-rows.ts'
import { openEntryWriter } from './entry-writer.ts'
import { kindCodes } from './keys.ts'
import { openMentions } from './mentions.ts'
import { openDatabase } from './open.ts'

/** Opens the store for one load. Waits while another load has it. */
export function openSqliteProviderWriter(path: string, loadTime: Temporal.Instant): ProviderWriter {
  const database = openDatabase(path, 'write')
  const entries = openEntryWriter(database, loadTime.epochNanoseconds)
  const mentions = openMentions(database)
  const customers = openCustomerRows(database)
  const accounts = openAccountRows(database)
  const putBalance = database.prepare('insert or replace into balance values (?, ?)')
  const putContact = database.prepare('insert or replace into contact values (?, ?, ?)')
  const putProduct = database.prepare('insert or replace into product values (?, ?)')
  const dropBalance = database.prepare('delete from balance where account = ?')
  const dropContact = database.prepare('delete from contact where account = ?')
  const dropProduct = database.prepare('delete from product where id = ?')
  // Behind the temporary tables: a rollback must not take them away.
  database.exec('begin immediate')

  /** The account's number, with a note where it is not there yet. */
  const accountOf = (item: PlacedItem, id: string, field: string, kind?: AccountKind): number => {
    const account = accounts.numberOf(id)
    if (!isOfKind(account, kind)) mentions.account(account.number, kind, item, field)
    return account.number
  }

  const writeAccount = (item: AccountItem & PlacedItem): Problem | undefined => {
    const account = accounts.numberOf(item.id)
    const problem = accounts.put(account, item)
    if (problem) return problem
    const holders = item.holders.map(({ customerId, isOwned }, index) => {
      const { number, isDefined } = customers.numberOf(customerId)
      if (!isDefined) mentions.customer(number, item, `holders[${index}].customerId`)
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

  const remove = ({ of, kind, accountId = '', id = '', person }: RemovalItem): void => {
    const account = accounts.find(accountId)
    switch (of) {
      case 'customer':
        customers.remove(id, person)
        break
      case 'product':
        dropProduct.run(id)
        break
      case 'payment':
        entries.removePayment(id)
        break
      case 'account':
        if (account && kind && isOfKind(account, kind)) removeAccount(account.number)
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
        putBalance.run(accountOf(item, item.accountId, 'accountId', 'banking'), item.record)
        return undefined
      case 'contact':
        putContact.run(accountOf(item, item.accountId, 'accountId'), item.status, item.record)
        return undefined
      case 'entry': {
        const field = item.list === 'payment' ? 'from.accountId' : 'accountId'
        entries.put(accountOf(item, item.accountId, field, kindOfList[item.list]), item)
        return undefined
      }
      case 'product':
        putProduct.run(item.id, item.record)
        return undefined
      case 'removal':
        remove(item)
        return undefined
    }
  }

  /** Takes out what refers to an account that is not there, or is of the other kind. */
  const dropOrphans = (): void => {
    for (const { account, kind } of mentions.orphans()) {
      const lists = entryLists.filter((list) => kind === 0 || kindCodes[kindOfList[list]] === kind)
      for (const list of lists) entries.removeList(account, list)
      if (kind !== kindCodes.energy) dropBalance.run(account)
      if (kind === 0) dropContact.run(account)
    }
    mentions.forgetHolders()
  }

  return {
    async write(items) {
      return items.flatMap((item): Refusal[] => {
        const problem = write(item)
        return problem ? [{ file: item.file, line: item.line, ...problem }] : []
      })
    },

    *unresolved() {
      yield* mentions.refusals()
      dropOrphans()
    },

    async commit() {
      entries.settle()
      database.exec('commit; begin immediate')
    },

    async rollback() {
      database.exec('rollback; begin immediate')
      entries.forget()
      accounts.forget()
    },

    async close() {
      database.exec('rollback')
      // What was committed goes into the main file, as far as readers of older states allow.
      database.exec('pragma wal_checkpoint(passive)')
      database.close()
    },
  }
}
