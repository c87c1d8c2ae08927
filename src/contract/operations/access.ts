import type { Operation } from '../operation.ts'
import { KeySet, TokenForm, TokenRequest, TokenResponse } from '../records/access.ts'
import { Session, SessionRequest, SessionState } from '../records/session.ts'
import { plain } from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'platform',
  tag: 'access',
  protection: 'none',
} as const

export const issueToken = {
  ...common,
  ref: 'T1',
  method: 'POST',
  path: '/v1/token',
  summary: 'Get a token of an API client',
  description:
    'Accepts the credentials as JSON, or an OAuth 2.0 client credentials grant as a form, with the credentials in the form or as HTTP Basic.',
  body: TokenRequest,
  form: TokenForm,
  response: TokenResponse,
  headers: ['Pragma'],
  errors: [
    'wrong_credentials',
    'oauth_invalid_request',
    'oauth_unsupported_grant',
    'oauth_invalid_scope',
    'oauth_invalid_client',
  ],
} as const satisfies Operation

export const getKeySet = {
  ...common,
  ref: 'T2',
  method: 'GET',
  path: '/.well-known/jwks.json',
  summary: 'Get the public keys of the platform',
  description:
    'Returns the keys that data providers verify platform tokens with, as a JSON Web Key Set.',
  response: KeySet,
} as const satisfies Operation

const session = { ...common, path: '/v1/session' } as const

export const createSession = {
  ...session,
  ref: 'T3',
  method: 'POST',
  summary: 'Sign in with a browser',
  description:
    'Sets a cookie that operations accept instead of the token of an API client. A request with this cookie that changes something must also send `csrf_token` as `X-CSRF-Token`.',
  body: SessionRequest,
  status: 201,
  response: Session,
  headers: ['Set-Cookie'],
  errors: ['unauthorized', 'cross_site_request'],
} as const satisfies Operation

export const getSession = {
  ...session,
  ref: 'T4',
  method: 'GET',
  summary: 'Get the session of the browser',
  description: 'Returns the session of the cookie, if there is one and it has not ended.',
  response: SessionState,
} as const satisfies Operation

export const deleteSession = {
  ...session,
  ref: 'T5',
  method: 'DELETE',
  summary: 'Sign out',
  description: 'Ends the session of the cookie. Its token is not accepted any more.',
  status: 204,
  result: 'There is no session now. The response has no body.',
  headers: ['Set-Cookie'],
  errors: ['cross_site_request'],
} as const satisfies Operation
