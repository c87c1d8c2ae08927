import type { FeedState } from '../contract/index.ts'
import type { Feed } from './feed-writer.ts'

/** With fewer batches, it is not known what is usual. */
const usualBatchesMin = 5
/** A batch that is so much later than usual may still be on its way. */
const lateFactor = 2
const lateMs = 5 * 60_000

/** What programs and people read about a feed. `now` is in milliseconds since 1970. */
export function toFeedState(feed: Feed, now: number): FeedState {
  const { name, batch, time, lines, usual } = feed
  return {
    feed: name,
    batch,
    time: new Date(time).toISOString(),
    lines,
    ...(usual !== undefined &&
      batch >= usualBatchesMin && {
        usualSeconds: usual / 1000,
        isLate: now - time > lateFactor * usual + lateMs,
      }),
  }
}
