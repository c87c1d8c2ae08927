import type { DatabaseSync } from 'node:sqlite'
import {
  type BatchKey,
  type BatchOutcome,
  type BatchResult,
  checkBatch,
  checkNewFeed,
  type Feed,
  type RememberedBatch,
  rememberedBatches,
} from '../../../intake/feed-writer.ts'
import { command, query } from '../driver/statements.ts'

interface FeedRow extends Omit<Feed, 'position' | 'owner'> {
  readonly position: string | null
  readonly owner: string | null
}

interface BatchRow extends BatchResult {
  readonly digest: string
}

export function openFeedRows(database: DatabaseSync) {
  const columns = 'name, batch, time, lines, position, owner'
  const find = query<FeedRow>(database, `select ${columns} from feed where name = ?`)
  const count = query<{ feeds: number; owned: number }>(
    database,
    'select count(*) as feeds, count(*) filter (where owner = ?) as owned from feed',
  )
  const findBatch = query<BatchRow>(
    database,
    `select digest, lines, created, changed, unchanged, deleted from feed_batch
     where feed = ? and number = ?`,
  )
  const put = command(
    database,
    `insert into feed (${columns}) values (?, ?, ?, ?, ?, ?)
     on conflict do update set batch = excluded.batch, time = excluded.time,
       lines = lines + excluded.lines, position = excluded.position, owner = excluded.owner`,
  )
  const putBatch = command(database, 'insert into feed_batch values (?, ?, ?, ?, ?, ?, ?, ?)')
  const forget = command(database, 'delete from feed_batch where feed = ? and number <= ?')

  const findFeed = (name: string): Feed | undefined => {
    const row = find.first(name)
    return row && toFeed(row)
  }
  const findRemembered = (feed: string, number: number): RememberedBatch | undefined => {
    const row = findBatch.first(feed, number)
    if (!row) return undefined
    const { digest, ...result } = row
    return { digest, result }
  }

  return {
    /** The outcome of a batch that is not the next one of its feed. */
    check(batch: BatchKey): BatchOutcome | undefined {
      const feed = findFeed(batch.feed)
      const outcome = checkBatch(batch, feed, findRemembered(batch.feed, batch.number))
      if (outcome || feed) return outcome
      const { feeds = 0, owned = 0 } = count.first(batch.sender?.id ?? null) ?? {}
      return checkNewFeed(batch, feeds, owned)
    },

    put({ feed, number, digest, position, sender }: BatchKey, time: number, result: BatchResult) {
      const { lines, created, changed, unchanged, deleted } = result
      put.run(feed, number, time, lines, position ?? null, sender?.id ?? null)
      putBatch.run(feed, number, digest, lines, created, changed, unchanged, deleted)
      forget.run(feed, number - rememberedBatches)
    },
  }
}

function toFeed({ position, owner, ...feed }: FeedRow): Feed {
  return { ...feed, ...(position !== null && { position }), ...(owner !== null && { owner }) }
}
