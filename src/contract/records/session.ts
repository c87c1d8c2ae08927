import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Email, Id, Text, Timestamp } from '../scalars.ts'
import { scopes } from '../scopes.ts'
import { Type } from '../type.ts'
import { TokenRequest } from './access.ts'

const { client_id, client_secret } = TokenRequest.properties

export type SessionRequest = Static<typeof SessionRequest>
export const SessionRequest = record(
  'SessionRequest',
  {},
  { client_id, client_secret },
  {
    description: 'The credentials of an API client. Only the demo accepts a request without them.',
  },
)

export type Session = Static<typeof Session>
export const Session = record(
  'Session',
  {
    client_id: Id,
    client_name: described(Text, 'The name of the API client.'),
    scopes: described(Type.Array(Type.Enum([...scopes])), 'What the session permits.'),
    expires: described(Timestamp, 'When the session ends.'),
    csrf_token: described(Text, 'Every request that changes something sends it as `X-CSRF-Token`.'),
  },
  {
    example_emails: described(
      Type.Array(Email),
      'E-mail addresses of synthetic customers to try `callProvider` with. Only in the demo, and with the scope data.read.',
    ),
  },
  { description: 'The session of a browser.' },
)

/** Parts of a platform that depend on its settings. */
export const features = ['demo', 'consent', 'explorer', 'checks', 'metrics'] as const
export type Feature = (typeof features)[number]

export type SessionState = Static<typeof SessionState>
export const SessionState = record(
  'SessionState',
  {
    features: described(
      Type.Array(Type.Enum([...features])),
      'The parts that this platform has. `demo`: a session needs no credentials.',
    ),
  },
  { session: Session },
  { description: 'Whether the caller has a session, and what the platform offers.' },
)
