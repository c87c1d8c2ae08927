import { setImmediate } from 'node:timers/promises'
import type { CountName, LoadSummary, StatusStore } from '../../status-store.ts'
import { openDatabase } from '../driver/open.ts'
import { query } from '../driver/statements.ts'
import { openFeedRows } from '../feeds/feed-rows.ts'

/** How many rows are counted in one turn of the event loop: about a millisecond. */
const rowsPerTurn = 2000

/** The table, its primary key, a value before the first key, and which rows are counted. */
const counts = {
  products: ['product', 'id', '', 'true'],
  drafts: ['product_draft', 'product', '', 'true'],
  activeConsents: ['arrangement', 'id', '', `status = 'active' and ends > :now`],
  customers: ['customer', 'number', 0, 'record is not null'],
  accounts: ['account', 'number', 0, 'head is not null'],
} as const satisfies Record<CountName, readonly [string, string, string | number, string]>

interface Range {
  readonly rows: number
  readonly counted: number
  readonly last: string | number
}

export function openSqliteStatusStore(path: string): StatusStore {
  const database = openDatabase(path, 'serve')
  const feeds = openFeedRows(database)
  const lastLoad = query<LoadSummary>(
    database,
    'select committed, created, changed, unchanged, deleted from last_load',
  )

  return {
    async count(name, now) {
      const [table, key, first, condition] = counts[name]
      const range = query<Range>(
        database,
        `select count(*) as rows, total(is_counted) as counted, max(key) as last
         from (select ${key} as key, ${condition} as is_counted from ${table}
           where ${key} > :last and :now is not null order by ${key} limit ${rowsPerTurn})`,
      )
      let total = 0
      let last: string | number = first
      for (;;) {
        const found = range.first({ last, now: now.epochMilliseconds })
        if (!found) throw new Error('a count has no row')
        total += found.counted
        if (found.rows < rowsPerTurn) return total
        last = found.last
        await setImmediate()
      }
    },
    async read() {
      return { feeds: feeds.list(), lastLoad: lastLoad.first() }
    },
    async close() {
      database.close()
    },
  }
}
