import type { Actor, AddressKind, Scope } from '../contract/index.ts'

/** A session of a browser. It ends at `expires`, which every use moves as far as `ends`. */
export interface StoredSession {
  /** Not secret: it names the session in lists. */
  readonly id: string
  readonly user: Actor
  readonly scopes: readonly Scope[]
  readonly started: Temporal.Instant
  readonly used: Temporal.Instant
  readonly expires: Temporal.Instant
  readonly ends: Temporal.Instant
  readonly address: AddressKind
}

interface NewSession extends StoredSession {
  /**
   * Of an API client, the hash of its secret; of a person, a digest of the rules that gave the scopes. The session is valid
   * while these are the same.
   */
  readonly secretHash: string
  /** Of a person: the ID token, encrypted. */
  readonly idToken?: string | undefined
}

/** Whose sessions they are. */
export type SessionOwner = Pick<Actor, 'id' | 'issuer'>

/** Which sessions are valid. */
export interface Validity {
  readonly now: Temporal.Instant
  /** The digest of the rules that give people their scopes. */
  readonly rules: string
}

/** Stores sessions of browsers by the digests of their cookies. Each function ignores sessions that are not valid. */
export interface BrowserSessionStore {
  /** Also deletes some expired sessions, and those of the user beyond `perUserMax`, the ones used last excepted. */
  add(digest: string, session: NewSession, perUserMax: number): Promise<void>
  /** The scopes are those that an API client has now too. */
  find(digest: string, validity: Validity): Promise<StoredSession | undefined>
  /** Those of the owner, or all. Those used last first. */
  list(
    owner: SessionOwner | undefined,
    limit: number,
    validity: Validity,
  ): Promise<{ readonly items: readonly StoredSession[]; readonly total: number }>
  findById(id: string, validity: Validity): Promise<StoredSession | undefined>
  noteUse(digest: string, used: Temporal.Instant, expires: Temporal.Instant): Promise<void>
  /** Returns the encrypted ID token, if there is one. */
  remove(digest: string): Promise<string | undefined>
  /** False if it has ended. */
  removeById(id: string): Promise<boolean>
}
