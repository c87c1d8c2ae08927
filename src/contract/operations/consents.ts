import { flowDays, flowStates } from '../consent-flows.ts'
import { consentStatuses } from '../consent-statuses.ts'
import { cursorLengthMax, flowPageSizeMax, pageSizeDefault } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { pageQuery } from '../paging.ts'
import { described, optional } from '../record.ts'
import { ConsentDetail, ConsentFlowList, ConsentList } from '../records/consents.ts'
import { CorrectionNoticeList } from '../records/corrections.ts'
import { DescribedRecordList } from '../records/described-record.ts'
import { ReportState } from '../records/reports.ts'
import { DateOrDateTime, Id, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { plain } from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'platform',
  tag: 'consents',
  protection: 'clientToken',
  scope: 'consent.read',
} as const

const cursor = optional(
  Type.String({ minLength: 1, maxLength: cursorLengthMax }),
  'The `next` of the previous page, with the other parameters unchanged.',
)

export const listConsents = {
  ...common,
  ref: 'S1',
  method: 'GET',
  path: '/v1/consents',
  summary: 'List the consents of customers',
  description:
    'Returns consents in the order of their last change, the oldest change first unless `order` is `newest`, for the systems of the data provider. A consent whose sharing has ended is recorded as expired by this request. To follow changes, repeat the request with the latest `updated` of the previous responses, minus a minute: changes of several processes may become visible in another order than that of their times.',
  query: Type.Object({
    status: optional(Type.Enum([...consentStatuses]), 'Only consents with this status.'),
    'third-party': optional(Id, 'Only consents for the third party with this id.'),
    customer: optional(Id, 'Only consents of the customer with this id.'),
    order: described(
      Type.Enum(['oldest', 'newest'], { default: 'oldest' }),
      'Which changes come first. With `newest`, a consent that changes between two pages moves to the first one.',
    ),
    'updated-after': optional(
      Timestamp,
      'Only consents whose last change was recorded after this time.',
    ),
    cursor,
    'page-size': pageQuery['page-size'],
  }),
  response: ConsentList,
} as const satisfies Operation

const params = Type.Object({
  consentId: described(Text, 'The `consentId` in the response of `listConsents`.'),
})

export const getConsent = {
  ...common,
  ref: 'S2',
  method: 'GET',
  path: '/v1/consents/{consentId}',
  summary: 'Read a consent with its history',
  description:
    'Returns what the customer agreed to share, when and why the status changed, the state of each account with its reason, what amendments changed, and when data was disclosed. Consents are kept for seven years after their end.',
  params,
  response: ConsentDetail,
  errors: ['consent_not_found'],
} as const satisfies Operation

export const withdrawConsent = {
  ...common,
  scope: 'consent.write',
  ref: 'S3',
  method: 'POST',
  path: '/v1/consents/{consentId}/withdraw',
  summary: 'Withdraw a consent',
  description:
    'Ends the sharing and all tokens of the consent in one transaction: the next request of the third party is rejected. `getConsent` then has a change with the reason `operator`. A consent that has already ended stays as it is, and the response is the same, so a request whose response was lost can be repeated. A withdrawn consent cannot be restored: the customer has to give a new one.',
  params,
  status: 204,
  result: 'The consent has ended.',
  errors: ['consent_not_found', 'invalid_request'],
} as const satisfies Operation

export const listConsentFlows = {
  ...common,
  ref: 'S4',
  method: 'GET',
  path: '/v1/consent-flows',
  summary: 'List consent flows with their steps',
  description: `Returns the consent flows of the last ${flowDays} days, the latest start first, to find out why customers do not arrive at a consent. A step says what happened and has no data of the customer. Rejected authorization requests of third parties are flows with one step; beyond 20, at most one per minute is recorded for each third party and process.`,
  query: Type.Object({
    state: optional(Type.Enum([...flowStates]), 'Only flows in this state.'),
    cursor,
    'page-size': described(
      Type.Integer({ minimum: 1, maximum: flowPageSizeMax, default: pageSizeDefault }),
      'The number of flows per page.',
    ),
  }),
  response: ConsentFlowList,
} as const satisfies Operation

export const listCustomerRecords = {
  ...common,
  ref: 'S5',
  method: 'GET',
  path: '/v1/customers/{customerId}/records',
  summary: 'List what was shared of a customer',
  description:
    'Returns the disclosure records of a customer in the words in which the customer reads them at `/consents/records`, newest first, for a copy that the customer asks for. A page has a varying number of records.',
  params: Type.Object({ customerId: described(Id, 'The `customerId` of a consent.') }),
  query: Type.Object({ cursor }),
  response: DescribedRecordList,
  errors: ['invalid_request', 'not_configured'],
} as const satisfies Operation

export const getReport = {
  ...common,
  ref: 'S6',
  method: 'GET',
  path: '/v1/reports/{period}',
  summary: 'Get the report of half a year to the regulator',
  description:
    'Returns the report that `holdfast report` writes. The records are counted in the background of the process that receives the request, after those of other periods: repeat the request until the response has a `report`. A process counts the records of a period that has ended once.',
  params: Type.Object({
    period: described(
      Text,
      'Half a year, such as 2026-H1 (January to June) or 2026-H2 (July to December), in the time zone of the platform. It must have begun, and its records must be kept.',
    ),
  }),
  response: ReportState,
  errors: ['invalid_request'],
} as const satisfies Operation

export const listCorrectionNotices = {
  ...common,
  ref: 'S7',
  method: 'GET',
  path: '/v1/correction-notices',
  summary: 'List the notices of corrections',
  description:
    'Returns which third parties can have received data that was corrected since, under which consent and when, in the order of the corrections. Corrections are those of loads and feeds in the database of the platform; if the provider has another one, use `holdfast data corrections` and `holdfast records corrections`. Times are in the time zone of the platform, in which days begin. A page can have fewer notices than `page-size`, or a few more: the next one follows as long as there is a `next`.',
  query: Type.Object({
    since: optional(DateOrDateTime, 'Corrections from this day or time on.'),
    until: optional(DateOrDateTime, 'Corrections before this day or time.'),
    'third-party': optional(Id, 'Only notices about the third party with this id.'),
    customer: optional(Id, 'Only notices to the customer with this id.'),
    cursor,
    'page-size': pageQuery['page-size'],
  }),
  response: CorrectionNoticeList,
} as const satisfies Operation
