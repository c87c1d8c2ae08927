import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { PlacedItem } from '../../provider/writer.ts'
import { query } from './statements.ts'

/**
 * Items of a load in batches that refer to what is not there yet. They wait here, in order, and so does
 * whatever comes after them for the same account: a batch that is committed holds nothing half.
 */
export function openHeldItems(database: DatabaseSync) {
  database.exec(`
    create temp table held (
      number integer primary key, type text not null, account text not null, item blob not null
    ) strict;
    create index temp.held_account on held (account);
  `)
  const insert = database.prepare('insert into held (type, account, item) values (?, ?, ?)')
  const waits = query<{ found: number }>(
    database,
    'select 1 as found from held where account = ? limit 1',
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
    hold(account: string, item: PlacedItem): void {
      insert.run(item.type, account, serialize(item))
    },

    isWaiting: (account: string): boolean => waits.first(account) !== undefined,

    /** Accounts first: the rest may be waiting for them. */
    *all(): Generator<PlacedItem> {
      for (const { item } of [...accounts.each(), ...others.each()]) {
        yield deserialize(item) as PlacedItem
      }
    },
  }
}
