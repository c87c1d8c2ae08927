import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Id, Text } from '../scalars.ts'

/** Who does something at the platform. */
export type Actor = Static<typeof Actor>
export const Actor = record('Actor', {
  description: 'A person who signed in at the identity provider, an API client, or a command.',
  required: {
    id: described(
      Id,
      'The subject of the person, the id of the API client, or the name of the command.',
    ),
    name: described(Text, 'The name at that time.'),
  },
  optional: {
    issuer: described(Text, 'The identity provider of the person. Absent for others.'),
  },
})
