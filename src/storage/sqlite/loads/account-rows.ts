import type { DatabaseSync } from 'node:sqlite'
import type { Problem } from '../../../contract/index.ts'
import type { AccountItem } from '../../../load/writer.ts'
import type { AccountKind } from '../../../provider/store.ts'
import { createdUnknown, kindCodes } from '../../enum-codes.ts'
import { otherKind } from '../../load-errors.ts'
import { command, query } from '../driver/statements.ts'

/** How many accounts are remembered by id while a load runs. */
const knownMax = 50_000

export interface AccountNumber {
  readonly number: number
  /** 0 where the account is only mentioned yet. */
  readonly kind: number
}

/** Accounts and who holds them, and accounts that are only mentioned yet. */
export function openAccountRows(database: DatabaseSync) {
  const known = new Map<string, AccountNumber>()
  const find = query<AccountNumber>(
    database,
    'select number, case when head is null then 0 else kind end as kind from account where id = ?',
  )
  const mention = command(database, 'insert into account (id) values (?)')
  const put = command(
    database,
    `update account set kind = ?, is_open = ?, category = ?, created = ?, is_owned_text = ?,
       shareable = ?, head = ?, tail = ?, detail = ? where number = ?`,
  )
  const remove = command(
    database,
    `update account set kind = 0, is_owned_text = null, shareable = null, category = null,
       head = null, tail = null, detail = null where number = ?`,
  )
  const holders = query<{ customer: number; is_owned: number }>(
    database,
    'select customer, is_owned from holder where account = ?',
  )
  const putHolder = command(database, 'insert or replace into holder values (?, ?, ?)')
  const removeHolder = command(database, 'delete from holder where customer = ? and account = ?')
  const removeHolders = command(database, 'delete from holder where account = ?')

  const lookUp = (id: string): AccountNumber | undefined => {
    const remembered = known.get(id)
    if (remembered) return remembered
    const row = find.first(id)
    if (row) remember(id, row)
    return row
  }
  const remember = (id: string, row: AccountNumber): void => {
    if (known.size >= knownMax) known.clear()
    known.set(id, { number: row.number, kind: row.kind })
  }

  return {
    find: lookUp,

    numberOf(id: string): AccountNumber {
      const row = lookUp(id)
      if (row) return row
      const made = { number: mention.run(id).rowid, kind: 0 }
      remember(id, made)
      return made
    },

    put(account: AccountNumber, item: AccountItem): Problem | undefined {
      const code = kindCodes[item.kind]
      if (account.kind !== 0 && account.kind !== code) return otherKind(item.kind)
      put.run(
        code,
        Number(item.isOpen),
        item.productCategory ?? null,
        item.created ?? createdUnknown,
        item.isOwnedText ?? null,
        item.shareable,
        item.head,
        item.tail,
        item.detail ?? null,
        account.number,
      )
      remember(item.id, { number: account.number, kind: code })
      return undefined
    },

    /** The holders become these and no others. */
    putHolders(account: number, wanted: ReadonlyMap<number, boolean>): void {
      const now = new Map(holders.all(account).map((row) => [row.customer, row.is_owned === 1]))
      for (const customer of now.keys()) {
        if (!wanted.has(customer)) removeHolder.run(customer, account)
      }
      for (const [customer, isOwned] of wanted) {
        if (now.get(customer) !== isOwned) putHolder.run(customer, account, Number(isOwned))
      }
    },

    remove(account: number): void {
      remove.run(account)
      removeHolders.run(account)
      known.clear()
    },

    forget(): void {
      known.clear()
    },
  }
}

export function isOfKind(account: AccountNumber, kind: AccountKind | undefined): boolean {
  return kind === undefined ? account.kind !== 0 : account.kind === kindCodes[kind]
}
