import { rejectionReasons } from '../auth/rejection-reasons.ts'
import { operations } from '../contract/operations/index.ts'
import { probes } from '../http/health.ts'
import { clientClosedStatus, noOperation } from '../http/request-log.ts'
import { poolNames } from '../storage/database.ts'

/** One metric. The page of the reference and what is scraped are both made of this. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Labels by name, with every value that they can have; a text says what the values are, where they are many. */
  readonly labels?: Readonly<Record<string, readonly string[] | string>>
  readonly buckets?: readonly number[]
  /** What several workers come to; their sum, unless it says otherwise. */
  readonly ofWorkers?: 'sum' | 'max'
}

/** In seconds: milliseconds for what is usual, and the tiers of the consumer data right (1, 1.5, 4 and 6). */
const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 4, 6,
] as const

/** What a server tells on its port for metrics. */
export const serverMetrics = {
  holdfast_request_duration_seconds: {
    type: 'histogram',
    help: 'Requests by operation and status, and how long they took: from the last byte of their headers to the last of the answer',
    labels: {
      operation: [
        ...Object.values(operations).map(({ ref }) => ref),
        ...Object.keys(probes),
        noOperation,
      ],
      status: `the status of the answer, or ${clientClosedStatus} where the caller was gone before it`,
    },
    buckets: durationBuckets,
  },
  holdfast_token_rejections_total: {
    type: 'counter',
    help: 'Tokens of the platform that were refused, by the reason that is in the log',
    labels: { reason: rejectionReasons },
  },
  holdfast_token_replays_total: {
    type: 'counter',
    help: 'Tokens that were refused because they had been used before',
  },
  holdfast_key_set_age_seconds: {
    type: 'gauge',
    help: 'How long ago the platform’s keys were fetched; absent while there are none',
    ofWorkers: 'max',
  },
  holdfast_key_set_fetches_total: {
    type: 'counter',
    help: 'Times that the platform’s keys were asked for',
    labels: { outcome: ['fetched', 'failed'] },
  },
  holdfast_database_connections: {
    type: 'gauge',
    help: 'Connections to PostgreSQL, by what they are for and whether they are in use',
    labels: { pool: poolNames, state: ['idle', 'used'] },
  },
  holdfast_database_waiting: {
    type: 'gauge',
    help: 'Calls that wait for a connection to PostgreSQL',
    labels: { pool: poolNames },
  },
  holdfast_event_loop_lag_seconds: {
    type: 'gauge',
    help: 'By how much timers were late since the last scrape; of several workers, the worst',
    labels: { quantile: ['0.5', '0.99', '1'] },
    ofWorkers: 'max',
  },
  holdfast_workers: { type: 'gauge', help: 'Processes that serve, and are counted here' },
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'CPU time of the processes that serve, user and system',
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Memory of the processes that serve',
  },
} as const satisfies Record<string, MetricDefinition>

/** What a load writes to the file that it is given. */
export const loadMetrics = {
  holdfast_load_lines: { type: 'gauge', help: 'Lines that were read so far' },
  holdfast_load_bytes: { type: 'gauge', help: 'Bytes that were read so far' },
  holdfast_load_size_bytes: {
    type: 'gauge',
    help: 'Bytes that there are to read; 0 where nobody knows, as on standard input',
  },
  holdfast_load_errors: { type: 'gauge', help: 'Mistakes that were found so far' },
  holdfast_load_running: { type: 'gauge', help: '1 while it runs, then 0' },
  holdfast_load_success: {
    type: 'gauge',
    help: '1 once all is loaded, else 0; a dry run stays at 0',
  },
  holdfast_load_start_time_seconds: {
    type: 'gauge',
    help: 'When it began, in seconds since 1970',
  },
  holdfast_load_update_time_seconds: {
    type: 'gauge',
    help: 'When this was written, in seconds since 1970: the end, once it does not run any more',
  },
} as const satisfies Record<string, MetricDefinition>
