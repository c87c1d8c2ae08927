import { idLengthMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { described } from '../record.ts'
import { AccountContact } from '../records/contact.ts'
import { Type } from '../type.ts'
import { plain } from './shared-parameters.ts'

const boundedId = Type.String({ maxLength: idLengthMax })

export const getAccountContact = {
  ...plain,
  ref: 'contact',
  method: 'GET',
  path: '/fdx/v6/customer/{customerId}/accounts/{accountId}/contact',
  base: 'resource',
  protection: 'platformToken',
  tag: 'contact',
  accountKinds: ['banking', 'energy'],
  summary: 'Get the contact details of an account’s holders',
  description:
    'Returns names, e-mail addresses, postal addresses and telephone numbers. The response has an empty body if the status of the account is RESTRICTED.',
  params: Type.Object({
    customerId: described(boundedId, 'The customer who granted consent.'),
    accountId: described(
      boundedId,
      'The id of an account, as returned by `listShareableAccounts`.',
    ),
  }),
  response: AccountContact,
  result:
    'The contact details of the holders of the account, or an empty body if the status of the account is RESTRICTED.',
  mayBeEmpty: true,
  errors: ['invalid_request', 'contact_not_found'],
} as const satisfies Operation
