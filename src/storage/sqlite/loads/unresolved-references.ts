import type { DatabaseSync } from 'node:sqlite'
import type { LineError, SourceLocation } from '../../../load/writer.ts'
import type { AccountKind } from '../../../provider/store.ts'
import { kindCodes } from '../../enum-codes.ts'
import { noAccount, noCustomer } from '../../load-errors.ts'
import { command, query } from '../driver/statements.ts'

/**
 * Who referred to what was not there yet. Most of it comes later in the same load; what does not is
 * told line by line. Kept on disk: a file may well have all its transactions before its accounts.
 */
export function openUnresolvedReferences(database: DatabaseSync) {
  database.exec(`
    create temp table account_mention (
      account integer not null, kind integer not null,
      file integer not null, line integer not null, field text not null
    ) strict;
    create temp table customer_mention (
      customer integer not null, file integer not null, line integer not null, field text not null
    ) strict;
    create temp table holder_line (
      customer integer not null, file integer not null, line integer not null, field text not null
    ) strict;
    create index temp.holder_line_customer on holder_line (customer);
  `)
  const mentionAccount = command(database, 'insert into account_mention values (?, ?, ?, ?, ?)')
  const mentionCustomer = command(database, 'insert into customer_mention values (?, ?, ?, ?)')
  const lostAccounts = query<SourceLocation & { field: string; kind: number }>(
    database,
    `select m.file, m.line, m.field, m.kind from account_mention m
     join account a on a.number = m.account
     where a.head is null or (m.kind <> 0 and a.kind <> m.kind) order by m.file, m.line`,
  )
  const lostCustomers = query<SourceLocation & { field: string }>(
    database,
    `select distinct m.file, m.line, m.field from customer_mention m
     join customer c on c.number = m.customer where c.record is null
     order by m.file, m.line, length(m.field), m.field`,
  )
  const noteHolder = command(database, 'insert into holder_line values (?, ?, ?, ?)')
  const mentionHolders = command(
    database,
    'insert into customer_mention select * from holder_line where customer = ?',
  )

  return {
    account(
      account: number,
      kind: AccountKind | undefined,
      { file, line }: SourceLocation,
      field: string,
    ) {
      mentionAccount.run(account, kind ? kindCodes[kind] : 0, file, line, field)
    },

    customer(customer: number, { file, line }: SourceLocation, field: string) {
      mentionCustomer.run(customer, file, line, field)
    },

    /** A line of this load has the customer hold an account; the customer may still be removed. */
    holder(customer: number, { file, line }: SourceLocation, field: string) {
      noteHolder.run(customer, file, line, field)
    },

    removedCustomer(customer: number): void {
      mentionHolders.run(customer)
    },

    *refusals(): Generator<LineError> {
      for (const { file, line, field, kind } of lostAccounts.each()) {
        yield { file, line, path: field, reason: noAccount(kindOfCode(kind)) }
      }
      for (const { file, line, field } of lostCustomers.each()) {
        yield { file, line, path: field, reason: noCustomer }
      }
    },
  }
}

/** The code is 0 where either kind would do. */
function kindOfCode(code: number): AccountKind | undefined {
  if (code === kindCodes.banking) return 'banking'
  return code === kindCodes.energy ? 'energy' : undefined
}
