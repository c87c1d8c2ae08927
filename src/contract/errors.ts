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
  insufficient_scope: { status: 403, message: 'Insufficient scope' },
  customer_not_found: { status: 404, message: 'Customer not found' },
  account_not_found: { status: 404, message: 'Account not found' },
  product_not_found: { status: 404, message: 'Product not found' },
  route_not_found: { status: 404, message: 'There is no such resource' },
  method_not_allowed: { status: 405, message: 'This resource does not take that method' },
  body_too_large: { status: 413, message: 'The body is too large' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json' },
  account_in_query_not_found: { status: 422, message: 'Account in query not found' },
  too_many_requests: { status: 429, message: 'Too many requests' },
  internal: { status: 500, message: 'Internal error' },
  unavailable: { status: 503, message: 'Service unavailable' },
} as const satisfies Record<string, { status: number; message: string; sentence?: string }>

export type ErrorCode = keyof typeof errorTable
