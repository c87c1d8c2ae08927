import type { DatabaseSync } from 'node:sqlite'
import type { Actor } from '../../../contract/index.ts'
import type { LineCounter } from '../../../intake/line-counts.ts'
import type { ProductItem } from '../../../intake/writer.ts'
import { loader, type NewestVersion } from '../../../platform/catalogue/store.ts'
import {
  dropProduct,
  loadProduct,
  type ProductWrite,
  selectNewestVersion,
} from '../../platform/product-rows.ts'
import { putRow } from '../../platform/rows.ts'
import { openStatements } from '../driver/sql.ts'
import { prepareOn } from '../driver/statements.ts'

/** Only the last line for each product is written, if it changes it. Until then, they are on disk. */
export function openLoadedProducts(
  database: DatabaseSync,
  clock: () => Temporal.Instant,
  counter: LineCounter,
) {
  const { query, command } = prepareOn(database)
  database.exec('create temp table last_product (id text primary key, item text) strict')
  const save = command('insert or replace into last_product values (?, ?)')
  const saved = query<{ id: string; item: string | null }>('select * from last_product')
  const clear = command('delete from last_product')
  const newest = query<NewestVersion>(selectNewestVersion.replace('$1', '?'))
  const { run } = openStatements(database)
  let lines = 0

  const write = ({ stored, rows, isRemoval }: ProductWrite): void => {
    for (const row of rows) run(...putRow(row))
    if (isRemoval) for (const drop of dropProduct) run(drop, [stored.id])
  }

  const saveLine = (id: string, item: string | null): void => {
    lines += 1
    save.run(id, item)
  }

  return {
    put: (item: ProductItem): void => saveLine(item.id, JSON.stringify(item)),
    remove: (id: string): void => saveLine(id, null),
    finish(by: Actor = loader): void {
      if (lines === 0) return
      for (const { id, item } of saved.each()) {
        const loaded = loadProduct(id, item && JSON.parse(item), newest.first(id), { by, clock })
        if (loaded.write) write(loaded.write)
        counter.add('product', loaded.outcome)
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
