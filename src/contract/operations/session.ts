import type { Operation } from '../operation.ts'
import { Session, SessionRequest, SessionState } from '../records/session.ts'
import { plain } from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'platform',
  tag: 'access',
  protection: 'none',
  path: '/v1/session',
} as const

export const createSession = {
  ...common,
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
  ...common,
  ref: 'T4',
  method: 'GET',
  summary: 'Get the session of the browser',
  description: 'Returns the session of the cookie, if there is one and it has not ended.',
  response: SessionState,
} as const satisfies Operation

export const deleteSession = {
  ...common,
  ref: 'T5',
  method: 'DELETE',
  summary: 'Sign out',
  description: 'Ends the session of the cookie. Its token is not accepted any more.',
  status: 204,
  result: 'There is no session now. The response has no body.',
  headers: ['Set-Cookie'],
  errors: ['cross_site_request'],
} as const satisfies Operation
