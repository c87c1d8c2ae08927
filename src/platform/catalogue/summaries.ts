import { setImmediate } from 'node:timers/promises'
import { foldCase } from '../../contract/case-folding.ts'
import {
  buildPageBody,
  findPublicationFaults,
  type Product,
  type ProductState,
  type ProductSummary,
} from '../../contract/index.ts'
import { publicationFaultsMax } from '../../contract/limits.ts'
import type { Handlers } from './handler.ts'
import type { CatalogueStore, StoredSummary } from './store.ts'
import { shortenText } from './summary-texts.ts'

/** How many records are read at once. */
const chunkSize = 100

export const summaryHandlers = {
  async listProductSummaries({ query }, { store, clock }) {
    const { text, 'product-id': id, 'product-category': category, brand, state, sort } = query
    const request = { page: query.page, pageSize: query['page-size'] }
    const now = clock().epochMilliseconds
    const page = await store.listSummaries({
      text: text === undefined ? undefined : foldCase(text),
      id,
      category,
      brand: brand === undefined ? undefined : shortenText(brand),
      state,
      sort,
      now,
      ...request,
    })
    const gaps = await countGaps(store, page.items)
    const items = page.items.map((item) =>
      JSON.stringify({ ...formatSummary(item, now), gaps: gaps.get(item.id) }),
    )
    const filters = { text, 'product-id': id, 'product-category': category, brand, state, sort }
    return { body: buildPageBody('products', items, page, request, filters) }
  },
} satisfies Partial<Handlers>

/** By the ids of products: a draft has none. */
async function countGaps(
  store: Pick<CatalogueStore, 'readRecords'>,
  summaries: readonly StoredSummary[],
): Promise<ReadonlyMap<string, number>> {
  const gaps = new Map<string, number>()
  const versions = summaries.flatMap(({ id, version }) =>
    version === null ? [] : [{ id, version }],
  )
  for (let start = 0; start < versions.length; start += chunkSize) {
    const chunk = versions.slice(start, start + chunkSize)
    const records = await store.readRecords(chunk)
    for (const [index, { id }] of chunk.entries()) {
      // A version that was purged meanwhile has no content.
      const { record } = records[index] ?? {}
      if (record === undefined) continue
      const product: Product = { ...JSON.parse(record), product_id: id }
      gaps.set(id, findPublicationFaults(product, publicationFaultsMax).length)
    }
    // SQLite reads synchronously: other requests are answered between the parts.
    if (versions.length > chunkSize) await setImmediate()
  }
  return gaps
}

function formatSummary(summary: StoredSummary, now: number): ProductSummary {
  const { id, version, effectiveFrom, effectiveTo, updatedAt, by } = summary
  return {
    product_id: id,
    name: summary.name,
    product_category: summary.category as ProductSummary['product_category'],
    brand: summary.brand,
    state: findState(summary, now),
    ...(version !== null && { version }),
    has_draft: summary.hasDraft,
    ...(effectiveFrom !== null && { effective_from: formatTime(effectiveFrom) }),
    ...(effectiveTo !== null && { effective_to: formatTime(effectiveTo) }),
    updated_at: formatTime(updatedAt),
    updated_by: by.id,
    updated_by_name: by.name,
    ...(by.issuer !== undefined && { updated_by_issuer: by.issuer }),
  }
}

/** The stores filter by the same rule. */
function findState(
  { version, effectiveFrom, effectiveTo }: StoredSummary,
  now: number,
): ProductState {
  if (version === null) return 'DRAFT'
  if (effectiveFrom !== null && effectiveFrom > now) return 'SCHEDULED'
  return effectiveTo !== null && effectiveTo <= now ? 'RETIRED' : 'PUBLISHED'
}

/** The first and last time of RFC 3339. A time in another zone, or a rounded one, may be outside. */
const firstTime = Date.parse('0000-01-01T00:00:00Z')
const lastTime = Date.parse('9999-12-31T23:59:59.999Z')

function formatTime(milliseconds: number): string {
  const time = Math.min(Math.max(milliseconds, firstTime), lastTime)
  return Temporal.Instant.fromEpochMilliseconds(time).toString()
}
