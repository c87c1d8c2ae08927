import { type BatchResult, type FeedBatch, rememberedBatches } from '../../../intake/feed-writer.ts'
import { advanceFeeds, batchColumns, type NumberedBatch, selectStates } from '../../feed-states.ts'

/** A feed advances by one batch at a time, so that few are old. */
const forgottenAtOnce = 10

/** The states of batches, in their order. */
export const readStates = `${selectStates('unnest($1::text[], $2::bigint[], $3::text[]) with ordinality b (feed, number, sender, ordinal)')}
  order by b.ordinal`

/**
 * A batch that is sent again was committed, but the wait for a synchronous standby may have been cancelled. This commit
 * waits for everything before it.
 */
export const confirmCommits = `select pg_logical_emit_message(true, 'holdfast', 'batch'),
  case current_setting('synchronous_commit') when 'off'
    then set_config('synchronous_commit', 'on', true) end`

export function stateValues(batches: readonly NumberedBatch[]): [string[], number[], string[]] {
  return [
    // No feed has an empty name, and no client an empty id.
    batches.map(({ feed = '' }) => feed),
    batches.map(({ number }) => number),
    batches.map(({ sender }) => sender?.id ?? ''),
  ]
}

/**
 * Advances feeds by a batch each, and forgets their oldest batches. By location and with a limit, the planner reads only
 * these, even if the statement was planned when the table was empty.
 */
export const writeBatches = `
  with batch as (
    select * from json_to_recordset($1) as b (feed text, number bigint, digest text, position text,
      lines bigint, created bigint, changed bigint, unchanged bigint, deleted bigint, owner text)
  ), advanced as (
    ${advanceFeeds('select feed, number, $2::bigint, lines, position, owner from batch')}
  ), remembered as (
    insert into feed_batch (${batchColumns}) select ${batchColumns} from batch
  )
  delete from feed_batch where ctid = any (array (
    select r.ctid from batch b cross join lateral (
      select ctid from feed_batch
      where feed = b.feed and number <= b.number - ${rememberedBatches}
      order by feed, number limit ${forgottenAtOnce}
    ) r
  ))`

export function batchValues(
  batches: readonly { readonly batch: FeedBatch; readonly result: BatchResult }[],
  time: Temporal.Instant,
): unknown[] {
  const rows = batches.map(({ batch: { feed, number, digest, position, sender }, result }) => ({
    ...result,
    feed,
    number,
    digest,
    position,
    owner: sender?.id,
  }))
  return [JSON.stringify(rows), time.epochMilliseconds]
}
