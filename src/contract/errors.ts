/**
 * Every error that a client can receive: its HTTP status and the text sent in `{ error }`. Where `example`
 * is set, the actual text names the field and what it must be.
 *
 * The interface fixes the two texts for an unknown customer and an unknown account in a body; the
 * statuses and the other texts are Holdfast's own (docs/decisions/0001-http-statuses.md).
 */
export const errorTable = {
  invalid_request: {
    status: 400,
    message: 'Invalid request',
    example: 'page-size must be a whole number from 1 to 1000',
  },
  unauthorized: { status: 401, message: 'Unauthorized' },
  wrong_credentials: { status: 401, message: 'Unauthorized', challenge: 'Basic' },
  insufficient_scope: { status: 403, message: 'Insufficient scope' },
  customer_not_found: { status: 404, message: 'Customer not found' },
  account_not_found: { status: 404, message: 'Account not found' },
  product_not_found: { status: 404, message: 'Product not found' },
  route_not_found: { status: 404, message: 'Resource not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  request_timeout: { status: 408, message: 'The request timed out' },
  precondition_failed: { status: 412, message: 'The product has changed since it was read' },
  body_too_large: { status: 413, message: 'The request body is too large' },
  unsupported_media_type: { status: 415, message: 'The request body must be application/json' },
  compressed_body: { status: 415, message: 'The request body must not be compressed' },
  account_in_query_not_found: { status: 422, message: 'Account in query not found' },
  idempotency_key_reused: {
    status: 422,
    message: 'The Idempotency-Key was already used with a different product',
  },
  too_many_requests: { status: 429, message: 'Too many requests' },
  headers_too_large: { status: 431, message: 'The request line and headers are too large' },
  internal: { status: 500, message: 'Internal error' },
  unavailable: { status: 503, message: 'Service unavailable' },
  // The error codes of OAuth 2.0 (RFC 6749, section 5.2), for token requests sent as a form.
  oauth_invalid_request: { status: 400, message: 'invalid_request' },
  oauth_unsupported_grant: { status: 400, message: 'unsupported_grant_type' },
  oauth_invalid_scope: { status: 400, message: 'invalid_scope' },
  oauth_invalid_client: { status: 401, message: 'invalid_client', challenge: 'Basic' },
} as const satisfies Record<
  string,
  {
    status: number
    message: string
    example?: string
    /** The authentication scheme, if it is not Bearer. */
    challenge?: 'Basic'
  }
>

export type ErrorCode = keyof typeof errorTable

/** An error that is reported to the client. Any other exception is a bug and becomes a 500. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly code: ErrorCode
  /** How long the client should wait before it retries, if known. */
  readonly retryAfterSeconds: number | undefined

  /** `detail` is sent instead of the table's text where the table has an example. It names a field, never a value. */
  constructor(
    code: ErrorCode,
    detail?: string,
    options: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(detail ?? errorTable[code].message, options)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
