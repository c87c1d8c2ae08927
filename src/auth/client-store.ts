import { type Actor, permits, type Scope } from '../contract/index.ts'
import type { BrowserSessionStore } from './browser-session-store.ts'

/** A program that is allowed to call the catalogue. */
interface ApiClient {
  readonly id: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly created: Temporal.Instant
  readonly rotated?: Temporal.Instant
}

export interface RegisteredClient extends ApiClient {
  readonly secretHash: string
}

/** The client, or the person, and the scopes that a token was issued for. */
export interface IssuedToken {
  readonly client: Actor
  readonly scopes: readonly Scope[]
  readonly expires: Temporal.Instant
}

/** Stores API clients, their tokens and sessions of browsers. Secrets and tokens are stored as one-way digests only. */
export interface ClientStore {
  readonly sessions: BrowserSessionStore
  list(): Promise<readonly RegisteredClient[]>
  add(client: ApiClient, secretHash: string): Promise<void>
  /** Revokes the client's tokens. False if the client is not found. */
  rotate(id: string, secretHash: string, when: Temporal.Instant): Promise<boolean>
  /** Revokes the client's tokens. False if the client is not found. */
  remove(id: string): Promise<boolean>
  find(id: string): Promise<RegisteredClient | undefined>
  /** Also deletes expired tokens. `secretHash` is that of the secret that was used to request the token. */
  addToken(
    digest: string,
    token: IssuedToken,
    secretHash: string,
    now: Temporal.Instant,
  ): Promise<void>
  removeToken(digest: string): Promise<void>
  /**
   * Undefined if the client was removed or its secret was rotated after the token was issued. The scopes are those that
   * the client has too.
   */
  findToken(digest: string): Promise<IssuedToken | undefined>
  close(): Promise<void>
}

/** The scopes of a token, without those that its client does not have: a process that stores tokens must not extend them. */
export function limitScopes(token: readonly Scope[], client: readonly Scope[]): Scope[] {
  return token.filter((scope) => permits(client, scope))
}
