import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind } from '../../provider/store.ts'
import type { Place, Refusal } from '../../provider/writer.ts'
import { kindCodes } from './keys.ts'
import { query } from './statements.ts'

/** An account that was referred to and is not there at the end, or not of the kind that was meant. */
export interface Orphan {
  readonly account: number
  readonly kind: number
}

/**
 * Who referred to what was not there yet. Most of it comes later in the same load; what does not is
 * told line by line. Kept on disk: a file may well have all its transactions before its accounts.
 */
export function openMentions(database: DatabaseSync) {
  database.exec(`
    create temp table account_mention (
      account integer not null, kind integer not null,
      file integer not null, line integer not null, field text not null
    ) strict;
    create temp table customer_mention (
      customer integer not null, file integer not null, line integer not null, field text not null
    ) strict;
  `)
  const mentionAccount = database.prepare('insert into account_mention values (?, ?, ?, ?, ?)')
  const mentionCustomer = database.prepare('insert into customer_mention values (?, ?, ?, ?)')
  const isOrphan = `a.head is null or (m.kind <> 0 and a.kind <> m.kind)`
  const lostAccounts = query<Place & { field: string; kind: number }>(
    database,
    `select m.file, m.line, m.field, m.kind from account_mention m
     join account a on a.number = m.account where ${isOrphan} order by m.file, m.line`,
  )
  const orphans = query<Orphan>(
    database,
    `select distinct m.account, m.kind from account_mention m
     join account a on a.number = m.account where ${isOrphan}`,
  )
  const lostCustomers = query<Place & { field: string }>(
    database,
    `select m.file, m.line, m.field from customer_mention m
     join customer c on c.number = m.customer where c.record is null order by m.file, m.line`,
  )
  const forgetHolders = database.prepare(
    `delete from holder where customer in
       (select m.customer from customer_mention m
        join customer c on c.number = m.customer where c.record is null)`,
  )

  return {
    account(account: number, kind: AccountKind | undefined, { file, line }: Place, field: string) {
      mentionAccount.run(account, kind ? kindCodes[kind] : 0, file, line, field)
    },

    customer(customer: number, { file, line }: Place, field: string) {
      mentionCustomer.run(customer, file, line, field)
    },

    *refusals(): Generator<Refusal> {
      for (const { file, line, field, kind } of lostAccounts.each()) {
        const named = Object.entries(kindCodes).find(([, code]) => code === kind)?.[0] ?? ''
        yield {
          file,
          line,
          path: field,
          reason: `names no ${named} account that exists`.replace('  ', ' '),
        }
      }
      for (const { file, line, field } of lostCustomers.each()) {
        yield { file, line, path: field, reason: 'names no customer that exists' }
      }
    },

    orphans: (): Orphan[] => orphans.all(),

    forgetHolders: (): void => void forgetHolders.run(),
  }
}
