import type { RejectionQuery, RejectionReport } from './rejection-log.ts'

export const metricsPath = '/metrics'
export const rejectionsPath = '/rejections'

/** The query parameter that selects metrics, as in other exporters of Prometheus. It may be repeated. */
export const nameParameter = 'name[]'

/** Where metrics are served. */
export interface MetricsEndpoint {
  readonly address: string
  close(): Promise<void>
}

/** What a process, or a supervisor with its workers, reports. */
export interface MetricsReader {
  /** The Prometheus text format, of the named metrics only if names are given. */
  text(names?: readonly string[]): Promise<string>
  rejections(query: RejectionQuery): Promise<RejectionReport>
}
