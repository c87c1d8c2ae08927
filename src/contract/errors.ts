/**
 * Every error that a client can receive: its HTTP status and the text sent in `{ error }`. Where `example`
 * is set, the actual text depends on the request.
 *
 * The interface fixes the two texts for an unknown customer and an unknown account in a body; the
 * statuses and the other texts are Holdfast's own (docs/decisions/0001-http-statuses.md).
 */
export const errorTable = {
  invalid_request: {
    status: 400,
    message: 'Invalid request',
    example: 'page-size must be a whole number from 1 to 1000',
    states: 'the field and what it must be',
  },
  unauthorized: { status: 401, message: 'Unauthorized' },
  wrong_credentials: { status: 401, message: 'Unauthorized', challenge: 'Basic' },
  cross_site_request: { status: 403, message: 'The X-CSRF-Token is missing or wrong' },
  insufficient_scope: { status: 403, message: 'Insufficient scope' },
  customer_not_found: { status: 404, message: 'Customer not found' },
  account_not_found: { status: 404, message: 'Account not found' },
  feed_not_found: { status: 404, message: 'Feed not found' },
  product_not_found: { status: 404, message: 'Product not found' },
  draft_not_found: { status: 404, message: 'Draft not found' },
  route_not_found: { status: 404, message: 'Resource not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  request_timeout: { status: 408, message: 'The request timed out' },
  batch_conflict: {
    status: 409,
    message: 'Batch conflict',
    example: 'an earlier batch is missing: the next batch of this feed is 7',
    states: 'the reason and the number expected',
  },
  precondition_failed: { status: 412, message: 'The product has changed since it was read' },
  draft_changed: { status: 412, message: 'The draft has changed since it was read' },
  draft_exists: { status: 412, message: 'The product already has a draft' },
  draft_outdated: {
    status: 412,
    message: 'The product has changed since the draft was made from it',
  },
  body_too_large: { status: 413, message: 'The request body is too large' },
  unsupported_media_type: { status: 415, message: 'The request body must be application/json' },
  compressed_body: { status: 415, message: 'The request body must not be compressed' },
  not_ndjson: { status: 415, message: 'The request body must be application/x-ndjson in UTF-8' },
  unsupported_encoding: { status: 415, message: 'The request body must be uncompressed or gzip' },
  account_in_query_not_found: { status: 422, message: 'Account in query not found' },
  idempotency_key_reused: {
    status: 422,
    message: 'The Idempotency-Key was already used with a different product',
  },
  invalid_lines: {
    status: 422,
    message: 'Invalid lines',
    example: '1 error: nothing was changed',
    states: 'the number of errors',
  },
  precondition_required: { status: 428, message: 'If-Match is required' },
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
    /** What a text that depends on the request states. */
    states?: string
    /** The authentication scheme, if it is not Bearer. */
    challenge?: 'Basic'
  }
>

export type ErrorCode = keyof typeof errorTable

interface ContractErrorOptions extends ErrorOptions {
  readonly retryAfterSeconds?: number
  readonly members?: Readonly<Record<string, unknown>>
}

/** An error that is reported to the client. Any other exception is a bug and becomes a 500. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly code: ErrorCode
  /** How long the client should wait before it retries, if known. */
  readonly retryAfterSeconds: number | undefined
  /** Members of the body in addition to `error`. */
  readonly members: Readonly<Record<string, unknown>> | undefined

  /** `detail` is sent instead of the table's text where the table has an example. It names a field, never a value. */
  constructor(code: ErrorCode, detail?: string, options: ContractErrorOptions = {}) {
    super(detail ?? errorTable[code].message, options)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.members = options.members
  }
}
