import { monitoredRoles, refusalCircumstances } from '../../contract/index.ts'
import { operations, providerOperations } from '../../contract/operations/index.ts'
import { rejectionReasons } from '../../contract/rejection-reasons.ts'
import {
  passcodeBudgets,
  passcodeEvents,
  type RequestLimit,
  requestLimits,
} from '../../contract/request-limits.ts'
import { toolNames } from '../../contract/tools.ts'
import { endpoints } from '../../http/endpoints.ts'
import { healthEndpoints } from '../../http/health.ts'
import { openApiLabel } from '../../http/openapi-route.ts'
import { clientClosedStatus, noOperation } from '../../http/request-log.ts'
import { feedsMax } from '../../intake/feed-writer.ts'
import { deliveryResults } from '../../platform/consent/outbox/delivery-results.ts'
import { countedMax } from '../../platform/consent/outbox/store.ts'
import { answered, upstreamFailures } from '../../provider/upstream/failures.ts'
import { validationOutcomes } from '../../provider/upstream/validation-modes.ts'
import { poolNames } from '../../storage/database.ts'

type Labels = Readonly<Record<string, readonly string[] | string>>

/** One metric. Both the registered metrics and the reference page derive from it. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Labels by name, with all possible values, or with a description where there are too many to list. */
  readonly labels?: Labels | undefined
  readonly buckets?: readonly number[]
  /** How the values of several workers are combined; the default is the sum. */
  readonly aggregator?: 'sum' | 'max' | 'min'
}

function counter<const Given extends Labels | undefined = undefined>(help: string, labels?: Given) {
  return { type: 'counter', help, labels: labels as Given } as const
}

function gauge<const Given extends Labels | undefined = undefined>(
  help: string,
  aggregator: 'sum' | 'max' | 'min' = 'sum',
  labels?: Given,
) {
  return { type: 'gauge', help, aggregator, labels: labels as Given } as const
}

/** In seconds: fine steps for typical durations, and the performance tiers of the Consumer Data Right (1, 1.5, 4 and 6). */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 4, 6] as const

/** The label of feeds beyond the limit: not a valid name of a feed. */
export const otherFeeds = '(other)'
const feed = `the name of the feed, or ${otherFeeds} beyond ${feedsMax} names`

const tool = `${toolNames.join(' or ')}, for requests of the console and of checks; absent for others`

const recordChain = 'the chain of a server process'

const providerReferences = Object.values(providerOperations).map(({ ref }) => ref)

