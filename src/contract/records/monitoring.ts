import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { refusalCircumstances } from '../refusals.ts'
import { Count, Decimal, Text, Timestamp, Uuid } from '../scalars.ts'
import { toolNames } from '../tools.ts'
import { Type } from '../type.ts'

/** The servers that are observed. */
export const monitoredRoles = ['provider', 'platform', 'intake'] as const
export type MonitoredRole = (typeof monitoredRoles)[number]

const role = described(Type.Enum([...monitoredRoles]), 'The server.')
const perSecond = (description: string) => described(Decimal, description)

export type MetricsSource = Static<typeof MetricsSource>
export const MetricsSource = record('MetricsSource', {
  description: 'Where the figures of a server come from, and whether they could be read.',
  required: {
    role,
    state: described(
      Type.Enum(['ok', 'off', 'unreachable']),
      'Either `ok`, or `off` if no metrics are configured, or `unreachable` if they could not be read.',
    ),
  },
  optional: {
    problem: described(Text, 'Why there are no metrics of this server.'),
    setting: described(Text, 'The setting that provides them.'),
  },
})
const sources = described(Type.Array(MetricsSource), 'One for each server.')

export type RoleRequests = Static<typeof RoleRequests>
export const RoleRequests = record('RoleRequests', {
  description: 'The requests of one server.',
  required: { role, rate: perSecond('Requests per second.') },
})

export type LatencyPercentiles = Static<typeof LatencyPercentiles>
export const LatencyPercentiles = record('LatencyPercentiles', {
  description:
    'Durations of requests in seconds, estimated from the buckets of a histogram. The greatest value is the last bound: 6 in a sample of metrics, and twice the response time of the tier in the history of calls.',
  required: {
    p50: described(Decimal, 'The median.'),
    p95: described(Decimal, 'The 95th percentile.'),
    p99: described(Decimal, 'The 99th percentile.'),
  },
})

export type RejectionRate = Static<typeof RejectionRate>
export const RejectionRate = record('RejectionRate', {
  description: 'Platform tokens that were rejected for one reason.',
  required: {
    reason: described(Text, 'The reason, as in the log.'),
    rate: perSecond('Rejections per second.'),
    total: described(Count, 'Rejections since the first sample of the stream, at most 10 minutes.'),
  },
})

/** The programs whose requests are labelled. */
const tool = described(
  Type.Enum([...toolNames]),
  'The console or a check, if the request says so in its User-Agent, or has the session of the console. Absent for other requests.',
)

export type OtherFigures = Static<typeof OtherFigures>
export const OtherFigures = record('OtherFigures', {
  description: 'The figures without requests of the console and of checks.',
  required: {
    requests: perSecond('Requests per second to all servers, without health probes.'),
    roles: described(Type.Array(RoleRequests), 'Requests by server.'),
    errors: perSecond('Responses per second with a status of 500 or more.'),
    clientErrors: perSecond('Responses per second with a status from 400 to 498.'),
    rejections: described(
      Type.Array(RejectionRate),
      'The rejected platform tokens of the time that the sample covers, by reason.',
    ),
  },
  optional: { latency: described(LatencyPercentiles, 'Absent if no request was completed.') },
})

export type FeedActivity = Static<typeof FeedActivity>
export const FeedActivity = record('FeedActivity', {
  description: 'The batches of a feed.',
  required: {
    feed: described(Text, 'The name of the feed.'),
    batches: perSecond('Committed batches per second.'),
  },
  optional: {
    lag: described(Decimal, 'Seconds since the last batch was committed. Absent if unknown.'),
  },
})

export type MetricsSample = Static<typeof MetricsSample>
export const MetricsSample = record('MetricsSample', {
  description: 'What the servers did since the sample before it.',
  required: {
    time: described(Timestamp, 'The end of the time that the sample covers.'),
    seconds: described(
      Decimal,
      'How long it is: about 1 second, or 10 seconds while no client reads. 0 without metrics.',
    ),
    sources,
    requests: perSecond('Requests per second to all servers, without health probes.'),
    roles: described(
      Type.Array(RoleRequests),
      'Requests by server. In the demo, requests of no operation count only in the total.',
    ),
    errors: perSecond('Responses per second with a status of 500 or more.'),
    clientErrors: perSecond('Responses per second with a status from 400 to 498.'),
    shed: perSecond('Requests per second that were rejected because of overload.'),
    rejections: described(
      Type.Array(RejectionRate),
      'The rejected platform tokens, by reason. Reasons without rejections are left out.',
    ),
    feeds: described(Type.Array(FeedActivity), 'The feeds, sorted by name.'),
  },
  optional: {
    latency: described(LatencyPercentiles, 'Absent if no request was completed.'),
    others: described(
      OtherFigures,
      'Without requests of the console and of checks. Absent if there was none of them.',
    ),
  },
})

const reason = described(Text, 'The reason, as in the log, or the text of the error.')
const explanation = {
  tool,
  code: described(Text, 'The code of the error.'),
  clause: described(Text, 'The sentence of the interface or of a decision that it implements.'),
  setting: described(Text, 'The setting to look at.'),
  circumstance: described(
    Type.Enum([...refusalCircumstances]),
    'Why the provider refused to share. Absent if the response is not a refusal.',
  ),
}

export type Rejection = Static<typeof Rejection>
export const Rejection = record('Rejection', {
  description:
    'A request that was answered with an error. It has nothing of what the client sent, except the interaction id.',
  required: {
    time: described(Timestamp, 'When the response was sent.'),
    interactionId: described(Uuid, 'The `x-fapi-interaction-id` of the response.'),
    role,
    operation: described(Text, 'The reference of the operation, or `none`.'),
    status: described(Count, 'The status; 499 if the client closed the connection first.'),
    reason,
  },
  optional: explanation,
})

export type RejectionCount = Static<typeof RejectionCount>
export const RejectionCount = record('RejectionCount', {
  description: 'How many of the requests were rejected for one reason.',
  required: {
    role,
    status: described(Count, 'The status of the responses.'),
    reason,
    count: described(Count, 'How many requests.'),
  },
  optional: explanation,
})

export type RejectionList = Static<typeof RejectionList>
export const RejectionList = record('RejectionList', {
  description: 'Requests that were answered with an error.',
  required: {
    data: described(Type.Array(Rejection), 'The latest first.'),
    reasons: described(Type.Array(RejectionCount), 'All that are stored, the most frequent first.'),
    sources,
  },
})

export type RejectionMatches = Static<typeof RejectionMatches>
export const RejectionMatches = record('RejectionMatches', {
  description: 'Rejected requests with an interaction id.',
  required: {
    data: described(
      Type.Array(Rejection),
      'The latest first. Several servers may have rejected requests with the same interaction id.',
    ),
    sources,
  },
})
