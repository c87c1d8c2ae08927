import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Email, Id, Text, Timestamp } from '../scalars.ts'
import { scopes } from '../scopes.ts'
import { Type } from '../type.ts'
import { TokenRequest } from './access.ts'

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
    client_id: Id,
    client_name: described(Text, 'The name of the API client.'),
    scopes: described(Type.Array(Type.Enum([...scopes])), 'What the session permits.'),
    expires: described(Timestamp, 'When the session ends.'),
    csrf_token: described(Text, 'Every request that changes something sends it as `X-CSRF-Token`.'),
  },
  optional: {
    example_emails: described(
      Type.Array(Email),
      'E-mail addresses of synthetic customers to try `callProvider` with. Only in the demo, and with the scope data.read.',
    ),
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
    session: Session,
  },
})
