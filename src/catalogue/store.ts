import type { ProductChange } from '../contract/index.ts'

/**
 * What the catalogue needs from a database. Every change makes a version, and every version is kept. When
 * a change resolves, it outlives a crash.
 */
export interface CatalogueStore {
  /** The same key of the same caller with the same content finds the product that it made before. */
  create(product: NewProduct, change: Change): Promise<StoredProduct | 'keyReused'>
  replace(id: string, product: ProductContent, change: Change): Promise<Outcome>
  remove(id: string, change: Change): Promise<Outcome>
  /** As it is now, or as it was in a version. */
  read(id: string, version?: number): Promise<StoredProduct | undefined>
  /** Which versions a page has: the content of each is read by itself. */
  list(query: ProductListQuery): Promise<ProductPage>
  /** The content of these versions, in their order. A version never changes, so that it can be read at any time. */
  readVersions(keys: readonly ProductKey[]): Promise<readonly string[]>
  /** The newest first. Undefined where there never was such a product. */
  history(id: string, page: number, pageSize: number): Promise<HistoryPage | undefined>
  close(): Promise<void>
}

/** A product, with what it is filtered by. Times are milliseconds since 1970. */
export interface ProductContent {
  readonly category: string
  readonly brand: string
  readonly effectiveFrom: number | undefined
  readonly effectiveTo: number | undefined
  /** The record without its id and its time, as JSON text: as it was given, and as a read shows it. */
  readonly record: string
  readonly shown: string
}

/** How long a key stands for the product that it made, in milliseconds. */
export const idempotencyMs = 7 * 24 * 60 * 60 * 1000

export interface NewProduct extends ProductContent {
  readonly id: string
  readonly idempotency?: { readonly key: string; readonly digest: string } | undefined
}

/** Who makes a change: an API client, or a load. */
export interface Author {
  readonly id: string
  readonly name: string
}

/** As the history has a load. */
export const loader: Author = { id: 'load', name: 'holdfast load' }

export interface Change {
  readonly by: Author
  /** Asked when the change is made, which may be later than it was asked for. */
  readonly clock: () => Temporal.Instant
  /** It is made only where the product still has one of these versions. */
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
  /** Milliseconds since 1970, both. */
  readonly now: number
  readonly updatedSince: number | undefined
  readonly page: number
  readonly pageSize: number
}

/** A version of a product, without its content. */
export interface ProductKey {
  readonly id: string
  readonly version: number
  readonly lastUpdated: string
  /** Of the content. */
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

/** Versions are never deleted: one that is not found was never in this database. */
export function requireContent(shown: string | null | undefined): string {
  if (shown != null) return shown
  throw new Error('a version of a product is not in the database any more')
}
