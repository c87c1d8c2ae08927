import { isAfter } from '../../catalogue/product.ts'
import { loader } from '../../catalogue/store.ts'
import type { ProductItem } from '../../provider/writer.ts'
import { newestVersion, putProduct, removeProduct } from './product-rows.ts'
import type { Ask } from './statements.ts'

/** The last word of a load on each product. */
export const lastProducts = `
  select distinct on (id) id, item from staged_product order by id, place desc`

/** Written only where it is something new: a file that is loaded twice makes no version twice. */
export async function mergeProduct(
  ask: Ask,
  id: string,
  item: ProductItem | undefined,
  clock: () => Temporal.Instant,
): Promise<void> {
  const newest = await newestVersion(ask, id)
  const now = newest?.isDeleted ? undefined : newest
  if (!item) {
    if (now) await removeProduct(ask, id, now, { by: loader, clock })
    return
  }
  const { content, lastUpdated } = item
  if (now?.shown === content.shown && !isAfter(lastUpdated, now.lastUpdated)) return
  await putProduct(ask, id, newest, content, { by: loader, clock, loaded: item })
}
