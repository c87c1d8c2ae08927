import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind, Problem } from '../../../contract/index.ts'
import { otherKind } from '../../../intake/item-problems.ts'
import type { LineOutcome } from '../../../intake/line-counts.ts'
import type { AccountItem } from '../../../intake/writer.ts'
import { kindCodes, latestTime } from '../../enum-codes.ts'
import { accountColumns, clearAccount } from '../../owner-columns.ts'
import { prepareOn } from '../driver/statements.ts'

/** How many accounts are cached by id while a load runs. */
const cachedMax = 50_000

export interface AccountNumber {
  readonly number: number
  /** 0 for a placeholder. */
  readonly kind: number
}

/** Accounts and their holders. An account that a line refers to before it exists has a placeholder, without a record. */
export function openAccountRows(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  const cacheById = new Map<string, AccountNumber>()
  const find = query<AccountNumber>(
    'select number, case when head is null then 0 else kind end as kind from account where id = ?',
  )
  const findRecord = query<{ is_owned_text: string | null; head: string; tail: string }>(
    'select is_owned_text, head, tail from account where number = ?',
  )
  const insertPlaceholder = command('insert into account (id) values (?)')
  const changes = accountColumns.map((name) => `${name} = ?`)
  const put = command(`update account set ${changes} where number = ?`)
  const remove = command(`update account set ${clearAccount} where number = ?`)
  const holders = query<{ customer: number; is_owned: number }>(
    'select customer, is_owned from holder where account = ?',
  )
  const putHolder = command('insert or replace into holder values (?, ?, ?)')
  const removeHolder = command('delete from holder where customer = ? and account = ?')
  const removeHolders = command('delete from holder where account = ?')

  const lookUp = (id: string): AccountNumber | undefined => {
    const cached = cacheById.get(id)
    if (cached) return cached
    const row = find.first(id)
    return row && cache(id, row)
  }
  const cache = (id: string, { number, kind }: AccountNumber): AccountNumber => {
    if (cacheById.size >= cachedMax) cacheById.clear()
    const account = { number, kind }
    cacheById.set(id, account)
    return account
  }

  return {
    find: lookUp,

    findOrCreate: (id: string): AccountNumber =>
      lookUp(id) ?? cache(id, { number: insertPlaceholder.run(id).rowid, kind: 0 }),

    put(account: AccountNumber, item: AccountItem): LineOutcome | Problem {
      const code = kindCodes[item.kind]
      if (account.kind !== 0 && account.kind !== code) return otherKind(item.kind)
      const before = account.kind === 0 ? undefined : findRecord.first(account.number)
      const { head, tail, shareable, isOwnedText = null, detail = null } = item
      if (before?.head === head && before.tail === tail && before.is_owned_text === isOwnedText) {
        return 'unchanged'
      }
      const { isOpen, productCategory = null, created = latestTime } = item
      const texts = [productCategory, isOwnedText, shareable, head, tail, detail]
      put.run(code, Number(isOpen), created, ...texts, account.number)
      cache(item.id, { number: account.number, kind: code })
      return before ? 'changed' : 'created'
    },

    /** Replaces all holders. Returns whether they differ. */
    putHolders(account: number, newHolders: ReadonlyMap<number, boolean>): boolean {
      const present = new Map(holders.all(account).map((row) => [row.customer, row.is_owned === 1]))
      let isChanged = false
      for (const customer of present.keys()) {
        if (newHolders.has(customer)) continue
        removeHolder.run(customer, account)
        isChanged = true
      }
      for (const [customer, isOwned] of newHolders) {
        if (present.get(customer) === isOwned) continue
        putHolder.run(customer, account, Number(isOwned))
        isChanged = true
      }
      return isChanged
    },

    remove(account: number): void {
      remove.run(account)
      removeHolders.run(account)
      cacheById.clear()
    },

    clearCache: (): void => cacheById.clear(),
  }
}

export function isOfKind(account: AccountNumber, kind: AccountKind | undefined): boolean {
  return kind === undefined ? account.kind !== 0 : account.kind === kindCodes[kind]
}
