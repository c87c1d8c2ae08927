import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Email, Id, Text, Timestamp, WebUri } from '../scalars.ts'
import { scopes } from '../scopes.ts'
import { addressKinds, returnPathLengthMax } from '../sign-in.ts'
import { Type } from '../type.ts'
import { TokenRequest } from './access.ts'
import { Actor } from './actor.ts'

const { client_id, client_secret } = TokenRequest.properties

export type SessionRequest = Static<typeof SessionRequest>
export const SessionRequest = record('SessionRequest', {
  description: 'The credentials of an API client. Only the demo accepts a request without them.',
  optional: { client_id, client_secret },
})

export type Session = Static<typeof Session>
export const Session = record('Session', {
  description: 'The session of a browser.',
  required: {
    session_id: described(Id, 'Identifies the session in `listSessions`.'),
    user: Actor,
    scopes: described(
      Type.Array(Type.Enum([...scopes])),
      'What the session permits. Empty if the identity provider gives the person no access.',
    ),
    expires: described(Timestamp, 'When the session ends, unless it is not used before.'),
    csrf_token: described(Text, 'Every request that changes something sends it as `X-CSRF-Token`.'),
  },
  optional: {
    example_emails: described(
      Type.Array(Email),
      'E-mail addresses of synthetic customers to try `callProvider` with. Only in the demo, and with the scope data.read.',
    ),
  },
})

export type IdentityProviderState = Static<typeof IdentityProviderState>
export const IdentityProviderState = record('IdentityProviderState', {
  description: 'The identity provider at which people sign in.',
  required: {
    host: described(Text, 'The host of its issuer.'),
    claim: described(Text, 'The claim that says what a person may do.'),
    is_reachable: described(Type.Boolean(), 'False if its metadata could not be read last time.'),
  },
})

/** Parts of a platform that depend on its settings. */
export const features = ['demo', 'consent', 'explorer', 'checks', 'metrics'] as const
export type Feature = (typeof features)[number]

export type SessionState = Static<typeof SessionState>
export const SessionState = record('SessionState', {
  description: 'Whether the caller has a session, and what the platform offers.',
  required: {
    features: described(
      Type.Array(Type.Enum([...features])),
      'The parts that this platform has. `demo`: a session needs no credentials.',
    ),
    time_zone: described(Text, 'The time zone of the data provider, such as Australia/Sydney.'),
  },
  optional: {
    provider_name: described(Text, 'The name of the data provider, as its customers know it.'),
    identity_provider: described(
      IdentityProviderState,
      'Absent if people cannot sign in at an identity provider.',
    ),
    session: Session,
  },
})

export type SignInRequest = Static<typeof SignInRequest>
export const SignInRequest = record('SignInRequest', {
  description: 'A sign-in at the identity provider.',
  optional: {
    return_to: described(
      Type.String({ maxLength: returnPathLengthMax }),
      'The path of the console to go to afterwards, such as `/console/catalogue`.',
    ),
  },
})

export type SignInStart = Static<typeof SignInStart>
export const SignInStart = record('SignInStart', {
  description: 'Where a sign-in continues.',
  required: { authorization_url: described(WebUri, 'The browser must go there.') },
})

export type SignOut = Static<typeof SignOut>
export const SignOut = record('SignOut', {
  description: 'The end of a session.',
  optional: {
    sign_out_url: described(
      WebUri,
      'Where the browser signs out at the identity provider too. Absent for API clients, and if the identity provider has no such address.',
    ),
  },
})

export type ListedSession = Static<typeof ListedSession>
export const ListedSession = record('ListedSession', {
  description: 'A session of a browser.',
  required: {
    session_id: described(Id, 'Identifies the session.'),
    user: Actor,
    started: described(Timestamp, 'When it began.'),
    used: described(Timestamp, 'When it was used last. It may be a minute later.'),
    expires: described(Timestamp, 'When it ends, unless it is used before.'),
    address: described(
      Type.Enum([...addressKinds]),
      'Where it began: `this_machine`, `private_network` or `internet`.',
    ),
    is_own: described(Type.Boolean(), 'Whether it is the session of the request.'),
  },
})

export type SessionList = Static<typeof SessionList>
export const SessionList = record('SessionList', {
  description: 'The sessions that have not ended.',
  required: {
    data: described(Type.Array(ListedSession), 'Those used last first.'),
    total: described(Count, 'How many there are.'),
  },
})
