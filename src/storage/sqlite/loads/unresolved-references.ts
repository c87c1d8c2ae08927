import type { DatabaseSync } from 'node:sqlite'
import type { AccountKind } from '../../../contract/index.ts'
import { missingAccount, missingCustomer } from '../../../intake/item-problems.ts'
import type { LineError, SourceLocation } from '../../../intake/writer.ts'
import { kindCodes, kindName } from '../../enum-codes.ts'
import { prepareOn } from '../driver/statements.ts'

interface Row {
  readonly file: number
  readonly line: number
  readonly part: number | null
  readonly field: string
  /** Of the account; 0 or null for either. */
  readonly kind: number | null
  readonly isCustomer: number
  /** Of what does not exist. */
  readonly id: string
}

interface PossibleReference {
  /** Absent for the restriction of a customer. */
  readonly account?: number
  /** Undefined if an account of either kind is valid. */
  readonly kind: AccountKind | undefined
  /** A holder or a restricted customer. Without one, the line refers to the account. */
  readonly customer?: number
  /** Whether the line is not deleted with the account. */
  readonly isRestriction?: true
  readonly field: string
}

/**
 * References of lines that may be unresolved after the last line: those to accounts that do not exist when the line is
 * written, and those to holders, who may still be deleted. Stored on disk, as a file may contain all transactions before
 * the accounts.
 */
export function openUnresolvedReferences(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  database.exec(`
    create temp table reference (
      number integer primary key, account integer,
      kind integer,             -- null: of a restriction
      customer integer,
      file integer not null, line integer not null, part integer, field text not null
    ) strict;
    create temp table deletion (
      account integer not null, kind integer not null,
      number integer not null,  -- of the last reference before it
      primary key (account, kind)
    ) strict, without rowid;
  `)
  const insert = command(`insert into reference (account, kind, customer, file, line, part, field)
     values (?, ?, ?, ?, ?, ?, ?)`)
  const insertDeletion = command(
    'insert or replace into deletion select ?, ?, coalesce(max(number), 0) from reference',
  )
  const unresolved =
    query<Row>(`select r.file, r.line, r.part, r.field, r.kind, r.customer is not null as isCustomer,
       coalesce(c.id, a.id) as id
     from reference r left join account a on a.number = r.account
     left join customer c on c.number = r.customer
     where case when r.customer is null then a.kind = 0 or (r.kind <> 0 and a.kind <> r.kind)
         else c.record is null end
       and not exists (select 1 from deletion d
         where d.account = r.account and (r.kind = 0 or d.kind = r.kind) and d.number >= r.number)
     order by r.number`)
  const clear = ['reference', 'deletion'].map((table) => command(`delete from ${table}`))
  let isEmpty = true

  return {
    add(
      { account, kind, customer, field, isRestriction }: PossibleReference,
      { file, line, part }: SourceLocation,
    ): void {
      isEmpty = false
      const code = isRestriction ? null : kind ? kindCodes[kind] : 0
      insert.run(account ?? null, code, customer ?? null, file, line, part ?? null, field)
    },

    /** The lines before the deletion of their account are deleted with it. */
    addDeletion(account: number, kind: AccountKind): void {
      if (!isEmpty) insertDeletion.run(account, kindCodes[kind])
    },

    *errors(): Generator<LineError> {
      if (isEmpty) return
      for (const { file, line, part, field, kind, isCustomer, id } of unresolved.each()) {
        const problem = isCustomer
          ? missingCustomer(field, id)
          : missingAccount(field, kind ? kindName(kind) : undefined, id)
        yield { file, line, ...(part !== null && { part }), ...problem }
      }
    },

    clear(): void {
      if (!isEmpty) for (const each of clear) each.run()
      isEmpty = true
    },
  }
}
