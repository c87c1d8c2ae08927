import { normalizer } from '../../../../contract/aliases.ts'
import type { ProductChange } from '../../../../contract/index.ts'
import { getProduct, listProductChanges } from '../../../../contract/operations/catalogue.ts'
import {
  createProductDraft,
  deleteProductDraft,
  getProductDraft,
  publishProductDraft,
  putProductDraft,
} from '../../../../contract/operations/drafts.ts'
import { ProductInput } from '../../../../contract/records/product.ts'
import { ApiError, type ApiResponse, call } from '../../../api.ts'

/** A product in the form: it need not be valid. */
export type Fields = Readonly<Record<string, unknown>>

/** The state of the server that an edit is based on. */
export interface Source {
  /** The `ETag` of the draft. Undefined: there is no draft. */
  readonly tag?: string
  /** The version that the draft is based on, or would be. 0: the product is new. */
  readonly baseVersion: number
  readonly isOutdated: boolean
  /** `baseVersion` is not that of the draft on the server yet: it must be saved. */
  readonly isRebased?: boolean
  /** Who changed it last, and when. */
  readonly author?: { readonly name: string; readonly at: string }
}

export interface Loaded {
  readonly product: Fields
  readonly source: Source
  readonly isDeleted?: true
}

/** What is kept of an edit while it is not saved. */
export interface Edit extends Loaded {
  /** The content that `source` has on the server. */
  readonly baseline: Fields
  /** The request that may have created the draft: its answer was lost. */
  readonly pending?: { readonly key: string; readonly product: Fields } | undefined
  /** Milliseconds since 1970. */
  readonly storedAt: number
}

/** The form has the fields of a request: what the server sets or derives in responses is not edited. */
const toInput = normalizer(ProductInput) as (read: unknown) => Fields

/** Undefined if it does not exist. */
async function ifFound<Body>(
  response: Promise<ApiResponse<Body>>,
): Promise<ApiResponse<Body> | undefined> {
  try {
    return await response
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

export async function readDraft(id: string, signal?: AbortSignal): Promise<Loaded | undefined> {
  const found = await ifFound(call(getProductDraft, { params: { productID: id }, signal }))
  if (!found) return undefined
  const { product, base_version, is_outdated } = found.body
  return {
    product: toInput(product),
    source: {
      tag: readTag(found),
      baseVersion: base_version,
      isOutdated: is_outdated,
      author: toAuthor(found.body),
    },
  }
}

/** The current version, with the author of the last change. Undefined if the product does not exist. */
export async function readPublished(id: string, signal?: AbortSignal): Promise<Loaded | undefined> {
  const [found, change] = await Promise.all([
    ifFound(call(getProduct, { params: { productID: id }, signal })),
    readLastChange(id, signal),
  ])
  if (!found) return undefined
  return {
    product: toInput(found.body),
    source: {
      baseVersion: Number(readTag(found).replaceAll('"', '')),
      isOutdated: false,
      ...(change && { author: toAuthor(change) }),
    },
  }
}

/** What a draft of a deleted product is based on. Undefined if the product never existed. */
export async function readDeleted(id: string): Promise<Loaded | undefined> {
  const change = await readLastChange(id)
  if (!change) return undefined
  const author = toAuthor(change)
  const source = { baseVersion: change.version, isOutdated: false, author }
  return { product: {}, source, isDeleted: true }
}

async function readLastChange(
  id: string,
  signal?: AbortSignal,
): Promise<ProductChange | undefined> {
  const input = { params: { productID: id }, query: { 'page-size': 1 }, signal }
  const found = await ifFound(call(listProductChanges, input))
  return found?.body.data.history[0]
}

function toAuthor({
  changed_by_name,
  changed_at,
}: Pick<ProductChange, 'changed_by_name' | 'changed_at'>) {
  return { name: changed_by_name, at: changed_at }
}

export async function readVersion(id: string, version: number): Promise<Fields | undefined> {
  const found = await ifFound(call(getProduct, { params: { productID: id }, query: { version } }))
  return found && toInput(found.body)
}

/** The draft of a product, or what a draft would be made from. Throws a 404 if there is neither. */
export async function readEdited(id: string, signal?: AbortSignal): Promise<Loaded> {
  const found = (await readDraft(id, signal)) ?? (await readPublished(id, signal))
  if (found) return found
  throw new ApiError(404, 'There is no product and no draft with this ID.')
}

/** A repeated call with the same key and product creates no second draft. */
export async function createDraft(
  key: string,
  product: Fields,
): Promise<{ readonly id: string; readonly source: Source }> {
  const created = await call(createProductDraft, {
    body: product,
    headers: { 'idempotency-key': key },
  })
  return {
    id: created.body.product.product_id,
    source: {
      tag: readTag(created),
      baseVersion: 0,
      isOutdated: false,
      author: toAuthor(created.body),
    },
  }
}

/** Saves only over the draft that the edit is based on. Returns the new `ETag`. */
export async function saveDraft(id: string, product: Fields, source: Source): Promise<string> {
  const saved = await call(putProductDraft, {
    params: { productID: id },
    body: product,
    headers: source.tag === undefined ? { 'if-none-match': '*' } : { 'if-match': source.tag },
    query: source.baseVersion === 0 ? {} : { 'base-version': source.baseVersion },
  })
  return readTag(saved)
}

/** Publishes only the draft that was reviewed. Returns the version. */
export async function publishDraft(id: string, tag: string): Promise<number> {
  const published = await call(publishProductDraft, {
    params: { productID: id },
    headers: { 'if-match': tag },
  })
  return Number(readTag(published).replaceAll('"', ''))
}

export async function discardDraft(id: string, tag: string): Promise<void> {
  await call(deleteProductDraft, {
    params: { productID: id },
    headers: { 'if-match': tag },
  })
}

function readTag({ headers }: { readonly headers: Headers }): string {
  return headers.get('etag') ?? ''
}
