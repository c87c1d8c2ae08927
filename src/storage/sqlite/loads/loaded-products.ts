import type { DatabaseSync } from 'node:sqlite'
import type { LineCounter, LineOutcome } from '../../../intake/line-counts.ts'
import type { ProductItem } from '../../../intake/writer.ts'
import { type Author, loader } from '../../../platform/catalogue/store.ts'
import { exists, isChanged } from '../../../platform/catalogue/versions.ts'
import { command, query } from '../driver/statements.ts'
import { openProductRows } from '../platform/product-rows.ts'

/**
 * The products of a load. Only the last line for each product is written, and only if it changes the product: loading a
 * file twice creates no version twice. Until the end they are stored on disk, as there may be many.
 */
export function openLoadedProducts(
  database: DatabaseSync,
  clock: () => Temporal.Instant,
  counter: LineCounter,
) {
  database.exec('create temp table last_product (id text primary key, item text) strict')
  const save = command(database, 'insert or replace into last_product values (?, ?)')
  const saved = query<{ id: string; item: string | null }>(database, 'select * from last_product')
  const clear = command(database, 'delete from last_product')
  const rows = openProductRows(database)
  let lines = 0

  const put = (item: ProductItem, by: Author): LineOutcome => {
    const newest = rows.newest(item.id)
    if (!isChanged(item, newest)) return 'unchanged'
    rows.put(item.id, item.content, { by, clock, loaded: item })
    return exists(newest) ? 'changed' : 'created'
  }
  const remove = (id: string, by: Author): LineOutcome =>
    rows.remove(id, { by, clock }) ? 'deleted' : 'unchanged'

  const saveLine = (id: string, item: string | null): void => {
    lines += 1
    save.run(id, item)
  }

  return {
    put: (item: ProductItem): void => saveLine(item.id, JSON.stringify(item)),
    remove: (id: string): void => saveLine(id, null),
    finish(author: Author = loader): void {
      if (lines === 0) return
      for (const { id, item } of saved.each()) {
        counter.add('product', item === null ? remove(id, author) : put(JSON.parse(item), author))
        lines -= 1
      }
      // Lines that a later line for the same product replaced.
      counter.add('product', 'unchanged', lines)
      lines = 0
      clear.run()
    },
    /** After a rollback, which empties the table too. */
    discard(): void {
      lines = 0
    },
  }
}
