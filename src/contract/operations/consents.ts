import Type from 'typebox'
import { cursorLengthMax, pageSizeDefault, pageSizeMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { described } from '../record.ts'
import { ConsentList } from '../records/consents.ts'
import { Timestamp } from '../scalars.ts'

export const listConsents = {
  base: 'platform',
  tag: 'consents',
  protection: 'clientToken',
  scope: 'consent.read',
  ref: 'S1',
  method: 'GET',
  path: '/v1/consents',
  summary: 'List the consents of customers',
  description:
    'Returns consents in the order of their last change, for the systems of the data provider. A consent whose sharing has ended is recorded as expired by this request. To follow changes, repeat the request with the latest `updated` of the previous responses, minus a minute: changes of several processes may become visible in another order than that of their times.',
  params: Type.Object({}),
  query: Type.Object({
    'updated-after': Type.Optional(
      described(Timestamp, 'Only consents whose last change was recorded after this time.'),
    ),
    cursor: Type.Optional(
      described(
        Type.String({ minLength: 1, maxLength: cursorLengthMax }),
        'The `next` of the previous page, with the other parameters unchanged.',
      ),
    ),
    'page-size': described(
      Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault }),
      'The number of records per page.',
    ),
  }),
  status: 200,
  response: ConsentList,
  errors: [],
} as const satisfies Operation
