import type { Author } from '../catalogue/store.ts'
import type { Scope } from '../contract/index.ts'

/** A program that may call the catalogue. */
export interface ApiClient {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly created: Temporal.Instant
  readonly rotated?: Temporal.Instant
}

/** A client with what its secret is checked against. */
export interface RegisteredClient extends ApiClient {
  readonly secretHash: string
}

/** What a token was issued for. */
export interface IssuedToken {
  readonly client: Author
  readonly scopes: readonly Scope[]
  readonly expires: Temporal.Instant
}

/** Where the platform keeps its API clients and their tokens, both under one-way digests only. */
export interface ClientStore {
  list(): Promise<readonly RegisteredClient[]>
  add(client: ApiClient, secretHash: string): Promise<void>
  /** Revokes the client's tokens. False where there is no such client. */
  rotate(id: string, secretHash: string, when: Temporal.Instant): Promise<boolean>
  /** Revokes the client's tokens. False where there is no such client. */
  remove(id: string): Promise<boolean>
  find(id: string): Promise<RegisteredClient | undefined>
  /** Also deletes the tokens that have expired. `secretHash` is of the secret that the token is issued for. */
  addToken(
    digest: string,
    token: IssuedToken,
    secretHash: string,
    now: Temporal.Instant,
  ): Promise<void>
  /** Undefined where the client was removed, or its secret is not the one that the token was issued for. */
  findToken(digest: string): Promise<IssuedToken | undefined>
  close(): Promise<void>
}
