/**
 * Every failure a caller can see: its HTTP status and the text sent in `{ error }`. Where `sentence`
 * is set, the text is replaced by one like it, which names the field and what it must be.
 *
 * The interface fixes the two texts for an unknown customer and an unknown account in a body; the
 * statuses and the other texts are ours (docs/decisions/0001-http-statuses.md).
 */
export const errorTable = {
  invalid_request: {
    status: 400,
    message: 'Invalid request',
    sentence: 'page-size must be a whole number from 1 to 1000',
  },
  unauthorized: { status: 401, message: 'Unauthorized' },
  wrong_credentials: { status: 401, message: 'Unauthorized', challenge: 'Basic' },
  insufficient_scope: { status: 403, message: 'Insufficient scope' },
  customer_not_found: { status: 404, message: 'Customer not found' },
  account_not_found: { status: 404, message: 'Account not found' },
  product_not_found: { status: 404, message: 'Product not found' },
  route_not_found: { status: 404, message: 'There is no such resource' },
  method_not_allowed: { status: 405, message: 'This resource does not take that method' },
  request_timeout: { status: 408, message: 'The request took too long to arrive' },
  precondition_failed: { status: 412, message: 'The product was changed meanwhile: read it again' },
  body_too_large: { status: 413, message: 'The body is too large' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json' },
  account_in_query_not_found: { status: 422, message: 'Account in query not found' },
  idempotency_key_reused: {
    status: 422,
    message: 'The Idempotency-Key was used with another product',
  },
  too_many_requests: { status: 429, message: 'Too many requests' },
  headers_too_large: { status: 431, message: 'The request line and headers are too large' },
  internal: { status: 500, message: 'Internal error' },
  unavailable: { status: 503, message: 'Service unavailable' },
  // The words of OAuth 2.0 (RFC 6749, 5.2), for callers who ask for a token in its form.
  oauth_invalid_request: { status: 400, message: 'invalid_request' },
  oauth_unsupported_grant: { status: 400, message: 'unsupported_grant_type' },
  oauth_invalid_scope: { status: 400, message: 'invalid_scope' },
  oauth_invalid_client: { status: 401, message: 'invalid_client', challenge: 'Basic' },
} as const satisfies Record<
  string,
  {
    status: number
    message: string
    sentence?: string
    /** How to authenticate, where that is not with a bearer token. */
    challenge?: 'Basic'
  }
>

export type ErrorCode = keyof typeof errorTable

/** A failure the caller is told about. Anything else that is thrown is a bug and becomes a 500. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly code: ErrorCode
  /** How long the caller should wait, where that is known. */
  readonly retryAfterSeconds: number | undefined

  /** `sentence` replaces the table's text where the table says so: it names a field, never a value. */
  constructor(
    code: ErrorCode,
    sentence?: string,
    options: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(sentence ?? errorTable[code].message, options)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
