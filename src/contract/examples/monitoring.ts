import { refusalClause } from '../errors.ts'
import type {
  MetricsSample,
  MetricsSource,
  Rejection,
  RejectionCount,
} from '../records/monitoring.ts'

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
