import type { Actor } from '../../../contract/index.ts'
import type { NewestVersion } from '../../../platform/catalogue/store.ts'
import { loadProduct, type ProductWrite, selectNewestVersion } from '../../platform/product-rows.ts'
import { putRow } from '../../platform/rows.ts'
import type { CountedLines } from './count-lines.ts'
import { fileOf } from './place.ts'
import type { Run } from './run.ts'

/** The last line of a load for each product. */
export const lastProducts = `
  select distinct on (id) id, item, ${fileOf('place')} as file
  from staged_product order by id, place desc`

export interface LoadedProduct {
  readonly id: string
  readonly item: string | null
  readonly file: number
}

/** How many products are merged with one statement. Few, as a line may be megabytes long. */
export const productsAtOnce = 25

const newestVersions = `
  select p.id, v.* from unnest($1::text[]) p (id)
  cross join lateral (${selectNewestVersion.replace('$1', 'p.id')}) v`

/** Merges products that the load has locked, and counts the changes. An unchanged product gets no new version. */
export async function mergeProducts(
  run: Run,
  products: readonly LoadedProduct[],
  loadTime: Temporal.Instant,
  author: Actor,
): Promise<CountedLines[]> {
  const ids = products.map(({ id }) => id)
  const found: (NewestVersion & { readonly id: string })[] = (await run(newestVersions, [ids])).rows
  const newest = new Map(found.map((row) => [row.id, row]))
  const newVersion = { by: author, clock: () => loadTime }
  const written: ProductWrite[] = []
  const counts: CountedLines[] = []
  for (const { id, item, file } of products) {
    const { outcome, write } = loadProduct(id, item && JSON.parse(item), newest.get(id), newVersion)
    if (!write) continue
    written.push(write)
    // Every line of a product was counted as unchanged.
    counts.push({ file, type: 'product', outcome, lines: 1 })
    counts.push({ file, type: 'product', outcome: 'unchanged', lines: -1 })
  }
  const rows = written.flatMap(({ rows }) => rows)
  for (const ofTable of Map.groupBy(rows, ({ table }) => table).values()) {
    const [first, ...others] = ofTable
    if (first) await run(...putRow(first, others))
  }
  const removed = written.filter(({ isRemoval }) => isRemoval).map(({ stored }) => stored.id)
  if (removed.length > 0) {
    await run('delete from product where id = any ($1::text[])', [removed])
    await run('delete from product_summary where id = any ($1::text[]) and not is_draft', [removed])
  }
  return counts
}
