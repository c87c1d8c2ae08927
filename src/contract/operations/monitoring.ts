import { rejectionsMax, storedRefusalsMax, storedRejectionsMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { described, optional } from '../record.ts'
import { MetricsSample, RejectionList, RejectionMatches } from '../records/monitoring.ts'
import { PlatformStatus } from '../records/status.ts'
import { UsageHistory } from '../records/usage.ts'
import { Flag, Id, Uuid } from '../scalars.ts'
import { Type } from '../type.ts'
import { usageRangeNames } from '../usage-definitions.ts'
import { plain } from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'platform',
  tag: 'monitoring',
  protection: 'clientToken',
  scope: 'operations.read',
  method: 'GET',
} as const

export const getStatus = {
  ...common,
  ref: 'O1',
  path: '/v1/status',
  summary: 'Get the status',
  description:
    'Returns what runs, with versions and health, and how much the database of the platform contains.',
  response: PlatformStatus,
} as const satisfies Operation

export const streamMetrics = {
  ...common,
  ref: 'O2',
  path: '/v1/metrics/stream',
  summary: 'Stream the metrics of the servers',
  description:
    'Sends server-sent events: first the samples of the last 10 minutes, then a `sample` every second. Each process takes a sample every 10 seconds while no client reads, from some seconds after its start. The event `end` has the `reason` for which the server closes the stream: `unauthorized` if the token or the session has ended, `shutdown` if the server stops. A client that does not read is disconnected.',
  events: MetricsSample,
  result: 'A stream of events. The data of each `sample` is a `MetricsSample`.',
} as const satisfies Operation

export const listRejections = {
  ...common,
  ref: 'O3',
  path: '/v1/rejections',
  summary: 'List the rejected requests of the last hour',
  description: `Returns the latest ${rejectionsMax} requests with a status of 400 or more, and how many were rejected for each reason. With \`refused=true\`, only refusals of the last 24 hours. While its metrics are on, each process stores its last ${storedRefusalsMax} refusals of each circumstance and its last ${storedRejectionsMax} other rejected requests.`,
  query: Type.Object({
    reason: optional(
      Type.String({ minLength: 1, maxLength: 200 }),
      'Only requests that were rejected for this reason.',
    ),
    refused: optional(
      Flag,
      'true: only requests for which the provider refused to share, of the last 24 hours instead of the last hour.',
    ),
    tools: described(
      Type.Boolean({ default: true }),
      'false: without requests of the console and of checks.',
    ),
  }),
  response: RejectionList,
} as const satisfies Operation

export const findRejections = {
  ...common,
  ref: 'O4',
  path: '/v1/rejections/{interactionId}',
  summary: 'Find the rejected requests with an interaction id',
  description:
    'Returns why the requests of the last hour with this interaction id were rejected, or the refusals of the last 24 hours. The list is empty if no request was rejected.',
  params: Type.Object({
    interactionId: described(Uuid, 'The `x-fapi-interaction-id` of the response.'),
  }),
  response: RejectionMatches,
  errors: ['invalid_request'],
} as const satisfies Operation

export const getUsage = {
  ...common,
  ref: 'O8',
  path: '/v1/usage',
  summary: 'Get the calls of third parties over time',
  description:
    'Returns how many calls there were in each minute of the last 10 minutes or hour, each hour of the last 24 hours, or each day of the last 30 days, how fast they were answered, how consent flows ended, and when servers were started, data was loaded, keys changed or the platform was not available. Calls are counted by every process of the platform, whether or not a client reads them.',
  query: Type.Object({
    range: described(
      Type.Enum([...usageRangeNames], { default: '1h' }),
      'How far back the numbers go.',
    ),
    operation: optional(
      Type.String({ minLength: 1, maxLength: 64 }),
      'Only calls of the operation with this name. Consent flows are not affected.',
    ),
    'third-party': optional(Id, 'Only calls and consent flows of the third party with this id.'),
  }),
  response: UsageHistory,
} as const satisfies Operation
