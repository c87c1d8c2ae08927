import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Text } from '../scalars.ts'
import { scopes } from '../scopes.ts'
import { Type } from '../type.ts'

const credentials = {
  client_id: described(Text, 'The id that `holdfast client add` printed.'),
  client_secret: described(Text, 'The secret that `holdfast client add` printed.'),
}
const scope = described(
  Text,
  `The requested scopes, separated by spaces: ${scopes.join(', ')}. Default: all scopes of the client.`,
)

export type TokenRequest = Static<typeof TokenRequest>
export const TokenRequest = record('TokenRequest', {
  description: 'The credentials of an API client.',
  required: credentials,
  optional: { scope },
})

export type TokenForm = Static<typeof TokenForm>
export const TokenForm = record('TokenForm', {
  description:
    'An OAuth 2.0 client credentials grant. The credentials are in the form or in HTTP Basic, not both.',
  required: {
    grant_type: described(Type.Enum(['client_credentials']), 'The only supported grant.'),
  },
  optional: { ...credentials, scope },
})

const expiry = described(Count, 'The lifetime of the token in seconds.')

export type TokenResponse = Static<typeof TokenResponse>
export const TokenResponse = record('TokenResponse', {
  description: 'A token for the operations that require one.',
  required: {
    token: described(Text, 'The token to send as `Authorization: Bearer …`.'),
    expires_in: expiry,
  },
  optional: {
    access_token: described(Text, 'The same token. Only in the response to a form.'),
    token_type: described(Type.Enum(['Bearer']), 'Only in the response to a form.'),
    scope: described(Text, 'The scopes of the token. Only in the response to a form.'),
  },
})

const text = Type.Optional(Text)

const PublicKey = Type.Object(
  {
    kty: Text,
    kid: Text,
    alg: Text,
    use: Text,
    crv: text,
    x: text,
    y: text,
    n: text,
    e: text,
  },
  {
    name: 'PublicKey',
    description: 'A public JSON Web Key (RFC 7517). Its members depend on the key type.',
  },
)

export const KeySet = record('KeySet', {
  description: 'The public keys of the platform’s tokens (RFC 7517).',
  required: { keys: Type.Array(PublicKey) },
})
