import {
  type BatchOutcome,
  type FeedBatch,
  findBatchOutcome,
  findNewFeedConflict,
} from '../intake/feed-writer.ts'
import type { Cell } from './sql.ts'

/** What identifies a batch, which is of no feed if its lines alone are committed. */
export type NumberedBatch = Pick<FeedBatch, 'feed' | 'number' | 'digest' | 'position' | 'sender'>

export const batchColumns = 'feed, number, digest, lines, created, changed, unchanged, deleted'

/** The states of the feeds of batches: a table `b` of feed, number and sender. New feeds are limited by two numbers. */
export const selectStates = (batches: string) => `
  select f.batch, f.position, f.owner, r.digest, r.lines, r.created, r.changed, r.unchanged, r.deleted,
    case when f.name is null then (select count(*) from feed) end,
    case when f.name is null then (select count(*) from feed where owner = b.sender) end
  from ${batches}
  left join feed f on f.name = b.feed
  left join feed_batch r on r.feed = b.feed and r.number = b.number`

/** The time since the last batch, of which a long pause counts only in part: the usual interval is not that of pauses. */
const interval = `case when excluded.time < feed.time then 0
  when excluded.time - feed.time > 4 * feed.usual + 4000 then 4 * feed.usual + 4000
  else excluded.time - feed.time end`

/**
 * `rows` are values or a query of the columns. The usual interval follows those of the last batches. It begins with that
 * of the first two: the batch 0 says only where a follower starts.
 */
export const advanceFeeds = (rows: string) => `
  insert into feed (name, batch, time, lines, position, owner) ${rows}
  on conflict (name) do update set batch = excluded.batch, time = excluded.time,
    lines = feed.lines + excluded.lines, position = excluded.position, owner = excluded.owner,
    usual = case when feed.batch = 0 then null
      when feed.usual is null then ${interval}
      else feed.usual + (${interval} - feed.usual) / 8 end`

/** An invalid batch must not affect the others: if one of several is invalid, nothing is committed together. */
export async function commitValid(
  batches: readonly FeedBatch[],
  commitTogether: (batches: readonly FeedBatch[]) => Promise<BatchOutcome[] | undefined>,
): Promise<BatchOutcome[]> {
  const outcomes = await commitTogether(batches)
  if (outcomes) return outcomes
  return (await Array.fromAsync(batches, (batch) => commitValid([batch], commitTogether))).flat()
}

/** The outcomes of batches that cannot be committed or were committed before; undefined for the others. */
export function decideBatches(
  batches: readonly NumberedBatch[],
  states: readonly (readonly Cell[])[],
): (BatchOutcome | undefined)[] {
  const newFeeds: NumberedBatch[] = []
  return batches.map((batch, index) => {
    const { feed: name } = batch
    if (name === undefined) return undefined
    const [last = null, position = null, owner = null, digest = null, ...numbers] =
      states[index] ?? []
    const feed = last !== null && {
      batch: Number(last),
      ...(position !== null && { position: String(position) }),
      ...(owner !== null && { owner: String(owner) }),
    }
    const [lines = 0, created = 0, changed = 0, unchanged = 0, deleted = 0, feeds = 0, owned = 0] =
      numbers.map(Number)
    const result = { lines, created, changed, unchanged, deleted }
    const remembered = digest !== null && { digest: String(digest), result }
    const outcome = findBatchOutcome(
      { ...batch, feed: name },
      feed || undefined,
      remembered || undefined,
    )
    if (outcome || feed) return outcome
    const ofSender = newFeeds.filter(({ sender }) => sender?.id === batch.sender?.id)
    const rejected = findNewFeedConflict(batch, feeds + newFeeds.length, owned + ofSender.length)
    if (!rejected) newFeeds.push(batch)
    return rejected
  })
}
