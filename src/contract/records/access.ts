import Type, { type Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Text } from '../scalars.ts'

/** What a token lets an API client do. Whoever may write may also read. */
export const scopes = ['products.read', 'products.write'] as const
export type Scope = (typeof scopes)[number]

export function permits(granted: readonly Scope[], needed: string | undefined): boolean {
  return granted.some((scope) => scope === needed || scope === 'products.write')
}

const credentials = {
  client_id: described(Text, 'As `holdfast client add` printed it.'),
  client_secret: described(Text, 'As `holdfast client add` printed it, that once.'),
}
const scope = described(
  Text,
  `The scopes wanted, with blanks between: ${scopes.join(', ')}. All that the client has where it is left out.`,
)

export type TokenRequest = Static<typeof TokenRequest>
export const TokenRequest = record('TokenRequest', credentials, { scope })

export type TokenForm = Static<typeof TokenForm>
export const TokenForm = record(
  'TokenForm',
  { grant_type: described(Type.Enum(['client_credentials']), 'No other grant is known.') },
  { ...credentials, scope },
  {
    description:
      'The client credentials grant of OAuth 2.0. The credentials come here or as HTTP Basic, not both.',
  },
)

const expiry = described(Count, 'For how many seconds it is good.')

export type TokenResponse = Static<typeof TokenResponse>
export const TokenResponse = record(
  'TokenResponse',
  { token: described(Text, 'To send as `Authorization: Bearer …`.'), expires_in: expiry },
  {
    access_token: described(Text, 'The same token, for callers who asked in the form of OAuth.'),
    token_type: described(Type.Enum(['Bearer']), 'As OAuth calls it.'),
    scope: described(Text, 'The scopes that it has, for callers who asked in the form of OAuth.'),
  },
)

const text = Type.Optional(Text)

/** A public key as RFC 7517 writes it. Which members there are depends on its kind. */
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
  { name: 'PublicKey' },
)

export const KeySet = record(
  'KeySet',
  { keys: Type.Array(PublicKey) },
  {},
  { description: 'The keys that the platform signs its tokens with (RFC 7517).' },
)
