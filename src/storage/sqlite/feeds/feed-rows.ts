import type { DatabaseSync } from 'node:sqlite'
import {
  type BatchOutcome,
  type BatchResult,
  rememberedBatches,
} from '../../../intake/feed-writer.ts'
import {
  advanceFeeds,
  batchColumns,
  decideBatches,
  type NumberedBatch,
  selectStates,
} from '../../feed-states.ts'
import { openStatements } from '../driver/sql.ts'

const selectState = selectStates('(select $1 as feed, $2 as number, $3 as sender) b')
const advance = advanceFeeds('values ($1, $2, $3, $4, $5, $6)')
const remember = `insert into feed_batch (${batchColumns}) values ($1, $2, $3, $4, $5, $6, $7, $8)`
const forget = 'delete from feed_batch where feed = $1 and number <= $2'

export function openFeedRows(database: DatabaseSync) {
  const { readRows, run } = openStatements(database)
  return {
    /** The outcome of a batch that is not the next one of its feed. */
    check(batch: NumberedBatch): BatchOutcome | undefined {
      const { feed, number, sender } = batch
      if (feed === undefined) return undefined
      return decideBatches([batch], readRows(selectState, [feed, number, sender?.id]))[0]
    },

    put(batch: NumberedBatch, time: number, result: BatchResult): void {
      const { feed, number, digest, position, sender } = batch
      if (feed === undefined) return
      const { lines, created, changed, unchanged, deleted } = result
      run(advance, [feed, number, time, lines, position, sender?.id])
      run(remember, [feed, number, digest, lines, created, changed, unchanged, deleted])
      run(forget, [feed, number - rememberedBatches])
    },
  }
}
