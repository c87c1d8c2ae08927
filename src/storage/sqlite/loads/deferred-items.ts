import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { LocatedItem } from '../../../load/writer.ts'
import { kindCodes } from '../../enum-codes.ts'
import { command, query } from '../driver/statements.ts'

/** What an item must keep its place in line for: its account, and a payment that may change accounts. */
export interface Line {
  readonly account?: string | undefined
  readonly payment?: string | undefined
}

/**
 * Items that wait, in order, until all of a load is there, and so does whatever comes after them in the same line. In
 * batches, these are items that refer to what is not there yet: a batch that is committed holds nothing half.
 *
 * The removal of an account that is not there yet waits as well. Whether the items before it go with the account
 * depends on the next line that puts it: they do where that is of the kind which was removed, because loading the same
 * lines again finds the account there, and removes it with them.
 */
export function openDeferredItems(database: DatabaseSync) {
  database.exec(`
    create temp table held (
      number integer primary key, type text not null, kind integer, account text, payment text,
      item blob not null
    ) strict;
    create index temp.held_account on held (account);
    create index temp.held_payment on held (payment);
    create temp table undecided_removal (
      account text not null, kind integer not null,
      number integer not null   -- of the last item that is held before it
    ) strict;
    create index temp.undecided_removal_account on undecided_removal (account);
  `)
  const insert = command(
    database,
    'insert into held (type, kind, account, payment, item) values (?, ?, ?, ?, ?)',
  )
  const forget = command(
    database,
    // A payment that moved to the account last goes whole: where it was before is overruled.
    `delete from held where number <= ?2 and (account = ?1
       or payment in (select payment from held h where account = ?1 and number <= ?2 and not exists
         (select 1 from held later where later.payment = h.payment
            and later.number > h.number and later.number <= ?2)))`,
  )
  const waits = query<{ found: number }>(
    database,
    'select 1 as found from held where account = ? or payment = ? limit 1',
  )
  const undecidedOf = query<{ found: number }>(
    database,
    'select 1 as found from undecided_removal where account = ? limit 1',
  )
  const lastPut = query<{ kind: number }>(
    database,
    'select kind from held where account = ? and kind is not null order by number desc limit 1',
  )
  const addUndecided = command(
    database,
    'insert into undecided_removal select ?, ?, coalesce(max(number), 0) from held',
  )
  const lastUndecided = query<{ number: number | null }>(
    database,
    'select max(number) as number from undecided_removal where account = ? and kind = ?',
  )
  const dropUndecided = command(database, 'delete from undecided_removal where account = ?')
  const undecided = query<{ account: string; kind: number }>(
    database,
    'select account, kind from undecided_removal',
  )
  const accounts = query<{ item: Uint8Array }>(
    database,
    "select item from held where type = 'account' order by number",
  )
  const others = query<{ item: Uint8Array }>(
    database,
    "select item from held where type <> 'account' order by number",
  )
  const allNumbers = Number.MAX_SAFE_INTEGER
  /** Most loads in one transaction never hold anything, and are not to ask for each of their items. */
  let isEmpty = true

  return {
    isEmpty: (): boolean => isEmpty,

    hold({ account = null, payment = null }: Nullable<Line>, item: LocatedItem): void {
      isEmpty = false
      const kind = item.type === 'account' ? kindCodes[item.kind] : null
      insert.run(item.type, kind, account, payment, serialize(item))
    },

    isWaiting: ({ account = null, payment = null }: Nullable<Line>): boolean =>
      waits.first(account, payment) !== undefined,

    /** The kind that an account will have, by the last item that puts it. */
    putKind: (account: string): number | undefined => lastPut.first(account)?.kind,

    /** The account is removed, and what waits for it with it. */
    forget: (account: string): void => void forget.run(account, allNumbers),

    /** The removal of an account of this kind, which is not there. */
    addUndecided(account: string, kind: number): void {
      isEmpty = false
      addUndecided.run(account, kind)
    },

    /** An account of this kind comes. Returns whether a removal took what was there for it before. */
    decide(account: string, kind: number): boolean {
      const number = lastUndecided.first(account, kind)?.number ?? undefined
      dropUndecided.run(account)
      if (number === undefined) return false
      forget.run(account, number)
      return true
    },

    isUndecided: (account: string): boolean => undecidedOf.first(account) !== undefined,

    undecided: (): { readonly account: string; readonly kind: number }[] => undecided.all(),

    /** Accounts first: the rest may be waiting for them. */
    *all(): Generator<LocatedItem> {
      for (const { item } of accounts.each()) yield deserialize(item) as LocatedItem
      for (const { item } of others.each()) yield deserialize(item) as LocatedItem
    },
  }
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null }
