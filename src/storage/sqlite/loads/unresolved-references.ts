import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind } from '../../../contract/index.ts'
import type { LineError, SourceLocation } from '../../../intake/writer.ts'
import { kindCodes } from '../../enum-codes.ts'
import { command, query } from '../driver/statements.ts'
import { missingAccount, missingCustomer, toLineError } from './line-error.ts'

export type UnresolvedReferences = ReturnType<typeof openUnresolvedReferences>

interface Unresolved {
  readonly file: number
  readonly line: number
  readonly part: number | null
  readonly field: string
  /** Of what does not exist. */
  readonly id: string
}

/**
 * Lines that refer to a customer or an account that does not exist yet. Most follow later in the same load; for the
 * others, an error per line is reported. Stored on disk, as a file may contain all transactions before the accounts.
 */
export function openUnresolvedReferences(database: DatabaseSync) {
  database.exec(`
    create temp table account_reference (
      account integer not null, kind integer not null,
      file integer not null, line integer not null, part integer, field text not null
    ) strict;
    create temp table customer_reference (
      customer integer not null, file integer not null, line integer not null, part integer, field text not null
    ) strict;
    create temp table holder_line (
      customer integer not null, file integer not null, line integer not null, part integer, field text not null
    ) strict;
    create index temp.holder_line_customer on holder_line (customer);
  `)
  const insertAccount = command(database, 'insert into account_reference values (?, ?, ?, ?, ?, ?)')
  const insertCustomer = command(database, 'insert into customer_reference values (?, ?, ?, ?, ?)')
  const unresolvedAccounts = query<Unresolved & { kind: number }>(
    database,
    `select m.file, m.line, m.part, m.field, m.kind, a.id from account_reference m
     join account a on a.number = m.account
     where a.head is null or (m.kind <> 0 and a.kind <> m.kind) order by m.file, m.line, m.part`,
  )
  const unresolvedCustomers = query<Unresolved>(
    database,
    `select distinct m.file, m.line, m.part, m.field, c.id from customer_reference m
     join customer c on c.number = m.customer where c.record is null
     order by m.file, m.line, m.part, length(m.field), m.field`,
  )
  const insertHolder = command(database, 'insert into holder_line values (?, ?, ?, ?, ?)')
  const insertHolders = command(
    database,
    'insert into customer_reference select * from holder_line where customer = ?',
  )

  return {
    addAccount(
      account: number,
      kind: AccountKind | undefined,
      { file, line, part }: SourceLocation,
      field: string,
    ) {
      insertAccount.run(account, kind ? kindCodes[kind] : 0, file, line, part ?? null, field)
    },

    addCustomer(customer: number, { file, line, part }: SourceLocation, field: string) {
      insertCustomer.run(customer, file, line, part ?? null, field)
    },

    /** A line of this load makes an existing customer a holder; the customer may still be removed. */
    addHolder(customer: number, { file, line, part }: SourceLocation, field: string) {
      insertHolder.run(customer, file, line, part ?? null, field)
    },

    addRemovedCustomer(customer: number): void {
      insertHolders.run(customer)
    },

    *errors(): Generator<LineError> {
      for (const row of unresolvedAccounts.each()) {
        const problem = missingAccount(row.field, accountKind(row.kind), row.id)
        yield toLineError(locationOf(row), problem)
      }
      for (const row of unresolvedCustomers.each()) {
        yield toLineError(locationOf(row), missingCustomer(row.field, row.id))
      }
    },
  }
}

function locationOf({ file, line, part }: Unresolved): SourceLocation {
  return { file, line, ...(part !== null && { part }) }
}

/** The code is 0 for either kind. */
function accountKind(code: number): AccountKind | undefined {
  if (code === kindCodes.banking) return 'banking'
  return code === kindCodes.energy ? 'energy' : undefined
}
