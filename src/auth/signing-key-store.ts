/** A key that the platform signs its tokens with. */
export interface SigningKey {
  readonly id: string
  readonly algorithm: string
  /** A JWK, private part included. */
  readonly privateKey: Readonly<Record<string, unknown>>
  readonly created: Temporal.Instant
  /** From then on it signs nothing and is not published. */
  readonly retired?: Temporal.Instant
}

/** Where the platform keeps them. */
export interface SigningKeyStore {
  /** The newest first. */
  list(): Promise<readonly SigningKey[]>
  add(key: SigningKey): Promise<void>
  /** False if no key in use has this id. */
  retire(id: string, when: Temporal.Instant): Promise<boolean>
  close(): Promise<void>
}
