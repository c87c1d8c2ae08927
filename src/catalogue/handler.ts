import type {
  catalogueOperations,
  Input,
  JsonBody,
  JsonStream,
  OperationOf,
} from '../contract/index.ts'
import type { PageCache } from './page-cache.ts'
import type { Author, CatalogueStore } from './store.ts'

export type CatalogueOperationId = keyof typeof catalogueOperations

/** All that a handler may know besides its input. */
export interface Context {
  readonly store: CatalogueStore
  readonly clock: () => Temporal.Instant
  readonly pages: PageCache
  /** The API client who asks, where the operation wants one. */
  readonly client?: Author | undefined
}

export interface Answer {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: JsonBody | JsonStream
  /** Where it is not the operation's own. */
  readonly status?: 304
}

export type Handler<Id extends CatalogueOperationId> = (
  input: Input<OperationOf<Id>>,
  context: Context,
) => Promise<Answer>

/** One handler an operation. A missing or misnamed one does not compile. */
export type Handlers = { readonly [Id in CatalogueOperationId]: Handler<Id> }
