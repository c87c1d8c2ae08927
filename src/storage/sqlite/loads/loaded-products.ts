import type { DatabaseSync } from 'node:sqlite'
import { loader } from '../../../catalogue/store.ts'
import { isChanged } from '../../../catalogue/versions.ts'
import type { ProductItem } from '../../../load/writer.ts'
import { command, query } from '../driver/statements.ts'
import { openProductRows } from '../platform/product-rows.ts'

/**
 * The products of a load. Only the last line for each product is written, and only if it changes the product: loading a
 * file twice creates no version twice. Until the end they are stored on disk, as there may be many.
 */
export function openLoadedProducts(database: DatabaseSync, at: Temporal.Instant) {
  database.exec('create temp table last_product (id text primary key, item text) strict')
  const save = command(database, 'insert or replace into last_product values (?, ?)')
  const saved = query<{ id: string; item: string | null }>(database, 'select * from last_product')
  const clear = command(database, 'delete from last_product')
  const rows = openProductRows(database)
  const clock = () => at

  const write = (item: ProductItem): void => {
    if (!isChanged(item, rows.newest(item.id))) return
    rows.put(item.id, item.content, { by: loader, clock, loaded: item })
  }

  return {
    put: (item: ProductItem): void => void save.run(item.id, JSON.stringify(item)),
    remove: (id: string): void => void save.run(id, null),
    finish(): void {
      for (const { id, item } of saved.each()) {
        if (item === null) rows.remove(id, { by: loader, clock })
        else write(JSON.parse(item))
      }
      clear.run()
    },
    clear: (): void => void clear.run(),
  }
}
