import { refusalClause } from '../errors.ts'
import type {
  MetricsSample,
  MetricsSource,
  Rejection,
  RejectionCount,
} from '../records/monitoring.ts'
import type { UsageHistory } from '../records/usage.ts'
import { consent } from './consents.ts'

const sources: MetricsSource[] = [
  { role: 'provider', state: 'ok' },
  { role: 'platform', state: 'ok' },
  {
    role: 'intake',
    state: 'off',
    problem: 'its metrics are not configured',
    setting: 'HOLDFAST_INTAKE_METRICS_URL',
  },
]

const clause =
  'Authentication, 2.4: the aud claim equals the URI of the requested resource, excluding query parameters.'

const rejection: Rejection = {
  time: '2026-11-16T03:20:15.120Z',
  interactionId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
  role: 'provider',
  operation: 'B3',
  status: 401,
  code: 'unauthorized',
  reason: 'aud',
  clause,
  setting: 'HOLDFAST_PROVIDER_URL',
}

const refusal: Rejection = {
  time: '2026-11-16T03:19:02.480Z',
  interactionId: '0e1b9a52-3c1f-4f0e-9a55-6a1d3f3f9f10',
  role: 'provider',
  operation: 'B2',
  status: 422,
  code: 'account_in_query_not_found',
  reason: 'refused to share: blocked',
  circumstance: 'blocked',
  clause: refusalClause.clause,
}

function toCount(counted: Rejection, count: number): RejectionCount {
  const { time, interactionId, operation, ...rejected } = counted
  return { ...rejected, count }
}

export const rejectionMatches = { data: [rejection], sources }
export const rejectionList = {
  data: [rejection, refusal],
  reasons: [toCount(rejection, 3), toCount(refusal, 1)],
  sources,
}

export const metricsSample: MetricsSample = {
  time: '2026-11-16T03:20:15.120Z',
  seconds: 1,
  sources,
  requests: 412,
  roles: [
    { role: 'provider', rate: 400 },
    { role: 'platform', rate: 12 },
  ],
  latency: { p50: 0.0012, p95: 0.004, p99: 0.0091 },
  errors: 0,
  clientErrors: 1,
  shed: 0,
  rejections: [{ reason: 'aud', rate: 1, total: 3 }],
  feeds: [{ feed: 'core', lag: 1.2, batches: 1 }],
}

const usageLatency = { p50: 0.041, p95: 0.19, p99: 0.42 }
const usageCounts = { calls: 1840, errors: 2, clientErrors: 31, rejections: 12 }

export const usageHistory: UsageHistory = {
  range: '24h',
  unit: 'hour',
  start: '2026-11-15T03:00:00Z',
  end: '2026-11-16T03:20:15Z',
  timeZone: 'UTC',
  points: [{ start: '2026-11-15T03:00:00Z', ...usageCounts, latency: usageLatency, peak: 14 }],
  total: { ...usageCounts, sessions: 96, latency: usageLatency, peak: 14 },
  statuses: [
    { status: 404, calls: 19 },
    { status: 429, calls: 12 },
    { status: 503, calls: 2 },
  ],
  limits: [{ limit: 'session_per_second', calls: 12 }],
  operations: [{ operation: 'transactions', ...usageCounts, latency: usageLatency }],
  thirdParties: [
    {
      thirdParty: consent.thirdParty,
      ...usageCounts,
      latency: usageLatency,
    },
  ],
  consentFlows: {
    since: '2026-11-15T03:00:00Z',
    ends: [
      { end: 'exchanged', flows: 41 },
      { end: 'preAuthentication', flows: 6 },
    ],
  },
  marks: [
    { kind: 'start', time: '2026-11-15T20:00:00Z', text: 'Started: platform 0.1.0 (4 processes)' },
    {
      kind: 'outage',
      time: '2026-11-16T01:10:00Z',
      end: '2026-11-16T01:13:00Z',
      text: 'Not available for 3 minutes',
    },
  ],
}
