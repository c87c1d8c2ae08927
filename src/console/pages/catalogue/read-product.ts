import type {
  ProductChange,
  ProductDraft,
  ProductRead,
  ProductSummary,
} from '../../../contract/index.ts'
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

/** Asks only for what the summary of the product says that there is. */
export async function findProduct(id: string, signal?: AbortSignal): Promise<ProductWithState> {
  const input = { params: { productID: id }, signal }
  const readChange = async () => {
    const history = await ifFound(read(listProductChanges, { ...input, query: { 'page-size': 1 } }))
    return history?.data.history[0]
  }
  const summary = await findSummary(id, signal)
  const [product, draft, change] = await Promise.all([
    summary?.version === undefined ? undefined : ifFound(call(getProduct, input)),
    summary?.has_draft ? ifFound(call(getProductDraft, input)) : undefined,
    summary?.state === 'DRAFT' ? undefined : readChange(),
  ])
  // Only the draft tells whether its product was deleted or never existed.
  const wasDeleted = summary?.state === 'DRAFT' && draft?.body.base_version !== 0
  return { product, draft, change: wasDeleted ? await readChange() : change }
}

async function findSummary(id: string, signal?: AbortSignal): Promise<ProductSummary | undefined> {
  const { data } = await read(listProductSummaries, { query: { 'product-id': id }, signal })
  return data.products[0]
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
