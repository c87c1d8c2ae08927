import type { RefusalCircumstance } from './refusals.ts'
import type { RequestLimit } from './request-limits.ts'

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
  product_scope_missing: {
    status: 403,
    message: 'Insufficient scope',
    example: 'line 3: products need the scope products.write: nothing was changed',
    states: 'the first line of a product',
  },
  feed_of_other_client: {
    status: 403,
    message:
      'The feed belongs to another API client: use another feed, or run holdfast feeds assign',
  },
  // A refusal that prevents harm has the text of an unknown customer or account, and a status of its own.
  customer_protected: { status: 403, message: 'Customer not found' },
  account_protected: { status: 403, message: 'Account not found' },
  account_in_query_protected: { status: 403, message: 'Account in query not found' },
  customer_not_found: { status: 404, message: 'Customer not found' },
  account_not_found: { status: 404, message: 'Account not found' },
  balance_not_found: { status: 404, message: 'Balance not found' },
  contact_not_found: { status: 404, message: 'Contact not found' },
  consent_not_found: { status: 404, message: 'Consent not found' },
  explorer_disabled: {
    status: 404,
    message: 'The explorer is disabled: set HOLDFAST_EXPLORER=true on the platform',
  },
  feed_not_found: { status: 404, message: 'Feed not found' },
  product_not_found: { status: 404, message: 'Product not found' },
  draft_not_found: { status: 404, message: 'Draft not found' },
  check_not_found: { status: 404, message: 'Check not found' },
  session_not_found: { status: 404, message: 'Session not found' },
  route_not_found: { status: 404, message: 'Resource not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  request_timeout: { status: 408, message: 'The request timed out' },
  batch_conflict: {
    status: 409,
    message: 'Batch conflict',
    example: 'an earlier batch is missing: the next batch of this feed is 7',
    states: 'the reason and the number expected',
  },
  check_running: { status: 409, message: 'A check is already running' },
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
  balance_in_query_not_found: {
    status: 422,
    message: 'Balance of account in query not found',
  },
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
  not_configured: {
    status: 422,
    message: 'Not configured',
    example: 'HOLDFAST_CHECK_CUSTOMERS is not set',
    states: 'the settings that are missing',
  },
  precondition_required: { status: 428, message: 'If-Match is required' },
  too_many_requests: {
    status: 429,
    message: 'Too many requests',
    example: 'Too many requests: over the limit customer_per_minute',
    states: 'the limit',
  },
  headers_too_large: { status: 431, message: 'The request line and headers are too large' },
  internal: { status: 500, message: 'Internal error' },
  provider_failed: {
    status: 502,
    message: 'The provider did not respond',
    example: 'no response from https://bank.example: ECONNREFUSED',
    states: 'why there is no valid response of the provider',
  },
  identity_provider_failed: { status: 502, message: 'The identity provider did not respond' },
  bad_gateway: { status: 502, message: 'Bad gateway' },
  unavailable: { status: 503, message: 'Service unavailable' },
  gateway_timeout: { status: 504, message: 'Gateway timeout' },
  provider_timeout: {
    status: 504,
    message: 'The provider did not respond in time',
    example: 'no response from https://bank.example within 10000 ms',
    states: 'how long the provider may take',
  },
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

/** Why an error is sent: the sentence that it implements, and the setting to look at if there is one. */
export interface ErrorClause {
  readonly clause: string
  readonly setting?: string
}

/** Of every error that refuses to share because of a restriction. */
export const refusalClause: ErrorClause = {
  clause:
    'Decision 65: a restricted customer or account is answered like an unknown one, with the header X-Sharing-Refused.',
}
const statuses: ErrorClause = {
  clause: 'Decision 1: each error has a status and a text in the body {error: string}.',
}
const syntax: ErrorClause = {
  clause:
    'Decision 3: a request that cannot be parsed as HTTP gets 400, 408 or 431, and the connection is closed.',
}
const missingRecord: ErrorClause = {
  clause:
    'Decision 1: an account without a balance or a contact exists: its error names the record that was not loaded.',
}
const conditional: ErrorClause = {
  clause: 'Decision 44: a stale If-Match is rejected, so that no change is lost.',
}
const drafts: ErrorClause = {
  clause: 'Decision 53: a draft is changed and published only as it was read.',
}
const feeds: ErrorClause = {
  clause: 'Decision 46: the batches of a feed are numbered, and a batch is committed as a whole.',
}
const upstream: ErrorClause = {
  clause:
    'Decision 57: a response of the upstream that is not one of the interface is a 502, and a late one a 504.',
}
const credentials: ErrorClause = {
  clause:
    'Decision 32: a token is valid while its client exists and has the secret that the token was issued for.',
}

/**
 * For operators; never sent with the error. Errors of operations that neither the interface nor a decision describes have none.
 * Separate from the table, so that clients in browsers do not load it.
 */
export const errorClauses: Readonly<Partial<Record<ErrorCode, ErrorClause>>> = {
  invalid_request: {
    clause:
      'Decision 1: a body, parameter or header that is invalid is a 400 with a sentence that names the field and what it must be.',
  },
  unauthorized: credentials,
  wrong_credentials: {
    clause:
      'Decision 32: an unknown client ID takes the same code path as a wrong secret and gets the same response.',
  },
  insufficient_scope: {
    clause: 'Decision 1: the token of a client that lacks the scope is a 403.',
  },
  customer_not_found: {
    clause: 'Errors, 2: “Customer not found” is returned when the customerId is unknown.',
  },
  account_not_found: {
    clause:
      'Decision 1: an accountId in the path that is unknown or belongs to another customer is a 404.',
  },
  balance_not_found: missingRecord,
  contact_not_found: missingRecord,
  product_scope_missing: feeds,
  feed_of_other_client: feeds,
  feed_not_found: feeds,
  product_not_found: { clause: 'Decision 31: an unknown product ID is a 404.' },
  draft_not_found: drafts,
  route_not_found: { clause: 'Decision 1: an unknown route is a 404.' },
  method_not_allowed: { clause: 'Decision 1: a method that the route does not support is a 405.' },
  request_timeout: syntax,
  batch_conflict: feeds,
  precondition_failed: conditional,
  draft_changed: drafts,
  draft_exists: drafts,
  draft_outdated: drafts,
  body_too_large: { clause: 'Decision 1: a body that is too large is a 413.' },
  unsupported_media_type: {
    clause: 'Endpoints, Common conventions, 6: POST requests carry Content-Type: application/json.',
  },
  compressed_body: { clause: 'Decision 1: a compressed body is a 415.' },
  not_ndjson: feeds,
  unsupported_encoding: feeds,
  account_in_query_not_found: {
    clause:
      'Errors, 3: “Account in query not found” is returned when an account named in the request cannot be found.',
  },
  balance_in_query_not_found: {
    clause: 'Decision 13: a response is never silently incomplete.',
  },
  idempotency_key_reused: {
    clause: 'Decision 44: the same Idempotency-Key with another product is a 422.',
  },
  invalid_lines: feeds,
  precondition_required: conditional,
  too_many_requests: {
    clause: 'Decision 43: a request beyond a rate limit is a 429 with Retry-After.',
    setting: 'HOLDFAST_CUSTOMER_REQUESTS_PER_MINUTE',
  },
  headers_too_large: syntax,
  internal: statuses,
  unavailable: {
    clause:
      'Decision 43: overload and an unreachable database are a 503 with Retry-After. So is a token whose use cannot be recorded (decision 28).',
  },
  bad_gateway: { ...upstream, setting: 'HOLDFAST_UPSTREAM' },
  gateway_timeout: { ...upstream, setting: 'HOLDFAST_UPSTREAM_TIMEOUT_MS' },
  oauth_invalid_request: credentials,
  oauth_unsupported_grant: credentials,
  oauth_invalid_scope: credentials,
  oauth_invalid_client: credentials,
}

/** Of a 503 that is not caused by an outage. */
export const overloadClause: ErrorClause = {
  clause:
    'Decision 43: a request that is rejected by load shedding is rejected before its token is read, so the token can be used again.',
  setting: 'HOLDFAST_WORKERS',
}

interface ContractErrorOptions extends ErrorOptions {
  readonly circumstance?: RefusalCircumstance | undefined
  readonly retryAfterSeconds?: number
  readonly members?: Readonly<Record<string, unknown>>
  readonly reason?: string
  readonly isInDoubt?: boolean
  readonly limit?: RequestLimit
}

/** An error that is reported to the client. Any other exception is a bug and becomes a 500. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly code: ErrorCode
  /** Why the error refuses to share. Undefined if it is not a refusal. */
  readonly circumstance: RefusalCircumstance | undefined
  /** How long the client should wait before it retries, if known. */
  readonly retryAfterSeconds: number | undefined
  /** Members of the body in addition to `error`. */
  readonly members: Readonly<Record<string, unknown>> | undefined
  /** A fixed text that logs and reports use instead of the table's, never sent to the client. */
  readonly reason: string | undefined
  /** Whether a change that failed may have been made nevertheless. */
  readonly isInDoubt: boolean
  /** The limit that the request is over. */
  readonly limit: RequestLimit | undefined

  /** `detail` is sent instead of the table's text where the table has an example. It names a field, never a value. */
  constructor(code: ErrorCode, detail?: string, options: ContractErrorOptions = {}) {
    super(detail ?? errorTable[code].message, options)
    this.code = code
    this.circumstance = options.circumstance
    this.retryAfterSeconds = options.retryAfterSeconds
    this.members = options.members
    this.reason = options.reason
    this.isInDoubt = options.isInDoubt ?? false
    this.limit = options.limit
  }
}

/** The error of a request over a limit. It names the limit. */
export function tooManyRequests(
  limit: RequestLimit,
  options: Pick<ContractErrorOptions, 'circumstance' | 'retryAfterSeconds'> = {},
): ContractError {
  const text = `${errorTable.too_many_requests.message}: over the limit ${limit}`
  return new ContractError('too_many_requests', text, { ...options, limit })
}
