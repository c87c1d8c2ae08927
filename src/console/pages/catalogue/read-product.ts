import type { ProductChange, ProductDraft, ProductRead } from '../../../contract/index.ts'
import { getProduct, listProductChanges } from '../../../contract/operations/catalogue.ts'
import { getProductDraft } from '../../../contract/operations/drafts.ts'
import { ApiError, type ApiResponse, call, read } from '../../api.ts'

/** A record with the tag that a change of it must name. */
export interface Tagged<Body> {
  readonly body: Body
  readonly etag: string
}

export interface ProductWithState {
  /** Undefined if the product was deleted or never published. */
  readonly product: Tagged<ProductRead> | undefined
  readonly draft: Tagged<ProductDraft> | undefined
  /** The last change; undefined if the product never existed. */
  readonly change: ProductChange | undefined
}

/** Throws a 404 if there is neither a product, nor a draft, nor a history. */
export async function readProduct(id: string, signal: AbortSignal): Promise<ProductWithState> {
  const input = { params: { productID: id }, signal }
  const toTagged = <Body>({ body, headers }: ApiResponse<Body>): Tagged<Body> => ({
    body,
    etag: headers.get('etag') ?? '',
  })
  let missing: ApiError | undefined
  const ifFound = (error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    missing = error
    return undefined
  }
  const [product, draft, history] = await Promise.all([
    call(getProduct, input).then(toTagged, ifFound),
    call(getProductDraft, input).then(toTagged, ifFound),
    read(listProductChanges, { ...input, query: { 'page-size': 1 } }).catch(ifFound),
  ])
  if (!product && !draft && !history && missing) throw missing
  return { product, draft, change: history?.data.history[0] }
}

export function readVersion(
  id: string,
  version: number,
  signal: AbortSignal,
): Promise<ProductRead> {
  return read(getProduct, { params: { productID: id }, query: { version }, signal })
}
