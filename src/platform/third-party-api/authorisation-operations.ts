import { metadataPaths, openidPaths, revocationPath } from '../consent/paths.ts'
import { answers, forms, oauthError } from './authorisation-schemas.ts'
import type { Schema } from './components.ts'
import type { HeaderName } from './headers.ts'
import type { ApiOperation, ApiResponse, Content, Security } from './operation.ts'
import { interactionParameter } from './parameters.ts'

const pageHeaders: readonly HeaderName[] = [
  'x-fapi-interaction-id',
  'Cache-Control',
  'Content-Security-Policy',
  'Referrer-Policy',
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Vary',
]

const unexpected = 'An error of the server.'

/** The endpoints of OAuth, OpenID Connect and the arrangement revocation. */
export function listAuthorisationOperations(): ApiOperation[] {
  const [discovery, oauthMetadata] = metadataPaths
  const metadata = { schema: answers.metadata, description: 'The metadata.' }
  return [
    readPublic('getOpenidConfiguration', discovery, 'Get the metadata for OpenID Connect', {
      ...metadata,
      about: 'Returns the endpoints, scopes and algorithms of the platform.',
    }),
    readPublic('getOauthMetadata', oauthMetadata, 'Get the metadata for OAuth', {
      ...metadata,
      about:
        'Returns the same as `getOpenidConfiguration`. If the issuer has a path, that path follows the well-known part too (RFC 8414).',
    }),
    readPublic('getPublicKeys', openidPaths.jwks, 'Get the keys of ID tokens', {
      schema: answers.keys,
      description: 'The public keys.',
      about: 'Returns the keys that ID tokens are verified with, as a JSON Web Key Set.',
    }),
    post('pushRequest', openidPaths.pushed_authorization_request, 'client', {
      summary: 'Push a request for consent',
      description: `Stores an authorization request (RFC 9126). The browser of the customer then opens \`${openidPaths.authorization}\` with \`client_id\` and \`request_uri\`, and returns to the redirect URI with a code. A request with a DPoP proof binds the code to its key.`,
      form: forms.pushed,
      responses: { 201: succeed('The request was stored.', answers.pushed), ...failures },
    }),
    post('requestTokens', openidPaths.token, 'boundClient', {
      summary: 'Request tokens',
      description:
        'Exchanges a code for the tokens of a consent, or a refresh token for a new access token. The tokens are bound to the key of the DPoP proof (RFC 9449) or to the client certificate (RFC 8705).',
      form: forms.token,
      responses: { 200: succeed('The tokens.', answers.tokens), ...failures },
    }),
    post('introspectToken', openidPaths.introspection, 'client', {
      summary: 'Introspect a token',
      description:
        'Returns whether a token of the third party is active (RFC 7662). In the profile `cds`, only refresh tokens are.',
      form: forms.tokenReference,
      responses: { 200: succeed('The state of the token.', answers.introspection), ...failures },
    }),
    post('revokeToken', openidPaths.revocation, 'client', {
      summary: 'Revoke a token',
      description:
        'Ends a token of the third party (RFC 7009). In the profile `plain`, the end of a refresh token withdraws the consent.',
      form: forms.tokenReference,
      responses: {
        200: {
          description: 'The token is not active. The response has no body.',
          headers: pageHeaders,
        },
        ...failures,
      },
    }),
    {
      ...post('revokeArrangement', revocationPath, 'client', {
        summary: 'Withdraw a consent',
        description: 'Ends a consent of the third party and all its tokens at once.',
        form: forms.arrangement,
        responses: {
          204: {
            description: 'The consent has ended. The response has no body.',
            headers: ['x-fapi-interaction-id', 'Cache-Control'],
          },
          401: {
            description: 'The authentication of the third party failed.',
            headers: ['x-fapi-interaction-id', 'Cache-Control'],
            content: toContent(oauthError),
          },
        },
      }),
      reference: 'arrangement-revocation',
      errors: [
        'missingField',
        'bodyTooLarge',
        'unsupportedMediaType',
        'invalidArrangement',
        'unexpected',
        'unavailable',
      ],
    },
    ...(['GET', 'POST'] as const).map((method) => readUserInfo(method)),
  ]
}

function readUserInfo(method: 'GET' | 'POST'): ApiOperation {
  return {
    id: method === 'GET' ? 'getUserInfo' : 'postUserInfo',
    method,
    path: openidPaths.userinfo,
    tag: 'authorisation',
    summary: 'Get the claims of the customer',
    description:
      'Returns the claims of the scopes `profile`, `email`, `phone` and `address` (OpenID Connect). ID tokens have none of them.',
    reference: 'openid',
    security: { scope: 'openid' },
    parameters: [interactionParameter],
    responses: {
      200: succeed('The claims.', answers.userInfo),
      ...fail({
        400: 'The request has no token, or several.',
        401: 'The token or its proof is invalid.',
        403: 'The token does not have the scope `openid`.',
        500: unexpected,
        503: 'The provider or the database does not respond.',
      }),
    },
    errors: [],
  }
}

function readPublic(
  id: string,
  path: string,
  summary: string,
  { schema, description, about }: { schema: Described; description: string; about: string },
): ApiOperation {
  return {
    id,
    method: 'GET',
    path,
    tag: 'authorisation',
    summary,
    description: `${about} No token is required.`,
    reference: 'openid',
    security: 'none',
    parameters: [interactionParameter],
    responses: {
      200: succeed(description, schema),
      ...fail({ 500: unexpected, 503: 'The database does not respond.' }),
    },
    errors: [],
  }
}

interface Described {
  readonly schema: Schema
  readonly example: unknown
}

function post(
  id: string,
  path: string,
  security: Security,
  described: Pick<ApiOperation, 'summary' | 'description' | 'responses'> & { form: Described },
): ApiOperation {
  return {
    id,
    method: 'POST',
    path,
    tag: 'authorisation',
    reference: 'openid',
    security,
    parameters: [interactionParameter],
    errors: [],
    ...described,
    form: toContent(described.form),
  }
}

function toContent({ schema, example }: Described): Content {
  return { schemas: [{ version: 1, schema }], example }
}

function succeed(description: string, described: Described): ApiResponse {
  return { description, headers: pageHeaders, content: toContent(described) }
}

function fail(failed: Readonly<Record<number, string>>): ApiOperation['responses'] {
  return Object.fromEntries(
    Object.entries(failed).map(([status, description]): [string, ApiResponse] => [
      status,
      {
        description,
        headers: [
          ...pageHeaders,
          ...(status === '401' || status === '403' ? (['WWW-Authenticate'] as const) : []),
          ...(status === '503' ? (['Retry-After'] as const) : []),
        ],
        content: toContent(oauthError),
      },
    ]),
  )
}

const failures = fail({
  400: 'The request is invalid; `error` says why.',
  401: 'The authentication of the third party failed.',
  500: unexpected,
  503: 'The database does not respond.',
})
