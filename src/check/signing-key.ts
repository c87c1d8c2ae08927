export type Members = Readonly<Record<string, unknown>>

/** A private key as a JWK, and what its tokens say of it. */
export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly jwk: Members
}
