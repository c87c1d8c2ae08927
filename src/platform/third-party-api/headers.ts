import { responseHeaders } from '../../contract/response-headers.ts'

const text = { type: 'string' } as const

/** Every header of a response, except those that HTTP itself requires. */
export const headers = {
  'Access-Control-Allow-Origin': responseHeaders['Access-Control-Allow-Origin'],
  'Access-Control-Expose-Headers': {
    description: 'The headers that scripts of other origins may read.',
    schema: text,
    example: 'etag, retry-after, x-fapi-interaction-id, x-v',
  },
  'Cache-Control': responseHeaders['Cache-Control'],
  'Content-Security-Policy': {
    description: 'What a browser may load if it shows the response.',
    schema: text,
    example: "default-src 'none'",
  },
  ETag: {
    description: 'A digest of the response, for use in `If-None-Match`.',
    schema: text,
    example: '"rW8bXkM1"',
  },
  'Referrer-Policy': {
    description: 'Whether a browser sends the URL with other requests.',
    schema: text,
    example: 'same-origin',
  },
  'Retry-After': responseHeaders['Retry-After'],
  Vary: {
    description: 'The request headers that the response depends on.',
    schema: text,
    example: 'accept, x-min-v, x-v',
  },
  'WWW-Authenticate': {
    description: 'The scheme of the token, with the error of RFC 6750 or RFC 9449.',
    schema: text,
    example: 'DPoP error="invalid_token"',
  },
  'X-Content-Type-Options': {
    description: 'Always `nosniff`.',
    schema: text,
    example: 'nosniff',
  },
  'x-fapi-interaction-id': responseHeaders['x-fapi-interaction-id'],
  'x-v': {
    description: 'The version of the endpoint that the response has.',
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '1',
  },
} as const

export type HeaderName = keyof typeof headers
