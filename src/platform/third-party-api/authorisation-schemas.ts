import { revocationPath } from '../consent/paths.ts'
import type { Schema } from './components.ts'

/** The bodies of the endpoints with which a third party authenticates. */

const text = { type: 'string' } as const
const link = { type: 'string', format: 'uri' } as const
const texts = { type: 'array', items: text } as const
const seconds = { type: 'integer', minimum: 0 } as const

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** `private_key_jwt`, in every form. */
const clientFields = {
  client_id: text,
  client_assertion_type: { type: 'string', pattern: `^${assertionType}$` },
  client_assertion: text,
} as const
const clientRequired = ['client_assertion_type', 'client_assertion']
const clientExample = {
  client_id: '9d2f4f57-5b43-4c38-a1c5-3e9a2c3f0e11',
  client_assertion_type: assertionType,
  client_assertion: 'eyJhbGciOiJQUzI1NiIsImtpZCI6ImtleS0xIn0.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl',
}

function form(
  title: string,
  description: string,
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  return {
    title,
    description,
    type: 'object',
    properties: { ...required, ...optional, ...clientFields },
    required: [...Object.keys(required), ...clientRequired],
  }
}

/** Each form, with an example. */
export const forms = {
  pushed: {
    schema: {
      description:
        'The parameters of the request; in the profile `cds` inside a signed request object.',
      anyOf: [
        form(
          'PushedParameters',
          'The request of a third party of the profile `plain`.',
          {
            response_type: { type: 'string', pattern: '^code$' },
            redirect_uri: link,
            scope: text,
            code_challenge: text,
            code_challenge_method: { type: 'string', pattern: '^S256$' },
          },
          {
            state: text,
            nonce: text,
            sharing_duration: { type: 'string', pattern: '^\\d{1,15}$' },
            claims: text,
            dpop_jkt: text,
          },
        ),
        form(
          'PushedRequestObject',
          'The request of a third party of the profile `cds`: a JWT with the same parameters as claims (RFC 9101).',
          { request: text },
        ),
      ],
    },
    example: {
      response_type: 'code',
      redirect_uri: 'https://budget.example/callback',
      scope: 'openid bank:accounts.basic:read',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      nonce: 'n-0S6_WzA2Mj',
      state: 'af0ifjsldkj',
      sharing_duration: '31536000',
      ...clientExample,
    },
  },
  token: {
    schema: {
      description: 'The exchange of a code, or a refresh.',
      anyOf: [
        form('CodeExchange', 'The exchange of an authorization code, which works once.', {
          grant_type: { type: 'string', pattern: '^authorization_code$' },
          code: text,
          code_verifier: text,
          redirect_uri: link,
        }),
        form('TokenRefresh', 'The request of a new access token.', {
          grant_type: { type: 'string', pattern: '^refresh_token$' },
          refresh_token: text,
        }),
      ],
    },
    example: {
      grant_type: 'authorization_code',
      code: 'SplxlOBeZQQYbYS6WxSbIA',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      redirect_uri: 'https://budget.example/callback',
      ...clientExample,
    },
  },
  tokenReference: {
    schema: form(
      'TokenReference',
      'A token of the third party.',
      { token: text },
      { token_type_hint: text },
    ),
    example: { token: '8xLOxBtZp8', ...clientExample },
  },
  arrangement: {
    schema: form('ArrangementReference', 'A consent of the third party.', {
      cdr_arrangement_id: text,
    }),
    example: { cdr_arrangement_id: '4b4e1d6c-0f6d-4bb0-8e8f-1d2a7f3f9b52', ...clientExample },
  },
} as const satisfies Record<string, { readonly schema: Schema; readonly example: unknown }>

