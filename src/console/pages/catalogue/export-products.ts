import { foldCase } from '../../../contract/case-folding.ts'
import type { ProductRead } from '../../../contract/index.ts'
import { listProducts } from '../../../contract/operations/catalogue.ts'
import { read } from '../../api.ts'
import type { Filters } from './filters.ts'
import { findState } from './product-state.ts'

/** The largest page of the list. */
const pageSize = 100

export interface ExportProgress {
  readonly read: number
  readonly total: number
}

/** Published, scheduled and retired products that match, one line each, in the format that `holdfast load` reads. */
export async function exportProducts(
  filters: Filters,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
) {
  const parts: string[] = []
  const seen = new Set<string>()
  const matches = createMatcher(filters, Date.now())
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const query = {
      'product-category': filters.category,
      brand: filters.brand,
      effective: 'ALL',
      page,
      'page-size': pageSize,
    }
    const { data, meta } = await read(listProducts, { query, signal })
    pages = meta.totalPages
    for (const product of data.products) {
      // A product that was created meanwhile moves others to the next page.
      if (seen.has(product.product_id) || !matches(product)) continue
      seen.add(product.product_id)
      parts.push(`${JSON.stringify({ type: 'product', record: product })}\n`)
    }
    onProgress({ read: Math.min(page * pageSize, meta.totalRecords), total: meta.totalRecords })
  }
  return { file: new Blob(parts, { type: 'application/x-ndjson' }), count: seen.size }
}

/** The filters that the list of summaries has and the list of products does not. */
function createMatcher({ text, state }: Filters, now: number): (product: ProductRead) => boolean {
  const searched = foldCase(text)
  return (product) =>
    (state === '' || findState(product, now) === state) &&
    [product.name, product.brand, product.product_id].some((part) =>
      foldCase(part).includes(searched),
    )
}
