import type { ErrorClause } from './errors.ts'

/** `title` says in plain words what is wrong, for people who do not know the claims of a token. */
interface Rejection extends ErrorClause {
  readonly title: string
}

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
  'no token': { title: 'No token', ...bearer },
  'two Authorization headers': { title: 'Two Authorization headers', ...bearer },
  'not a bearer token': { title: 'Credentials are not a bearer token', ...bearer },
  'too long': { title: 'Token is too long', ...encoding },
  'not three segments': { title: 'Token is not a signed JWT', ...encoding },
  'not base64url': { title: 'Token is not encoded correctly', ...encoding },
  'header is not UTF-8': { title: 'Token header is not text', ...encoding },
  'header is not an object': { title: 'Token header is not a JSON object', ...encoding },
  'header repeats a member': { title: 'Token header repeats a field', ...encoding },
  'payload is not UTF-8': { title: 'Token content is not text', ...encoding },
  'payload is not an object': { title: 'Token content is not a JSON object', ...encoding },
  'payload repeats a member': { title: 'Token content repeats a field', ...encoding },
  crit: { title: 'Token requires an unsupported extension', ...headers },
  b64: { title: 'Token content is not encoded', ...headers },
  alg: { title: 'Signing algorithm is not accepted', ...headers },
  kid: {
    title: 'Key ID is not valid',
    clause: 'Decision 30: a kid has at most 256 characters and names a key of the key set.',
  },
  exp: { title: 'Expiry time is missing or not valid', ...lifetime },
  'exp has passed': { title: 'Token has expired', ...expiry },
  'exp is too far in the future': { title: 'Token is valid for too long', ...lifetime },
  nbf: { title: 'Token is not valid yet', ...lifetime },
  iat: { title: 'Time of issue is not valid', ...lifetime },
  iss: { title: 'Issuer does not match', ...parties },
  sub: { title: 'Subject does not match', ...parties },
  aud: {
    title: 'Audience does not match',
    clause:
      'Authentication, 2.4: the aud claim equals the URI of the requested resource, excluding query parameters.',
    setting: 'HOLDFAST_PROVIDER_URL',
  },
  jti: {
    title: 'Token ID is missing or not valid',
    clause: 'Decision 28: every token has a jti of 1 to 256 characters.',
  },
  'unknown key': { title: 'Signing key is not known', ...keys },
  signature: {
    title: 'Signature is not valid',
    clause: 'Authentication, 2.1: the signature is valid.',
    setting: 'HOLDFAST_JWKS_URL',
  },
  'jti was used before': {
    title: 'Token was used before',
    clause: 'Authentication, 2.5: the jti claim is unique (a repeated jti is not acceptable).',
  },
  'exp is before the last purge': {
    title: 'Token expires before the last purge of used tokens',
    clause:
      'Decision 28: a token that expires no later than the purged replay records is rejected, even if it was never used.',
  },
} as const satisfies Record<string, Rejection>

export type RejectionReason = keyof typeof rejectionTable
export const rejectionReasons = Object.keys(rejectionTable) as readonly RejectionReason[]

/** Why the token of a third party, or its proof of possession, is rejected, in plain words. */
export const thirdPartyRejectionTitles = {
  'no token': rejectionTable['no token'].title,
  'unknown token': 'Token is unknown, or has ended',
  'wrong scheme': 'Token was sent with the wrong scheme',
  'no proof': 'No proof of possession',
  'invalid proof': 'Proof of possession is not valid',
  'replayed proof': 'Proof of possession was used before',
  'wrong key': 'Token belongs to another key',
  'wrong certificate': 'Token belongs to another certificate',
  'missing scope': 'Token does not have the scope',
} as const
