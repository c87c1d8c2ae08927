import type { DatabaseSync } from 'node:sqlite'
import type { LineOutcome } from '../../../intake/line-counts.ts'
import type { BalanceItem, ContactItem } from '../../../intake/writer.ts'
import { command, query } from '../driver/statements.ts'

/** The balance and the contact of an account. */
export function openAccountRecords(database: DatabaseSync) {
  const findBalance = query<{ record: string }>(
    database,
    'select record from balance where account = ?',
  )
  const putBalance = command(database, 'insert or replace into balance values (?, ?)')
  const deleteBalance = command(database, 'delete from balance where account = ?')
  const findContact = query<{ status: string; record: string }>(
    database,
    'select status, record from contact where account = ?',
  )
  const putContact = command(database, 'insert or replace into contact values (?, ?, ?)')
  const deleteContact = command(database, 'delete from contact where account = ?')

  return {
    putBalance(account: number, { record }: BalanceItem): LineOutcome {
      const before = findBalance.first(account)
      if (before?.record === record) return 'unchanged'
      putBalance.run(account, record)
      return before ? 'changed' : 'created'
    },

    putContact(account: number, { status, record }: ContactItem): LineOutcome {
      const before = findContact.first(account)
      if (before?.record === record && before.status === status) return 'unchanged'
      putContact.run(account, status, record)
      return before ? 'changed' : 'created'
    },

    removeBalance: (account: number): LineOutcome =>
      deleteBalance.run(account).changes > 0 ? 'deleted' : 'unchanged',

    removeContact: (account: number): LineOutcome =>
      deleteContact.run(account).changes > 0 ? 'deleted' : 'unchanged',
  }
}
