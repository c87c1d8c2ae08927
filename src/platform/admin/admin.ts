import { isObject } from '../../contract/schema.ts'
import { CdsError } from '../cds/errors.ts'
import { type RawQuery, readQuery } from '../cds/query.ts'
import { selectVersion, type VersionHeaders } from '../cds/version.ts'
import type { CallCounts } from '../usage/call-counts.ts'
import {
  type MetricsOptions,
  type MetricsPeriod,
  metricsPeriods,
  metricsVersions,
  readMetrics,
} from './metrics.ts'

/** The endpoints that the register calls. */
export const adminEndpoints = {
  metrics: {
    method: 'GET',
    path: '/admin/metrics',
    summary: 'Get Metrics',
    versions: metricsVersions,
  },
  metadataUpdate: {
    method: 'POST',
    path: '/admin/register/metadata',
    summary: 'Metadata Update',
    versions: [1, 1],
  },
} as const

export type AdminEndpointId = keyof typeof adminEndpoints

export const adminParameters = { period: { enum: metricsPeriods, default: 'ALL' } }

interface AdminRequest extends VersionHeaders {
  /** With the query, for the link. */
  readonly url: string
  readonly query: RawQuery
  readonly body: unknown
}

interface AdminAnswer {
  readonly version: number
  readonly body: object
}

interface AdminOptions extends MetricsOptions {
  readonly callCounts: Pick<CallCounts, 'write'>
  readonly updateAvailability: () => Promise<void>
  /** Called when the register says that the metadata of third parties has changed. */
  readonly onMetadataUpdate: () => void
}

/** Answers requests of the register. May throw a `CdsError`. */
export function openAdmin(options: AdminOptions) {
  return {
    async metrics(request: AdminRequest): Promise<AdminAnswer> {
      const version = selectVersion(request, adminEndpoints.metrics.versions)
      const { period } = readQuery(adminParameters, request.query)
      // The counts of this process are complete; those of others are written every half minute.
      await options.callCounts.write()
      await options.updateAvailability()
      const data = await readMetrics(options, version, period as MetricsPeriod)
      return { version, body: { data, links: { self: request.url }, meta: {} } }
    },
    async metadataUpdate(request: AdminRequest): Promise<AdminAnswer> {
      const version = selectVersion(request, adminEndpoints.metadataUpdate.versions)
      requireRefresh(request.body)
      options.onMetadataUpdate()
      return { version, body: {} }
    },
  }
}

export type Admin = ReturnType<typeof openAdmin>

function requireRefresh(body: unknown): void {
  const data = isObject(body) ? body['data'] : undefined
  if (data === undefined) throw new CdsError('missingField', 'data')
  const action = isObject(data) ? data['action'] : undefined
  if (action === undefined) throw new CdsError('missingField', 'data.action')
  if (action !== 'REFRESH') throw new CdsError('invalidField', 'data.action must be REFRESH')
}
