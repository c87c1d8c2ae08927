import { oneOf } from '../enumerations.ts'
import type { Operation } from '../operation.ts'
import { described, record } from '../record.ts'
import { ExplorerResult } from '../records/explorer.ts'
import { Type } from '../type.ts'
import * as banking from './banking.ts'
import * as contact from './contact.ts'
import * as customers from './customers.ts'
import * as energy from './energy.ts'
import { plain } from './shared-parameters.ts'

const providerOperations = { ...banking, ...energy, ...contact, ...customers }
type ProviderOperationId = keyof typeof providerOperations

/** Which parameters and fields are valid depends on the operation. */
const ExplorerCall = record('ExplorerCall', {
  description: 'One call of an operation of the provider.',
  required: {
    operation: described(
      oneOf(Object.keys(providerOperations) as ProviderOperationId[]),
      'The id of an operation of the provider.',
    ),
  },
  optional: {
    params: described(Type.Object({}), 'The path parameters of the operation.'),
    query: described(Type.Object({}), 'The query parameters of the operation that are sent.'),
    body: described(Type.Object({}), 'The request body of the operation, if it has one.'),
  },
})

export const callProvider = {
  ...plain,
  base: 'platform',
  tag: 'explorer',
  protection: 'clientToken',
  scope: 'data.read',
  ref: 'X1',
  method: 'POST',
  path: '/v1/explorer/calls',
  summary: 'Call an operation of the provider',
  description:
    'Signs a single-use token with the newest signing key of the platform, sends the request to the provider of the platform’s settings, and returns both the request and the response. A response with any status is a success of this operation. It is enabled with HOLDFAST_EXPLORER, in demos and sandboxes: in production, a platform reads data only with the consent of the customer.',
  body: ExplorerCall,
  response: ExplorerResult,
  errors: ['explorer_disabled', 'provider_failed', 'provider_timeout'],
} as const satisfies Operation
