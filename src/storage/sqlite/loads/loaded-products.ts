import type { DatabaseSync } from 'node:sqlite'
import { loader } from '../../../catalogue/store.ts'
import { isChanged } from '../../../catalogue/versions.ts'
import type { ProductItem } from '../../../load/writer.ts'
import { command, query } from '../driver/statements.ts'
import { openProductRows } from '../platform/product-rows.ts'

/**
 * The products of a load. Only its last word on each is written, and only where that is something new: a
 * file that is loaded twice makes no version twice. Until then they are kept on disk: there may be many.
 */
export function openLoadedProducts(database: DatabaseSync, at: Temporal.Instant) {
  database.exec('create temp table held_product (id text primary key, item text) strict')
  const hold = command(database, 'insert or replace into held_product values (?, ?)')
  const held = query<{ id: string; item: string | null }>(database, 'select * from held_product')
  const forget = command(database, 'delete from held_product')
  const rows = openProductRows(database)
  const clock = () => at

  const write = (item: ProductItem): void => {
    if (!isChanged(item, rows.newest(item.id))) return
    rows.put(item.id, item.content, { by: loader, clock, loaded: item })
  }

  return {
    put: (item: ProductItem): void => void hold.run(item.id, JSON.stringify(item)),
    remove: (id: string): void => void hold.run(id, null),
    settle(): void {
      for (const { id, item } of held.each()) {
        if (item === null) rows.remove(id, { by: loader, clock })
        else write(JSON.parse(item))
      }
      forget.run()
    },
    forget: (): void => void forget.run(),
  }
}
