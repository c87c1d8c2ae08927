import type { ProductChange } from '../contract/index.ts'

/**
 * What the catalogue needs from a database. Every change creates a version, and all versions are kept. Once a change
 * resolves, it survives a crash.
 */
export interface CatalogueStore {
  /** Repeating the idempotency key with the same client and content returns the product that was created before. */
  create(product: NewProduct, change: Change): Promise<StoredProduct | 'keyReused'>
  replace(id: string, product: ProductContent, change: Change): Promise<Outcome>
  remove(id: string, change: Change): Promise<Outcome>
  /** The current version if none is given. */
  read(id: string, version?: number): Promise<StoredProduct | undefined>
  /** The versions of a page, without their content. */
  list(query: ProductListQuery): Promise<ProductPage>
  /** The content of these versions, in their order. A version never changes, so it can be read at any time. */
  readVersions(keys: readonly ProductKey[]): Promise<readonly string[]>
  /** Newest first. Undefined if the product never existed. */
  history(id: string, page: number, pageSize: number): Promise<HistoryPage | undefined>
  close(): Promise<void>
}

/** A product and the fields that it is filtered by. Times are milliseconds since 1970. */
export interface ProductContent {
  readonly category: string
  readonly brand: string
  readonly effectiveFrom: number | undefined
  readonly effectiveTo: number | undefined
  /** The JSON text without the id and the time of the update: as sent, and as read operations return it. */
  readonly record: string
  readonly shown: string
}

/** How long an idempotency key is remembered. */
export const idempotencyMs = 7 * 24 * 60 * 60 * 1000

export interface NewProduct extends ProductContent {
  readonly id: string
  readonly idempotency?: { readonly key: string; readonly digest: string } | undefined
}

/** The author of a change: an API client, or a load. */
export interface Author {
  readonly id: string
  readonly name: string
}

/** The author of loaded products in the history. */
export const loader: Author = { id: 'load', name: 'holdfast load' }

export interface Change {
  readonly by: Author
  /** Read when the change is made, which may be later than the request. */
  readonly clock: () => Temporal.Instant
  /** Makes the change only if the current version is one of these. */
  readonly ifVersion?: readonly number[] | undefined
}

export type Outcome = StoredProduct | 'missing' | 'stale'

export interface StoredProduct {
  readonly id: string
  readonly version: number
  readonly lastUpdated: string
  readonly shown: string
}

export interface ProductListQuery {
  readonly category: string | undefined
  readonly brand: string | undefined
  readonly effective: 'CURRENT' | 'FUTURE' | 'ALL'
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds since 1970. */
  readonly updatedSince: number | undefined
  readonly page: number
  readonly pageSize: number
}

/** A version of a product, without its content. */
export interface ProductKey {
  readonly id: string
  readonly version: number
  readonly lastUpdated: string
  /** The size of the content. */
  readonly bytes: number
}

export interface ProductPage {
  readonly items: readonly ProductKey[]
  readonly total: number
}

export interface HistoryPage {
  readonly items: readonly ProductChange[]
  readonly total: number
}

/** Versions are never deleted, so a missing one is a bug or a damaged database. */
export function requireContent(shown: string | null | undefined): string {
  if (shown != null) return shown
  throw new Error('a version of a product is missing from the database')
}
