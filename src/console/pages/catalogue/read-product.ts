import type {
  ProductChange,
  ProductDraft,
  ProductRead,
  ProductSummary,
} from '../../../contract/index.ts'
import { summaryTextLengthMax } from '../../../contract/limits.ts'
import {
  getProduct,
  listProductChanges,
  listProductSummaries,
} from '../../../contract/operations/catalogue.ts'
import { getProductDraft } from '../../../contract/operations/drafts.ts'
import { type ApiResponse, call, ifFound, read } from '../../api.ts'

export interface ProductWithState {
  /** Undefined if the product was deleted or never published. */
  readonly product: ApiResponse<ProductRead> | undefined
  readonly draft: ApiResponse<ProductDraft> | undefined
  /** The last change; undefined if the product never existed. */
  readonly change: ProductChange | undefined
}

/** Asks only for what the list of summaries has, unless the product is not on its first page. */
export async function findProduct(id: string, signal?: AbortSignal): Promise<ProductWithState> {
  const input = { params: { productID: id }, signal }
  const summary = await findSummary(id, signal)
  const [product, draft, history] = await Promise.all([
    summary?.state === 'DRAFT' ? undefined : ifFound(call(getProduct, input)),
    summary?.has_draft === false ? undefined : ifFound(call(getProductDraft, input)),
    ifFound(read(listProductChanges, { ...input, query: { 'page-size': 1 } })),
  ])
  return { product, draft, change: history?.data.history[0] }
}

async function findSummary(id: string, signal?: AbortSignal): Promise<ProductSummary | undefined> {
  if (id.length > summaryTextLengthMax) return undefined
  const { data } = await read(listProductSummaries, { query: { text: id }, signal })
  return data.products.find(({ product_id }) => product_id === id)
}

/** Throws a 404 if there is neither a product, nor a draft, nor a history. */
export async function readProduct(id: string, signal: AbortSignal): Promise<ProductWithState> {
  const found = await findProduct(id, signal)
  if (Object.values(found).some(Boolean)) return found
  return { ...found, product: await call(getProduct, { params: { productID: id }, signal }) }
}

export function readVersion(
  id: string,
  version: number,
  signal?: AbortSignal,
): Promise<ProductRead> {
  return read(getProduct, { params: { productID: id }, query: { version }, signal })
}
