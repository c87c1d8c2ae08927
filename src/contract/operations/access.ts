import { listedSessionsMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { described } from '../record.ts'
import { KeySet, TokenForm, TokenRequest, TokenResponse } from '../records/access.ts'
import {
  Session,
  SessionList,
  SessionRequest,
  SessionState,
  SignInRequest,
  SignInStart,
  SignOut,
} from '../records/session.ts'
import { Text } from '../scalars.ts'
import { Type } from '../type.ts'
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
  description:
    'Ends the session of the cookie. A person who signed in at the identity provider is still signed in there: the browser can go to `sign_out_url`.',
  response: SignOut,
  result: 'There is no session now.',
  headers: ['Set-Cookie'],
  errors: ['cross_site_request'],
} as const satisfies Operation

export const startSignIn = {
  ...common,
  ref: 'T6',
  method: 'POST',
  path: `${session.path}/sign-in`,
  summary: 'Begin a sign-in at the identity provider',
  description:
    'Returns the address of the identity provider at which the person signs in, and sets a cookie for the way back. The session begins when the browser returns.',
  body: SignInRequest,
  status: 201,
  response: SignInStart,
  headers: ['Set-Cookie'],
  errors: ['cross_site_request', 'not_configured', 'identity_provider_failed'],
} as const satisfies Operation

export const listSessions = {
  ...common,
  ref: 'T7',
  method: 'GET',
  path: '/v1/sessions',
  summary: 'List the sessions of browsers',
  description: `Returns at most ${listedSessionsMax} sessions, those used last first: all of them with the scope operations.read, and those of the same person or client without it. Needs a session.`,
  response: SessionList,
  errors: ['unauthorized'],
} as const satisfies Operation

export const endSession = {
  ...common,
  ref: 'T8',
  method: 'DELETE',
  path: '/v1/sessions/{sessionId}',
  summary: 'End a session',
  description:
    'Ends one of the sessions of the same person or client, or any session with the scope operations.write. Needs a session.',
  params: Type.Object({ sessionId: described(Text, 'The `session_id` in `listSessions`.') }),
  status: 204,
  result: 'The session has ended.',
  errors: [
    'invalid_request',
    'unauthorized',
    'cross_site_request',
    'insufficient_scope',
    'session_not_found',
  ],
} as const satisfies Operation
