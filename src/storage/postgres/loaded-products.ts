import { loader } from '../../catalogue/store.ts'
import { isNews, isThere } from '../../catalogue/versions.ts'
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
  if (item && isNews(item, newest)) {
    await putProduct(ask, id, newest, item.content, { by: loader, clock, loaded: item })
  }
  if (!item && isThere(newest)) await removeProduct(ask, id, newest, { by: loader, clock })
}
