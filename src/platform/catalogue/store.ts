import type { Actor, ProductChange, ProductState } from '../../contract/index.ts'

/**
 * What the catalogue needs from a database. Every change creates a version, and all versions are kept. Once a change
 * resolves, it survives a crash.
 */
export interface CatalogueStore extends DraftStore {
  /** Repeating the idempotency key with the same client and content returns the product that was created before. */
  create(product: NewProduct, change: Change): Promise<StoredProduct | 'keyReused'>
  replace(id: string, product: ProductContent, change: Change): Promise<Outcome>
  remove(id: string, change: Change): Promise<Outcome>
  /** Writes a product of another data holder if its newest version is still this one. 0: it never existed. */
  putImported(
    id: string,
    product: ProductContent,
    newVersion: NewVersion & { readonly ifNewest: number },
  ): Promise<'stale' | StoredProduct>
  /** Also a deletion. Undefined if the product never existed. */
  readNewest(id: string): Promise<NewestVersion | undefined>
  /** Undefined if the product does not exist. */
  readCurrentVersion(id: string): Promise<CurrentVersion | undefined>
  /** The current version if none is given. */
  read(id: string, version?: number): Promise<StoredProduct | undefined>
  /** The versions of a page, without their content. */
  list(query: ProductListQuery): Promise<Page<ProductKey>>
  /** The content of these versions, in their order. A version never changes, so it can be read at any time. */
  readVersions(keys: readonly ProductKey[]): Promise<readonly string[]>
  /** The current versions of the first products after this id, ordered by id. */
  listVersions(after: string, limit: number): Promise<readonly CurrentVersion[]>
  /** Changes with every commit of other processes. Undefined: the database does not tell. */
  readChangeMark(): Promise<number | undefined>
  /** The complete records of these versions, in their order. Undefined: a deletion. */
  readRecords(versions: readonly ProductVersion[]): Promise<readonly (ProductRecord | undefined)[]>
  /** Products, and drafts of products that do not exist. */
  listSummaries(query: SummaryQuery): Promise<Page<StoredSummary>>
  /** Newest first. Undefined if the product never existed. */
  history(id: string, page: number, pageSize: number): Promise<Page<ProductChange> | undefined>
  close(): Promise<void>
}

