import type { FeedStore } from '../../../intake/feed-writer.ts'
import type { DatabaseOptions } from '../../database.ts'
import { openPool } from '../driver/pool.ts'
import { runInOrder, runStatement } from '../driver/statements.ts'
import {
  assignFeed,
  findFeed,
  listFeeds,
  lockFeeds,
  removeBatches,
  removeFeed,
  toFeed,
} from './feed-rows.ts'

/** Opens the list of feeds. It reads from the primary: a replica may lag behind the answer to a batch. */
export async function openPostgresFeedStore(
  database: string,
  options: DatabaseOptions,
): Promise<FeedStore> {
  const pool = await openPool(database, 'write', options)

  return {
    async list() {
      return (await runStatement(pool, listFeeds, [])).map(toFeed)
    },
    async find(name) {
      const [row] = await runStatement(pool, findFeed, [name])
      return row && toFeed(row)
    },
    async assign(name, owner) {
      const [, assigned] = await runInOrder(pool, [
        [lockFeeds, []],
        [assignFeed, [name, owner]],
      ])
      return assigned?.length === 1
    },
    async remove(name) {
      const values = [name]
      const [, removed] = await runInOrder(pool, [
        [lockFeeds, []],
        [removeFeed, values],
        [removeBatches, values],
      ])
      return removed?.length === 1
    },
    async close() {
      await pool.end()
    },
  }
}
