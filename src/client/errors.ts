interface Details extends ErrorOptions {
  readonly interactionId?: string | undefined
}

interface ResponseDetails extends Details {
  readonly isRefusal?: boolean
}

/**
 * The base of all errors of a call. Messages and causes contain no token, no id of the request and no
 * part of a successful response, so they can be logged.
 */
export class ClientError extends Error {
  override readonly name: string = 'ClientError'
  /** The name of the method, such as `listBankingTransactions`. */
  readonly operation: string
  /** Identifies the request in the provider's log. Undefined if the provider sent none. */
  readonly interactionId: string | undefined

  constructor(operation: string, message: string, { interactionId, ...options }: Details = {}) {
    super(message, options)
    this.operation = operation
    this.interactionId = interactionId
  }
}

/** An error response of the provider. The message is the error text of its body, with invisible characters escaped. */
export class ResponseError extends ClientError {
  override readonly name = 'ResponseError'
  readonly status: number
  /**
   * Whether the provider refuses to share the account or the data of the customer, for example because the account is
   * blocked. The provider does not say why, and may share it again later.
   */
  readonly isRefusal: boolean

  constructor(
    operation: string,
    message: string,
    status: number,
    { isRefusal = false, ...details }: ResponseDetails,
  ) {
    super(operation, message, details)
    this.status = status
    this.isRefusal = isRefusal
  }
}

/** The provider is unreachable, or the connection broke. The cause is the error of the network. */
export class ConnectionError extends ClientError {
  override readonly name = 'ConnectionError'
}

/** The provider did not respond within `timeoutMs`. */
export class TimeoutError extends ClientError {
  override readonly name = 'TimeoutError'
}

/** A response that does not conform to the interface, or exceeds a limit of the client. The cause states why. */
export class InvalidResponseError extends ClientError {
  override readonly name = 'InvalidResponseError'

  constructor(operation: string, reason: string, interactionId?: string) {
    super(operation, `invalid response: ${reason}`, { interactionId, cause: new Error(reason) })
  }
}
