import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Text } from '../scalars.ts'
import { Type } from '../type.ts'

export type ExplorerHeader = Static<typeof ExplorerHeader>
export const ExplorerHeader = record('ExplorerHeader', {
  description: 'A header of a request or a response.',
  required: { name: described(Text, 'In lower case.'), value: Text },
})

const ExplorerRequest = record('ExplorerRequest', {
  description: 'The request that the platform sent to the provider.',
  required: {
    method: Text,
    url: described(Text, 'The whole URL, with the query.'),
    headers: described(
      Type.Array(ExplorerHeader),
      'The headers that the platform sets. The token is replaced by three dots.',
    ),
  },
  optional: { body: described(Text, 'The body as it was sent.') },
})

const ExplorerResponse = record('ExplorerResponse', {
  description: 'The response of the provider, whatever its status is.',
  required: {
    status: described(Count, 'The HTTP status.'),
    headers: Type.Array(ExplorerHeader),
    body: described(Text, 'The body as it was received. Empty: the response has no body.'),
  },
})

const ExplorerProvider = record('ExplorerProvider', {
  description: 'The settings of the platform for calls to the provider.',
  required: {
    providerUrl: described(Text, 'The base URL of the provider.'),
    resourceUrl: described(Text, 'The base URL of the contact endpoint.'),
    subdomain: described(Text, 'The subdomain of the provider, which tokens contain.'),
  },
})

export type ExplorerResult = Static<typeof ExplorerResult>
export const ExplorerResult = record('ExplorerResult', {
  description: 'A call of an operation of the provider, as it was sent and answered.',
  required: {
    request: ExplorerRequest,
    response: ExplorerResponse,
    provider: ExplorerProvider,
    durationMs: described(
      Type.Number({ minimum: 0 }),
      'The time from the request to the end of the response, in milliseconds.',
    ),
  },
})
