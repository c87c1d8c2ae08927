import { foldCase } from '../../contract/case-folding.ts'
import { buildPageBody, type ProductState, type ProductSummary } from '../../contract/index.ts'
import type { Handlers } from './handler.ts'
import type { StoredSummary } from './store.ts'
import { shortenText } from './summary.ts'

export const summaryHandlers = {
  async listProductSummaries({ query }, { store, clock }) {
    const { text, 'product-category': category, brand, state, sort } = query
    const request = { page: query.page, pageSize: query['page-size'] }
    const now = clock().epochMilliseconds
    const page = await store.listSummaries({
      text: text === undefined ? undefined : foldCase(text),
      category,
      brand: brand === undefined ? undefined : shortenText(brand),
      state,
      sort,
      now,
      ...request,
    })
    const items = page.items.map((item) => JSON.stringify(formatSummary(item, now)))
    const filters = { text, 'product-category': category, brand, state, sort }
    return { body: buildPageBody('products', items, page, request, filters) }
  },
} satisfies Partial<Handlers>

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
