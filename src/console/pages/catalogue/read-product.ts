import type { ProductChange, ProductDraft, ProductRead } from '../../../contract/index.ts'
import { getProduct, listProductChanges } from '../../../contract/operations/catalogue.ts'
import { getProductDraft } from '../../../contract/operations/drafts.ts'
import { type ApiResponse, call, ifFound, read } from '../../api.ts'

export interface ProductWithState {
  /** Undefined if the product was deleted or never published. */
  readonly product: ApiResponse<ProductRead> | undefined
  readonly draft: ApiResponse<ProductDraft> | undefined
  /** The last change; undefined if the product never existed. */
  readonly change: ProductChange | undefined
}

export async function findProduct(id: string, signal?: AbortSignal): Promise<ProductWithState> {
  const input = { params: { productID: id }, signal }
  const [product, draft, history] = await Promise.all([
    ifFound(call(getProduct, input)),
    ifFound(call(getProductDraft, input)),
    ifFound(read(listProductChanges, { ...input, query: { 'page-size': 1 } })),
  ])
  return { product, draft, change: history?.data.history[0] }
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