/** Each response, with an example. */
export const answers = {
  metadata: {
    schema: {
      title: 'ProviderMetadata',
      description:
        'The metadata of the platform (OpenID Connect Discovery, RFC 8414). It may have other fields.',
      type: 'object',
      properties: {
        issuer: link,
        authorization_endpoint: link,
        pushed_authorization_request_endpoint: link,
        token_endpoint: link,
        introspection_endpoint: link,
        revocation_endpoint: link,
        cdr_arrangement_revocation_endpoint: link,
        userinfo_endpoint: link,
        jwks_uri: link,
        scopes_supported: texts,
        claims_supported: texts,
        acr_values_supported: texts,
        response_types_supported: texts,
        response_modes_supported: texts,
        grant_types_supported: texts,
        subject_types_supported: texts,
        code_challenge_methods_supported: texts,
        id_token_signing_alg_values_supported: texts,
        token_endpoint_auth_methods_supported: texts,
        token_endpoint_auth_signing_alg_values_supported: texts,
        dpop_signing_alg_values_supported: texts,
        require_pushed_authorization_requests: { type: 'boolean' },
        tls_client_certificate_bound_access_tokens: { type: 'boolean' },
      },
      required: [
        'issuer',
        'authorization_endpoint',
        'pushed_authorization_request_endpoint',
        'token_endpoint',
        'cdr_arrangement_revocation_endpoint',
        'userinfo_endpoint',
        'jwks_uri',
        'scopes_supported',
      ],
      additionalProperties: true,
    },
    example: {
      issuer: 'https://platform.example',
      authorization_endpoint: 'https://platform.example/oidc/authorize',
      pushed_authorization_request_endpoint: 'https://platform.example/oidc/par',
      token_endpoint: 'https://platform.example/oidc/token',
      cdr_arrangement_revocation_endpoint: `https://platform.example${revocationPath}`,
      userinfo_endpoint: 'https://platform.example/oidc/userinfo',
      jwks_uri: 'https://platform.example/oidc/jwks',
      scopes_supported: ['openid', 'bank:accounts.basic:read'],
    },
  },
  keys: {
    schema: {
      title: 'KeySet',
      description: 'The public keys of ID tokens and of messages of the platform (RFC 7517).',
      type: 'object',
      properties: {
        keys: {
          type: 'array',
          items: {
            title: 'PublicKey',
            description: 'A public key, with the fields of its type (RFC 7518).',
            type: 'object',
            properties: { kty: text, kid: text, alg: text, use: text },
            required: ['kty', 'kid', 'alg', 'use'],
            additionalProperties: true,
          },
        },
      },
      required: ['keys'],
    },
    example: {
      keys: [
        {
          kty: 'EC',
          kid: 'key-1',
          alg: 'ES256',
          use: 'sig',
          crv: 'P-256',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        },
      ],
    },
  },
  pushed: {
    schema: {
      title: 'PushedRequest',
      description: 'The reference to the request.',
      type: 'object',
      properties: { request_uri: text, expires_in: seconds },
      required: ['request_uri', 'expires_in'],
    },
    example: { request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc', expires_in: 90 },
  },
  tokens: {
    schema: {
      title: 'Tokens',
      description: 'The tokens of a consent.',
      type: 'object',
      properties: {
        access_token: text,
        token_type: text,
        expires_in: seconds,
        scope: text,
        id_token: text,
        refresh_token: text,
        cdr_arrangement_id: text,
      },
      required: ['access_token', 'token_type', 'expires_in', 'scope', 'cdr_arrangement_id'],
    },
    example: {
      access_token: '8dJk2mP0Vx3lN8cQeRr7sT1uWzA4dFgHjKkLmNoPqRs',
      token_type: 'DPoP',
      expires_in: 600,
      scope: 'openid bank:accounts.basic:read',
      id_token: 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImtleS0xIn0.eyJpc3MiOiIuLi4ifQ.c2lnbmF0dXJl',
      refresh_token: '8xLOxBtZp8',
      cdr_arrangement_id: '4b4e1d6c-0f6d-4bb0-8e8f-1d2a7f3f9b52',
    },
  },
  introspection: {
    schema: {
      title: 'Introspection',
      description: 'Whether a token is active. Only an active token has the other fields.',
      type: 'object',
      properties: {
        active: { type: 'boolean' },
        client_id: text,
        exp: seconds,
        iat: seconds,
        iss: link,
        scope: text,
        sub: text,
        token_type: text,
        cdr_arrangement_id: text,
      },
      required: ['active'],
      additionalProperties: true,
    },
    example: { active: true, exp: 1826636400, scope: 'openid bank:accounts.basic:read' },
  },
  userInfo: {
    schema: {
      title: 'UserInfo',
      description: 'The customer: `sub`, and the claims of the scopes of the consent.',
      type: 'object',
      properties: {
        sub: text,
        acr: text,
        auth_time: seconds,
        name: text,
        given_name: text,
        family_name: text,
        updated_at: seconds,
        email: text,
        email_verified: { type: 'boolean' },
        phone_number: text,
        phone_number_verified: { type: 'boolean' },
        address: {
          title: 'UserInfoAddress',
          description: 'The mail address of the customer.',
          type: 'object',
          properties: {
            street_address: text,
            locality: text,
            region: text,
            postal_code: text,
            country: text,
          },
        },
      },
      required: ['sub'],
    },
    example: { sub: 'pY2mB0Vx3lN8cQeRr7sT1uWzA4dFgHjKkLmNoPqRsTU', name: 'Ana Silva' },
  },
} as const satisfies Record<string, { readonly schema: Schema; readonly example: unknown }>

export const oauthError = {
  schema: {
    title: 'OAuthError',
    description: 'An error of OAuth 2.0.',
    type: 'object',
    properties: { error: text, error_description: text },
    required: ['error'],
  },
  example: { error: 'invalid_client', error_description: 'client authentication failed' },
} as const satisfies { readonly schema: Schema; readonly example: unknown }
