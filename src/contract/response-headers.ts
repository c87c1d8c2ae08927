import { refusalHeader } from './refusals.ts'

interface HeaderDefinition {
  readonly description: string
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, string | number>>
  readonly example: string | number
}

/** The client’s ID of a request, or a new one, in the response and the log. */
export const interactionHeader = 'x-fapi-interaction-id'

const text = { type: 'string' } as const

/** Every response header, except those that HTTP itself requires, such as `Date` and `Content-Length`, and those of TLS. */
export const responseHeaders = {
  'Access-Control-Allow-Origin': {
    description: 'Always `*`: browsers may read the response from any origin.',
    schema: text,
    example: '*',
  },
  'Cache-Control': {
    description: 'Whether and for how long the response may be cached.',
    schema: text,
    example: 'no-store',
  },
  Deprecation: {
    description:
      'The time since which the operation is deprecated, in seconds since 1970 (RFC 9745).',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1794700800',
  },
  ETag: {
    description:
      'The version of the product or of its draft, for use in `If-Match` and `If-None-Match`.',
    schema: text,
    example: '"3"',
  },
  Link: {
    description: 'The operation to use instead, with `rel="successor-version"`.',
    schema: text,
    example: '</auth/v1/customer/cust-1/accounts>; rel="successor-version"',
  },
  Location: {
    description: 'The path of what was created.',
    schema: { type: 'string', format: 'uri-reference' },
    example: '/v1/data-provider/cdr/products/prod-1',
  },
  Pragma: {
    description: 'Always `no-cache`, as OAuth 2.0 requires (RFC 6749, section 5.1).',
    schema: text,
    example: 'no-cache',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2 ** 31 - 1 },
    example: 1,
  },
  'Set-Cookie': {
    description:
      'The session of the browser, or a sign-in that has begun, which scripts cannot read; empty after its end.',
    schema: text,
    example:
      '__Host-holdfast_session=example; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure',
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme. It never contains the reason of a rejection.',
    schema: text,
    example: 'Bearer error="invalid_token"',
  },
  'x-fapi-interaction-id': {
    description:
      'Correlates a request with its response. The server generates one if the request has none.',
    schema: { type: 'string', format: 'uuid' },
    example: '0a7c4b9e-6a1f-4f3d-9d8e-3f1b2c5d7e90',
  },
  [refusalHeader]: {
    description:
      'The provider refuses to share the account, or the data of the customer. Absent from an error with another cause. The body never says why.',
    schema: { type: 'string', pattern: '^true$' },
    example: 'true',
  },
} as const satisfies Record<string, HeaderDefinition>

export type ResponseHeader = keyof typeof responseHeaders
