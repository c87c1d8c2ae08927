import type { ProductChange, ProductDraft, ProductRead } from '../../../contract/index.ts'
import { ApiError, get, request } from '../../api.ts'
import { productPath } from './addresses.ts'

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
  const read = async <Body>(path: string) => {
    const { body, headers } = await request<Body>('GET', path, { signal })
    return { body, etag: headers.get('etag') ?? '' }
  }
  let missing: ApiError | undefined
  const ifFound = (error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
    missing = error
    return undefined
  }
  const [product, draft, history] = await Promise.all([
    read<ProductRead>(productPath(id)).catch(ifFound),
    read<ProductDraft>(productPath(id, '/draft')).catch(ifFound),
    get<HistoryPage>(productPath(id, '/history'), { query: { 'page-size': 1 }, signal }).catch(
      ifFound,
    ),
  ])
  if (!product && !draft && !history && missing) throw missing
  return { product, draft, change: history?.data.history[0] }
}

export interface HistoryPage {
  readonly data: { readonly history: readonly ProductChange[] }
  readonly meta: { readonly totalRecords: number; readonly totalPages: number }
}

export function readVersion(
  id: string,
  version: number,
  signal: AbortSignal,
): Promise<ProductRead> {
  return get<ProductRead>(productPath(id), { query: { version }, signal })
}
