import type { FeedStore } from '../../intake/feed-writer.ts'
import { integer, optional, type Session, type Sql, text } from '../sql.ts'
import { columnsOf } from './rows.ts'

const feed = {
  name: text,
  batch: integer,
  time: integer,
  lines: integer,
  position: optional(text),
  owner: optional(text),
  usual: optional(integer),
}
const columns = columnsOf(feed)

export const listFeeds = (session: Session) =>
  session.all(feed, `select ${columns} from feed order by name`)

/** It reads from the primary: a replica may lag behind the answer to a batch. */
export function createFeedStore(sql: Sql): Omit<FeedStore, 'close'> {
  return {
    list: () => listFeeds(sql),
    find: (name) => sql.first(feed, `select ${columns} from feed where name = $1`, [name]),
    assign: (name, owner) =>
      sql.transaction(async (transaction) => {
        await transaction.lock('feeds')
        const assign = 'update feed set owner = $2 where name = $1 and position is null'
        return transaction.changes(assign, [name, owner])
      }),
    remove: (name) =>
      sql.transaction(async (transaction) => {
        await transaction.lock('feeds')
        await transaction.run('delete from feed_batch where feed = $1', [name])
        return transaction.changes('delete from feed where name = $1', [name])
      }),
  }
}
