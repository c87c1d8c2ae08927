import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Text } from '../scalars.ts'
import { Type } from '../type.ts'

export type ExplorerHeader = Static<typeof ExplorerHeader>
export const ExplorerHeader = record(
  'ExplorerHeader',
  { name: described(Text, 'In lower case.'), value: Text },
  {},
  { description: 'A header of a request or a response.' },
)

const ExplorerRequest = record(
  'ExplorerRequest',
  {
    method: Text,
    url: described(Text, 'The whole URL, with the query.'),
    headers: described(
      Type.Array(ExplorerHeader),
      'The headers that the platform sets. The token is replaced by three dots.',
    ),
  },
  { body: described(Text, 'The body as it was sent.') },
  { description: 'The request that the platform sent to the provider.' },
)

const ExplorerResponse = record(
  'ExplorerResponse',
  {
    status: described(Count, 'The HTTP status.'),
    headers: Type.Array(ExplorerHeader),
    body: described(Text, 'The body as it was received. Empty: the response has no body.'),
  },
  {},
  { description: 'The response of the provider, whatever its status is.' },
)

const ExplorerProvider = record(
  'ExplorerProvider',
  {
    providerUrl: described(Text, 'The base URL of the provider.'),
    resourceUrl: described(Text, 'The base URL of the contact endpoint.'),
    subdomain: described(Text, 'The subdomain of the provider, which tokens contain.'),
  },
  {},
  { description: 'The settings of the platform for calls to the provider.' },
)

export type ExplorerResult = Static<typeof ExplorerResult>
export const ExplorerResult = record(
  'ExplorerResult',
  {
    request: ExplorerRequest,
    response: ExplorerResponse,
    provider: ExplorerProvider,
    durationMs: described(
      Type.Number({ minimum: 0 }),
      'The time from the request to the end of the response, in milliseconds.',
    ),
  },
  {},
  { description: 'A call of an operation of the provider, as it was sent and answered.' },
)
