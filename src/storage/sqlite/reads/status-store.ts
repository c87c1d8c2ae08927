import type { LoadSummary, StatusStore } from '../../status-store.ts'
import { openDatabase } from '../driver/open.ts'
import { query } from '../driver/statements.ts'
import { openFeedRows } from '../feeds/feed-rows.ts'

interface CountRow {
  readonly customers: number
  readonly accounts: number
  readonly products: number
  readonly drafts: number
  readonly activeConsents: number
}

export function openSqliteStatusStore(path: string): StatusStore {
  const database = openDatabase(path, 'read')
  const feeds = openFeedRows(database)
  const counts = query<CountRow>(
    database,
    `select (select count(*) from customer where record is not null) as customers,
      (select count(*) from account where head is not null) as accounts,
      (select count(*) from product) as products,
      (select count(*) from product_draft) as drafts,
      (select count(*) from arrangement where status = 'active' and ends > ?) as activeConsents`,
  )
  const lastLoad = query<LoadSummary>(
    database,
    'select committed, created, changed, unchanged, deleted from last_load',
  )

  return {
    async read(now) {
      const row = counts.first(now.epochMilliseconds)
      if (!row) throw new Error('a count has no row')
      return { ...row, feeds: feeds.list(), lastLoad: lastLoad.first() }
    },
    async close() {
      database.close()
    },
  }
}
