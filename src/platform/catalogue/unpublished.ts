import { buildPageBody, formatProblem, type UnpublishedProduct } from '../../contract/index.ts'
import type { Handler } from './handler.ts'
import type { UnpublishedEntry } from './published-products.ts'

export const listUnpublishedProducts: Handler<'listUnpublishedProducts'> = async (
  { query },
  { published },
) => {
  const request = { page: query.page, pageSize: query['page-size'] }
  const { unpublished } = await published.view()
  const start = (request.page - 1) * request.pageSize
  const items = unpublished
    .slice(start, start + request.pageSize)
    .map((entry) => JSON.stringify(formatEntry(entry)))
  return { body: buildPageBody('products', items, { total: unpublished.length }, request, {}) }
}

function formatEntry({ id, name, version, faults }: UnpublishedEntry): UnpublishedProduct {
  return {
    product_id: id,
    name,
    version,
    faults: faults.map((fault) => ({ field: fault.path, message: formatProblem(fault) })),
  }
}
