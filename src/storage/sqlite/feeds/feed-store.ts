import type { FeedStore } from '../../../intake/feed-writer.ts'
import { openDatabase } from '../driver/open.ts'
import { openWriteQueue } from '../driver/write-queue.ts'
import { openFeedRows } from './feed-rows.ts'

export function openSqliteFeedStore(path: string): FeedStore {
  const database = openDatabase(path, 'write')
  const write = openWriteQueue(database)
  const feeds = openFeedRows(database)

  return {
    async list() {
      return feeds.list()
    },
    async find(name) {
      return feeds.find(name)
    },
    async assign(name, owner) {
      return write(() => feeds.assign(name, owner))
    },
    async remove(name) {
      return write(() => feeds.remove(name))
    },
    async close() {
      database.close()
    },
  }
}