/** Served on the metrics port. */
export const serverMetrics = {
  holdfast_request_duration_seconds: {
    type: 'histogram',
    help: 'Duration of requests, from the last byte of the request headers to the last byte of the response',
    labels: {
      operation: [
        ...Object.values(operations).map(({ ref }) => ref),
        ...Object.keys(healthEndpoints),
        openApiLabel,
        ...endpoints,
        noOperation,
      ],
      status: `the status of the response, or ${clientClosedStatus} if the client closed the connection first`,
      tool,
    },
    buckets,
  },
  holdfast_token_rejections_total: counter(
    'Platform tokens that were rejected, by the reason that is also in the log',
    { reason: rejectionReasons, tool },
  ),
  holdfast_token_replays_total: counter(
    'Platform tokens that were rejected because they had been used before',
  ),
  holdfast_shed_requests_total: counter(
    'Requests that were rejected because of overload, before their token was read',
  ),
  holdfast_refusals_total: counter(
    'Requests for which the provider refused to share, by the circumstance that is also in the log',
    { circumstance: refusalCircumstances },
  ),
  holdfast_limited_requests_total: counter(
    'Requests that got a 429, by the limit that is also in the log',
    { limit: Object.keys(requestLimits) as RequestLimit[] },
  ),
  holdfast_passcodes_total: counter(
    'One-time passcodes that were sent to customers, and tries with a correct and a wrong one',
    { event: passcodeEvents },
  ),
  holdfast_passcode_budget_exceeded_total: counter(
    'Requests for passcodes and tries beyond a budget that all customers share, also those that the reserve of their network address admitted',
    { limit: passcodeBudgets },
  ),
  holdfast_key_set_age_seconds: gauge(
    'Time since the platform’s keys were fetched; absent until they are; the maximum of all workers',
    'max',
  ),
  holdfast_key_set_fetches_total: counter('Attempts to fetch the platform’s keys', {
    outcome: ['fetched', 'failed'],
  }),
  holdfast_upstream_requests_total: counter(
    'Requests of the guard to the upstream, by the outcome that is also in the log',
    { operation: providerReferences, outcome: [answered, ...Object.keys(upstreamFailures)] },
  ),
  holdfast_upstream_duration_seconds: {
    type: 'histogram',
    help: 'Duration of requests to the upstream, from waiting for a connection to the end of the response',
    labels: { operation: providerReferences },
    buckets,
  },
  holdfast_upstream_checked_responses_total: counter(
    'Responses of the upstream that the guard checked against the contract, or that were too large to be checked',
    { operation: providerReferences, outcome: validationOutcomes },
  ),
  holdfast_feed_batches_total: counter('Batches that the intake committed', { feed }),
  holdfast_feed_lines_total: counter('Lines of the batches that the intake committed', { feed }),
  holdfast_feed_errors_total: counter(
    'Errors of invalid lines, for which the intake rejected a batch',
    { feed },
  ),
  holdfast_feed_commits_total: counter(
    'Commits of the intake; batches of several feeds share a commit',
  ),
  holdfast_feed_lag_seconds: gauge(
    'Time since the last batch of a feed was committed, or since its follower started. While the database is unavailable, it grows from the last known commit',
    'max',
    { feed: 'the name of the feed' },
  ),
  holdfast_disclosure_records_total: counter(
    'Records of answers that were stored: of a platform to third parties, of a provider to platforms',
  ),
  holdfast_disclosure_record_head: gauge(
    'The block of the last signed head of a chain of records',
    'max',
    { chain: recordChain },
  ),
  holdfast_disclosure_record_digest: gauge(
    'The first 48 bits of the hash of that block, as a number',
    'max',
    { chain: recordChain },
  ),
  holdfast_outbox_messages: gauge(
    `Messages to third parties and customers that wait for their delivery, at most ${countedMax}; the maximum of all server processes`,
    'max',
  ),
  holdfast_outbox_oldest_seconds: gauge(
    'Time since the oldest waiting message was added; 0 without one; the maximum of all server processes',
    'max',
  ),
  holdfast_outbox_deliveries_total: counter(
    'Attempts to deliver messages to third parties and customers, by result: unknown is the response 422 to an arrangement that the third party does not know; gave_up also counts messages that became too old without another attempt',
    { result: deliveryResults },
  ),
  holdfast_database_connections: gauge('PostgreSQL connections by pool and state', 'sum', {
    pool: poolNames,
    state: ['idle', 'used'],
  }),
  holdfast_database_pending_requests: gauge(
    'Requests that wait for a PostgreSQL connection',
    'sum',
    { pool: poolNames },
  ),
  holdfast_data_node_up: gauge(
    '1 if the coordinator of a Citus cluster reaches the data node, otherwise 0; the minimum of all server processes; absent while the coordinator cannot be asked',
    'min',
    { node: 'the host and the port of the data node' },
  ),
  holdfast_readiness_probe_up: gauge(
    '1 if a probe of the server’s readiness passes, otherwise 0; probed at least every 5 seconds; the minimum of all workers',
    'min',
    { role: monitoredRoles, probe: 'the name of the probe, as in the log' },
  ),
  holdfast_event_loop_lag_seconds: gauge(
    'Event loop lag since the last scrape; the maximum of all workers',
    'max',
    // Prometheus reserves `quantile` for summaries.
    { percentile: ['50', '99', '100'] },
  ),
  holdfast_workers: gauge('Number of running server processes'),
  process_cpu_seconds_total: counter('Total user and system CPU time of the server processes'),
  process_resident_memory_bytes: gauge('Resident memory of the server processes'),
  process_open_fds: gauge(
    'Open file descriptors of the server process that has most of them; absent on systems other than Linux',
    'max',
  ),
  process_max_fds: gauge(
    'Limit of open file descriptors of a server process; absent on systems other than Linux',
    'min',
  ),
  process_start_time_seconds: gauge(
    'Start time of the server process that was started last, in seconds since the Unix epoch',
    'max',
  ),
} as const satisfies Record<string, MetricDefinition>

/** Written to a file by `load --metrics-file`. */
export const loadMetrics = {
  holdfast_load_lines: gauge('Lines read so far'),
  holdfast_load_bytes: gauge('Bytes read so far'),
  holdfast_load_size_bytes: gauge('Total size of the input; 0 if unknown, as for a pipe'),
  holdfast_load_errors: gauge('Errors found so far'),
  holdfast_load_running: gauge('1 while the load runs, then 0'),
  holdfast_load_success: gauge(
    '1 if the load completed without errors, otherwise 0; always 0 for a dry run',
  ),
  holdfast_load_start_time_seconds: gauge(
    'Start time of the load, in seconds since the Unix epoch',
  ),
  holdfast_load_update_time_seconds: gauge(
    'Time of the last update of this file, in seconds since the Unix epoch; the end time once the load is over',
  ),
} as const satisfies Record<string, MetricDefinition>
