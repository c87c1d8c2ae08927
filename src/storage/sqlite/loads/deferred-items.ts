import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { RecordType } from '../../../contract/index.ts'
import { recordTypeOf } from '../../../intake/record-type.ts'
import type { LocatedItem } from '../../../intake/writer.ts'
import { kindCodes } from '../../enum-codes.ts'
import { command, query } from '../driver/statements.ts'

/**
 * Items that are deferred, in order, to the end of the load, with the items after them for the same account.
 * In batches, these are items that refer to a customer or an account that does not exist yet, so that every committed
 * batch is consistent.
 *
 * The removal of an account that does not exist yet is kept here too. Whether it removes the items before it depends on
 * the next line that puts the account: it does if that account is of the removed kind, because loading the same lines
 * again, when the account exists, removes the account with those items.
 */
export function openDeferredItems(database: DatabaseSync) {
  database.exec(`
    create temp table deferred_item (
      number integer primary key, type text not null, kind integer, account text not null,
      item blob not null
    ) strict;
    create index temp.deferred_item_account on deferred_item (account);
    create temp table unresolved_removal (
      account text not null, kind integer not null,
      number integer not null   -- of the last deferred item before it
    ) strict;
    create index temp.unresolved_removal_account on unresolved_removal (account);
  `)
  const insert = command(
    database,
    'insert into deferred_item (type, kind, account, item) values (?, ?, ?, ?)',
  )
  const removeAccount = query<{ type: RecordType }>(
    database,
    'delete from deferred_item where account = ? and number <= ? returning type',
  )
  const findWaiting = query<{ found: number }>(
    database,
    'select 1 as found from deferred_item where account = ? limit 1',
  )
  const findUnresolved = query<{ found: number }>(
    database,
    'select 1 as found from unresolved_removal where account = ? limit 1',
  )
  const lastPut = query<{ kind: number }>(
    database,
    'select kind from deferred_item where account = ? and kind is not null order by number desc limit 1',
  )
  const addRemoval = command(
    database,
    'insert into unresolved_removal select ?, ?, coalesce(max(number), 0) from deferred_item',
  )
  const lastRemoval = query<{ number: number | null }>(
    database,
    'select max(number) as number from unresolved_removal where account = ? and kind = ?',
  )
  const deleteRemovals = command(database, 'delete from unresolved_removal where account = ?')
  const removals = query<{ account: string; kind: number }>(
    database,
    'select account, kind from unresolved_removal',
  )
  const accounts = query<{ item: Uint8Array }>(
    database,
    'select item from deferred_item where kind is not null order by number',
  )
  const others = query<{ item: Uint8Array }>(
    database,
    'select item from deferred_item where kind is null order by number',
  )
  const allNumbers = Number.MAX_SAFE_INTEGER
  /** Most loads in one transaction defer nothing, and need no query per item. */
  let isEmpty = true

  return {
    isEmpty: (): boolean => isEmpty,

    defer(account: string, item: LocatedItem): void {
      isEmpty = false
      const kind = item.type === 'account' ? kindCodes[item.kind] : null
      insert.run(recordTypeOf(item), kind, account, serialize(item))
    },

    isWaiting: (account: string): boolean => findWaiting.first(account) !== undefined,

    /** The kind that an account will have, from the last deferred item that puts it. */
    putKind: (account: string): number | undefined => lastPut.first(account)?.kind,

    /** Deletes the deferred items of a removed account. Returns the types of their lines. */
    removeAccount: (account: string): RecordType[] =>
      removeAccount.all(account, allNumbers).map(({ type }) => type),

    /** Keeps the removal of an account of this kind, which does not exist yet. */
    addRemoval(account: string, kind: number): void {
      isEmpty = false
      addRemoval.run(account, kind)
    },

    /**
     * An account of this kind is put. If an earlier removal applies to it, deletes the items before that removal and
     * returns the types of their lines.
     */
    resolveRemovals(account: string, kind: number): RecordType[] | undefined {
      const number = lastRemoval.first(account, kind)?.number ?? undefined
      deleteRemovals.run(account)
      if (number === undefined) return undefined
      return removeAccount.all(account, number).map(({ type }) => type)
    },

    hasRemoval: (account: string): boolean => findUnresolved.first(account) !== undefined,

    removals: (): { readonly account: string; readonly kind: number }[] => removals.all(),

    /** Accounts first, as the others may depend on them. */
    *all(): Generator<LocatedItem> {
      for (const { item } of accounts.each()) yield deserialize(item) as LocatedItem
      for (const { item } of others.each()) yield deserialize(item) as LocatedItem
    },
  }
}
