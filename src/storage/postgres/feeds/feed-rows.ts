import {
  type BatchKey,
  type BatchOutcome,
  type BatchResult,
  checkBatch,
  checkNewFeed,
  type FeedBatch,
  rememberedBatches,
} from '../../../intake/feed-writer.ts'
import type { Statement } from '../../statement.ts'
import type { Rows } from '../driver/pipeline.ts'

/** A feed advances by one batch at a time, so that few are old. */
const forgottenAtOnce = 10

/** The state of the feeds of batches, in their order. New feeds are limited by the number of feeds, also of their sender. */
export const readStates: Statement = {
  name: 'feed-states',
  text: `select f.batch, f.position, f.owner, r.digest, r.lines, r.created, r.changed, r.unchanged, r.deleted,
      case when f.name is null then (select count(*) from feed) end,
      case when f.name is null then (select count(*) from feed where owner = b.sender) end
    from unnest($1::text[], $2::bigint[], $3::text[]) with ordinality b (feed, number, sender, ordinal)
    left join feed f on f.name = b.feed
    left join feed_batch r on r.feed = b.feed and r.number = b.number
    order by b.ordinal`,
}

/**
 * A batch that is sent again was committed, but the wait for a synchronous standby may have been cancelled. This commit
 * waits for everything before it.
 */
export const confirmCommits: Statement = {
  name: 'confirm-commits',
  text: `select pg_logical_emit_message(true, 'holdfast', 'batch'),
    case current_setting('synchronous_commit') when 'off'
      then set_config('synchronous_commit', 'on', true) end`,
}

export function stateValues(
  batches: readonly (BatchKey | FeedBatch)[],
): [string[], number[], string[]] {
  return [
    // No feed has an empty name, and no client an empty id.
    batches.map(({ feed = '' }) => feed),
    batches.map(({ number }) => number),
    batches.map(({ sender }) => sender?.id ?? ''),
  ]
}

/** The outcomes of batches that cannot be committed or were committed before; undefined for the others. */
export function decideBatches(
  batches: readonly (BatchKey | FeedBatch)[],
  states: Rows,
): (BatchOutcome | undefined)[] {
  const newFeeds: (BatchKey | FeedBatch)[] = []
  return batches.map((batch, index) => {
    const { feed: name } = batch
    if (name === undefined) return undefined
    const [last = null, position = null, owner = null, digest = null, ...numbers] =
      states[index] ?? []
    const feed = last !== null && {
      batch: Number(last),
      ...(position !== null && { position }),
      ...(owner !== null && { owner }),
    }
    const [lines = 0, created = 0, changed = 0, unchanged = 0, deleted = 0, feeds = 0, owned = 0] =
      numbers.map(Number)
    const result = { lines, created, changed, unchanged, deleted }
    const remembered = digest !== null && { digest, result }
    const outcome = checkBatch({ ...batch, feed: name }, feed || undefined, remembered || undefined)
    if (outcome || feed) return outcome
    const ofSender = newFeeds.filter(({ sender }) => sender?.id === batch.sender?.id)
    const rejected = checkNewFeed(batch, feeds + newFeeds.length, owned + ofSender.length)
    if (!rejected) newFeeds.push(batch)
    return rejected
  })
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
    insert into feed (name, batch, time, lines, position, owner)
    select feed, number, $2::bigint, lines, position, owner from batch
    on conflict (name) do update set batch = excluded.batch, time = excluded.time,
      lines = feed.lines + excluded.lines, position = excluded.position, owner = excluded.owner
  ), remembered as (
    insert into feed_batch (feed, number, digest, lines, created, changed, unchanged, deleted)
    select feed, number, digest, lines, created, changed, unchanged, deleted from batch
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
