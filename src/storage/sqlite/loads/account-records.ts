import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind } from '../../../contract/index.ts'
import type { LineOutcome } from '../../../intake/line-counts.ts'
import type { BalanceItem, ContactItem } from '../../../intake/writer.ts'
import { kindCodes } from '../../enum-codes.ts'
import { prepareOn } from '../driver/statements.ts'
import type { AccountNumber } from './account-rows.ts'

/**
 * The balance and the contact of an account. A contact that arrives before its account may belong to either kind, until
 * the account is put or one of a kind is deleted.
 */
export function openAccountRecords(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  const findBalance = query<{ record: string }>('select record from balance where account = ?')
  const putBalance = command('insert or replace into balance values (?, ?)')
  const findContact = query<{ kind: number; status: string; record: string }>(
    'select kind, status, record from contact where account = ?',
  )
  const putContact = command('insert or replace into contact values (?, ?, ?, ?)')
  const deleteContactOfKind = command('delete from contact where account = ? and kind = ?')
  const assignContact = command('update contact set kind = ? where account = ? and kind = 0')

  const removalFrom = (table: 'balance' | 'contact') => {
    const remove = command(`delete from ${table} where account = ?`)
    return (account: number): LineOutcome =>
      remove.run(account).changes > 0 ? 'deleted' : 'unchanged'
  }
  const removeBalance = removalFrom('balance')

  const assign = (account: number, kind: AccountKind): void => {
    deleteContactOfKind.run(account, kindCodes[otherOf[kind]])
    assignContact.run(kindCodes[kind], account)
  }

  return {
    putBalance(account: number, { record }: BalanceItem): LineOutcome {
      const before = findBalance.first(account)
      if (before?.record === record) return 'unchanged'
      putBalance.run(account, record)
      return before ? 'changed' : 'created'
    },

    putContact({ number, kind }: AccountNumber, { status, record }: ContactItem): LineOutcome {
      const before = findContact.first(number)
      const isSame = before?.record === record && before.status === status
      if (isSame && before.kind === kind) return 'unchanged'
      putContact.run(number, kind, status, record)
      if (isSame) return 'unchanged'
      return before ? 'changed' : 'created'
    },

    removeBalance,

    removeContact: removalFrom('contact'),

    /** An account of this kind is put in the place of a placeholder. */
    assignContact: assign,

    /** An account of this kind is deleted, also if it does not exist. */
    removeAll(account: number, kind: AccountKind): void {
      if (kind === 'banking') removeBalance(account)
      assign(account, otherOf[kind])
    },
  }
}

const otherOf = { banking: 'energy', energy: 'banking' } as const satisfies Record<
  AccountKind,
  AccountKind
>
