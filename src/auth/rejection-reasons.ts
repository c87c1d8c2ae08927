import type { ErrorClause } from '../contract/index.ts'

const bearer: ErrorClause = {
  clause:
    'Authentication, 1: data-provider calls carry Authorization: Bearer with a self-signed JWT of the platform.',
}
const encoding: ErrorClause = {
  clause: 'Decision 29: each segment of a token is strict base64url, and no member is repeated.',
}
const headers: ErrorClause = {
  clause:
    'Decision 25: PS256, ES256, RS256 and EdDSA are accepted. A token with crit or with b64 false is rejected.',
}
const lifetime: ErrorClause = {
  clause:
    'Decision 26: exp is required and at most 24 hours in the future. nbf and iat are checked if present, with a tolerance of 30 seconds.',
}
const expiry: ErrorClause = {
  clause: 'Authentication, 2.2: the exp claim has not passed.',
}
const parties: ErrorClause = {
  clause:
    'Authentication, 2.3: the sub claim and the iss claim both equal the data provider subdomain.',
  setting: 'HOLDFAST_SUBDOMAIN',
}
const keys: ErrorClause = {
  clause:
    'Authentication, 2: the receiver verifies the token using the JWKS URL of the provider instance.',
  setting: 'HOLDFAST_JWKS_URL',
}

/** Why a token is rejected. For the log, the metrics and operators only; never sent to the client. */
export const rejectionTable = {
  'no token': bearer,
  'two Authorization headers': bearer,
  'not a bearer token': bearer,
  'too long': encoding,
  'not three segments': encoding,
  'not base64url': encoding,
  'header is not UTF-8': encoding,
  'header is not an object': encoding,
  'header repeats a member': encoding,
  'payload is not UTF-8': encoding,
  'payload is not an object': encoding,
  'payload repeats a member': encoding,
  crit: headers,
  b64: headers,
  alg: headers,
  kid: {
    clause: 'Decision 30: a kid has at most 256 characters and names a key of the key set.',
  },
  exp: lifetime,
  'exp has passed': expiry,
  'exp is too far in the future': lifetime,
  nbf: lifetime,
  iat: lifetime,
  iss: parties,
  sub: parties,
  aud: {
    clause:
      'Authentication, 2.4: the aud claim equals the URI of the requested resource, excluding query parameters.',
    setting: 'HOLDFAST_PROVIDER_URL',
  },
  jti: { clause: 'Decision 28: every token has a jti of 1 to 256 characters.' },
  'unknown key': keys,
  signature: {
    clause: 'Authentication, 2.1: the signature is valid.',
    setting: 'HOLDFAST_JWKS_URL',
  },
  'jti was used before': {
    clause: 'Authentication, 2.5: the jti claim is unique (a repeated jti is not acceptable).',
  },
  'exp is before the last purge': {
    clause:
      'Decision 28: a token that expires no later than the purged replay records is rejected, even if it was never used.',
  },
} as const satisfies Record<string, ErrorClause>

export type RejectionReason = keyof typeof rejectionTable
export const rejectionReasons = Object.keys(rejectionTable) as readonly RejectionReason[]
