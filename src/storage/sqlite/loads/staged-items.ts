import type { DatabaseSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'
import type { LocatedItem } from '../../../intake/writer.ts'
import { prepareOn } from '../driver/statements.ts'

/** Slow input is in a temporary file until a commit: the load needs neither the write lock nor memory for it. */
export function openStagedItems(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  database.exec('create temp table staged (number integer primary key, items blob not null) strict')
  const insert = command('insert into staged (items) values (?)')
  const groups = query<{ items: Uint8Array }>('select items from staged order by number')
  const clear = command('delete from staged')

  return {
    put: (items: readonly LocatedItem[]): void => void insert.run(serialize(items)),

    /** In the order of their arrival. */
    *groups(): Generator<LocatedItem[]> {
      for (const { items } of groups.each()) yield deserialize(items) as LocatedItem[]
    },

    clear: (): void => void clear.run(),
  }
}
