/** Who made a request: an API client, or a person of an identity provider. */
export interface Caller {
  /** The id of the client, or the subject of the person. */
  readonly id: string
  readonly name: string
  /** The identity provider of the person. */
  readonly issuer?: string
}
