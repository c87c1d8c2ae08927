import type { Scope } from '../contract/index.ts'
import type { Author } from './store.ts'

/** A program that may call the catalogue. */
export interface ApiClient {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly created: Temporal.Instant
  readonly rotated?: Temporal.Instant
}

/** What a token was issued for. */
export interface IssuedToken {
  readonly client: Author
  readonly scopes: readonly Scope[]
  readonly expires: Temporal.Instant
}

/** Where the platform keeps its API clients and their tokens, both under one-way digests only. */
export interface ClientStore {
  list(): Promise<readonly ApiClient[]>
  add(client: ApiClient, secretHash: string): Promise<void>
  /** False where there is no such client. */
  rotate(id: string, secretHash: string, when: Temporal.Instant): Promise<boolean>
  /** Their tokens go with them. False where there is no such client. */
  remove(id: string): Promise<boolean>
  find(id: string): Promise<(ApiClient & { readonly secretHash: string }) | undefined>
  /** Forgets those that have expired on the way. */
  addToken(digest: string, token: IssuedToken, now: Temporal.Instant): Promise<void>
  findToken(digest: string): Promise<IssuedToken | undefined>
  close(): Promise<void>
}
