/** A key that the platform signs tokens with. */
export interface SigningKey {
  readonly id: string
  readonly algorithm: string
  /** A JWK, private part included. */
  readonly privateKey: Readonly<Record<string, unknown>>
  readonly created: Temporal.Instant
  /** A retired key is neither used nor published. */
  readonly retired?: Temporal.Instant
}

export interface SigningKeyStore {
  /** Newest first. */
  list(): Promise<readonly SigningKey[]>
  add(key: SigningKey): Promise<void>
  /** False if no key in use has this id. */
  retire(id: string, when: Temporal.Instant): Promise<boolean>
  /** The clock of the database server. A file has none: its processes run on one machine. */
  readTime?(): Promise<Temporal.Instant>
  close(): Promise<void>
}

/** The newest key in use. */
export async function findNewestKey(
  store: Pick<SigningKeyStore, 'list'>,
): Promise<SigningKey | undefined> {
  return (await store.list()).find(({ retired }) => retired === undefined)
}

/** A stored key as a private JWK with its key id and algorithm. */
export function toPrivateJwk({ id, algorithm, privateKey }: SigningKey) {
  return { ...privateKey, kid: id, alg: algorithm }
}
