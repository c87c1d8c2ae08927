export type Members = Readonly<Record<string, unknown>>

/** A private key as a JWK, with the `kid` and `alg` of its tokens. */
export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly jwk: Members
}
