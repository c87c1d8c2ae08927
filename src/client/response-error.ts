/** An error response of the provider. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
  readonly status: number
  /** The reference of the operation, such as B3. */
  readonly operation: string
  /** Identifies the request in the provider's log. */
  readonly interactionId: string | undefined

  constructor(status: number, error: string, operation: string, interactionId: string | undefined) {
    super(error)
    this.status = status
    this.operation = operation
    this.interactionId = interactionId
  }
}
