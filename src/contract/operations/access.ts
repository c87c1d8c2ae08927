import type { Operation } from '../operation.ts'
import { KeySet, TokenForm, TokenRequest, TokenResponse } from '../records/access.ts'
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