/** A product and the fields that it is filtered by. Times are milliseconds since 1970. */
export interface ProductContent {
  readonly name: string
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

/** The key of a request that creates a product or a draft, and a digest of its content. */
export interface Idempotency {
  readonly key: string
  readonly digest: string
}

/** The product of the first request with a key, and the time of that request in milliseconds since 1970. */
export interface UsedKey {
  readonly product: string
  readonly created: number
}

interface NewProduct extends ProductContent {
  readonly id: string
  readonly idempotency?: Idempotency | undefined
}

/** The author of loaded products in the history. */
export const loader: Actor = { id: 'load', name: 'holdfast load' }

/** The author of products that `holdfast products` published. */
export const operator: Actor = { id: 'products', name: 'holdfast products' }

export interface Change {
  /** The author. */
  readonly by: Actor
  /** Read when the change is made, which may be later than the request. */
  readonly clock: () => Temporal.Instant
  /** Makes the change only if the current version is one of these. */
  readonly ifVersion?: readonly number[] | undefined
  /** Replaces a deleted product too. */
  readonly isRevival?: boolean
}

/** The data holder that a version was imported from. Null: it was written here. */
export type Origin = string | null

/** The newest version of a product, from which the next one is derived. */
export interface NewestVersion {
  readonly version: number
  readonly change: string
  readonly lastUpdated: string
  /** Null if `change` is DELETED. */
  readonly shown: string | null
  readonly origin: Origin
}

/** A product from a line of a load, or from another data holder. */
export interface Loaded {
  readonly record: string
  readonly lastUpdated: string | undefined
  readonly origin?: string | undefined
}

export interface NewVersion extends Pick<Change, 'by' | 'clock'> {
  /** The loaded line, which a dump reproduces. Its `last_updated` is used unless it goes back in time. */
  readonly loaded?: Loaded
}

export type Outcome = StoredProduct | 'missing' | 'stale'

export interface StoredProduct extends ProductVersion {
  readonly lastUpdated: string
  readonly shown: string
  readonly origin: Origin
}

interface ProductListQuery {
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

export interface ProductVersion {
  readonly id: string
  readonly version: number
}

/** The version that a product has now. */
export interface CurrentVersion extends ProductVersion {
  /**
   * When the version was written, in milliseconds since 1970. Differs from that of a version with the same number before
   * the database was restored.
   */
  readonly changedAt: number
}

export interface ProductRecord {
  /** The JSON text of the record, normalized. */
  readonly record: string
  readonly lastUpdated: string
}

/** A version of a product, without its content. */
export interface ProductKey extends ProductVersion {
  readonly lastUpdated: string
  /** The size of the content. */
  readonly bytes: number
  readonly origin: Origin
}

/** `total` is the number of items on all pages. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

export interface SummaryQuery extends Omit<ProductListQuery, 'effective' | 'updatedSince'> {
  /** Case-folded. */
  readonly text: string | undefined
  readonly id: string | undefined
  readonly state: ProductState | undefined
  readonly sort: 'updated' | 'name'
}

/** Times are milliseconds since 1970. */
export interface StoredSummary {
  readonly id: string
  readonly name: string
  readonly category: string
  readonly brand: string
  /** Null for a draft of a product that does not exist. */
  readonly version: number | null
  readonly hasDraft: boolean
  readonly effectiveFrom: number | null
  readonly effectiveTo: number | null
  readonly updatedAt: number
  readonly by: Actor
}

/** Drafts of products: at most one for each. They are not public. */
export interface DraftStore {
  /** A draft of a new product. Repeating the idempotency key returns the first product and time. */
  createDraft(
    id: string,
    draft: DraftContent,
    idempotency: Idempotency | undefined,
  ): Promise<UsedKey | 'keyReused'>
  saveDraft(id: string, draft: NewDraft): Promise<'saved' | SaveConflict>
  readDraft(id: string): Promise<StoredDraft | undefined>
  removeDraft(id: string, ifTag: TagCondition | undefined): Promise<'removed' | RemoveConflict>
  /** Makes the draft the newest version and deletes it, in one transaction. */
  publishDraft(
    id: string,
    change: Change,
    ifTag: TagCondition | undefined,
  ): Promise<StoredProduct | PublishConflict>
  /** Ordered by product id. */
  listDrafts(page: number, pageSize: number): Promise<Page<DraftSummary>>
}

/** Whether the tag of a draft is one that the caller has read. */
export type TagCondition = (tag: string) => boolean

export interface DraftContent extends Pick<Change, 'by' | 'clock'> {
  /** Never used before: a tag of a discarded draft must not match a later one. */
  readonly tag: string
  readonly content: ProductContent
}

export interface NewDraft extends DraftContent {
  /** Default: that of the draft that is replaced, or the newest version. */
  readonly base?: number | undefined
  /** Saves the draft only if it replaces one with such a tag. */
  readonly ifTag?: TagCondition | undefined
  /** Saves the draft only if the product has no other. */
  readonly ifNone?: boolean
}

export interface DraftSummary {
  readonly id: string
  readonly tag: string
  readonly name: string
  /** 0 if the product never existed. */
  readonly base: number
  /** The newest version of the product now; 0 if it never existed. */
  readonly newest: number
  /** Milliseconds since 1970. */
  readonly changedAt: number
  readonly by: Actor
}

export interface StoredDraft extends DraftSummary {
  readonly record: string
}

export type SaveConflict = 'missing' | 'changed' | 'exists' | 'unknownVersion'
export type RemoveConflict = 'missing' | 'changed'
export type PublishConflict = RemoveConflict | 'outdated'

/** Versions are never deleted, so a missing one is a bug or a damaged database. */
export function requireContent<Content>(content: Content | null | undefined): Content {
  if (content != null) return content
  throw new Error('a version of a product is missing from the database')
}
