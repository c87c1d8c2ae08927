import { normalizer } from '../../../../contract/aliases.ts'
import type { ProductChange } from '../../../../contract/index.ts'
import { ProductInput } from '../../../../contract/records/product.ts'
import { ApiError, ifFound } from '../../../api.ts'
import { findProduct, readVersion } from '../read-product.ts'

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

export const newSource: Source = { baseVersion: 0, isOutdated: false }

export interface Loaded {
  readonly product: Fields
  readonly source: Source
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
export const toInput = normalizer(ProductInput) as (read: unknown) => Fields

/**
 * The draft, the current version, or what a draft of a deleted product is based on. Each is undefined if it does not
 * exist.
 */
export async function readServer(id: string, signal?: AbortSignal) {
  const { product, draft, change } = await findProduct(id, signal)
  const last = change && {
    baseVersion: change.version,
    isOutdated: false,
    author: toAuthor(change),
  }
  return {
    draft: draft && {
      product: toInput(draft.body.product),
      source: {
        tag: draft.etag,
        baseVersion: draft.body.base_version,
        isOutdated: draft.body.is_outdated,
        author: toAuthor(draft.body),
      },
    },
    published: product && {
      product: toInput(product.body),
      source: { ...newSource, ...last, baseVersion: toVersion(product.etag) },
    },
    deleted: product || !last ? undefined : { product: {}, source: last },
  }
}

/** The draft of a product, or what a draft would be made from. Throws a 404 if there is neither. */
export async function readEdited(id: string, signal?: AbortSignal): Promise<Loaded> {
  const { draft, published } = await readServer(id, signal)
  const found = draft ?? published
  if (found) return found
  throw new ApiError(404, 'There is no product and no draft with this ID.')
}

/** Empty if the version does not exist. */
export async function readBase(id: string, version: number): Promise<Fields> {
  return toInput((await ifFound(readVersion(id, version))) ?? {})
}

export function toAuthor({
  changed_by_name,
  changed_at,
}: Pick<ProductChange, 'changed_by_name' | 'changed_at'>) {
  return { name: changed_by_name, at: changed_at }
}

/** The `ETag` of a product is its version. */
export function toVersion(etag: string): number {
  return Number(etag.replaceAll('"', ''))
}
