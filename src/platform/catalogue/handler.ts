import type {
  Actor,
  catalogueOperations,
  Input,
  JsonBody,
  JsonStream,
  OperationOf,
} from '../../contract/index.ts'
import type { PageCache } from './page-cache.ts'
import type { PublishedProducts } from './published-products.ts'
import type { CatalogueStore } from './store.ts'

export type CatalogueOperationId = keyof typeof catalogueOperations

/** Everything that a handler receives besides its input. */
export interface Context {
  readonly store: CatalogueStore
  readonly clock: () => Temporal.Instant
  readonly pages: PageCache
  /** Single products. */
  readonly products: PageCache
  readonly published: PublishedProducts
  /** The authenticated person or API client; undefined for public operations. */
  readonly client?: Actor | undefined
}

export interface Answer {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonBody | JsonStream
  /** Replaces the status of the operation. */
  readonly status?: 304
}

/** One handler for each operation. A missing or misnamed one does not compile. */
export type Handlers = {
  readonly [Id in CatalogueOperationId]: (
    input: Input<OperationOf<Id>>,
    context: Context,
  ) => Promise<Answer>
}
