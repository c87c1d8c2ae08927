import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { PlacedItem } from '../../provider/writer.ts'
import { command, query } from './statements.ts'

/** What an item must keep its place in line for: its account, and a payment that may change accounts. */
export interface Line {
  readonly account?: string | undefined
  readonly payment?: string | undefined
}

/**
 * Items of a load in batches that refer to what is not there yet. They wait here, in order, and so does
 * whatever comes after them in the same line: a batch that is committed holds nothing half.
 */
export function openHeldItems(database: DatabaseSync) {
  database.exec(`
    create temp table held (
      number integer primary key, type text not null, account text, payment text, item blob not null
    ) strict;
    create index temp.held_account on held (account);
    create index temp.held_payment on held (payment);
  `)
  const insert = command(
    database,
    'insert into held (type, account, payment, item) values (?, ?, ?, ?)',
  )
  const forget = command(
    database,
    // A payment that moved to the account last goes whole: where it was before is overruled.
    `delete from held where account = ?1
       or payment in (select payment from held h where account = ?1 and not exists
         (select 1 from held later where later.payment = h.payment and later.number > h.number))`,
  )
  const waits = query<{ found: number }>(
    database,
    'select 1 as found from held where account = ? or payment = ? limit 1',
  )
  const accounts = query<{ item: Uint8Array }>(
    database,
    "select item from held where type = 'account' order by number",
  )
  const others = query<{ item: Uint8Array }>(
    database,
    "select item from held where type <> 'account' order by number",
  )

  return {
    hold({ account = null, payment = null }: Nullable<Line>, item: PlacedItem): void {
      insert.run(item.type, account, payment, serialize(item))
    },

    /** The account is removed, and what waits for it with it. */
    forget: (account: string): void => void forget.run(account),

    isWaiting: ({ account = null, payment = null }: Nullable<Line>): boolean =>
      waits.first(account, payment) !== undefined,

    /** Accounts first: the rest may be waiting for them. */
    *all(): Generator<PlacedItem> {
      for (const { item } of accounts.each()) yield deserialize(item) as PlacedItem
      for (const { item } of others.each()) yield deserialize(item) as PlacedItem
    },
  }
}

type Nullable<T> = { readonly [Key in keyof T]: T[Key] | null }
