/** An answer that is not a success, with what it says about itself. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
  readonly status: number
  /** The row of the interface, such as B3. */
  readonly operation: string
  /** What ties this exchange to the provider's log. */
  readonly interactionId: string | undefined

  constructor(status: number, error: string, operation: string, interactionId: string | undefined) {
    super(error)
    this.status = status
    this.operation = operation
    this.interactionId = interactionId
  }
}
