import Type from 'typebox'
import type { Operation } from '../operation.ts'
import { KeySet, TokenForm, TokenRequest, TokenResponse } from '../records/access.ts'
import { noQuery } from './shared-parameters.ts'

const common = {
  base: 'platform',
  tag: 'access',
  protection: 'none',
  params: Type.Object({}),
  query: noQuery,
  status: 200,
} as const

export const issueToken = {
  ...common,
  ref: 'T1',
  method: 'POST',
  path: '/v1/token',
  summary: 'Get a token for the catalogue',
  description:
    'Takes the credentials as JSON, or the client credentials grant of OAuth 2.0 as a form, with the credentials in it or as HTTP Basic.',
  body: TokenRequest,
  form: TokenForm,
  response: TokenResponse,
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
  summary: 'Read the platform’s public keys',
  response: KeySet,
  headers: { 'Cache-Control': 'How long it may be kept.' },
  errors: [],
} as const satisfies Operation
