import { DatabaseError } from '../database.ts'
import { integer, type Sql } from '../sql.ts'
import type { CountName, StatusStore } from '../status-store.ts'
import { countInSteps } from './count-in-steps.ts'
import { listFeeds } from './feed-store.ts'
import { columnsOf } from './rows.ts'

/** The table, its primary key, a value before the first key, and which rows are counted. */
const counts = {
  products: ['product', 'id', '', 'true'],
  drafts: ['product_draft', 'product', '', 'true'],
  activeConsents: ['arrangement', 'id', '', `status = 'active' and ends > $2`],
  customers: ['customer', 'number', 0, 'record is not null'],
  accounts: ['account', 'number', 0, 'kind <> 0 and head is not null'],
} as const satisfies Record<CountName, readonly [string, string, string | number, string]>

export const load = {
  committed: integer,
  created: integer,
  changed: integer,
  unchanged: integer,
  deleted: integer,
}

export function createStatusStore(sql: Sql): Omit<StatusStore, 'close'> {
  const { rowsPerTurn } = sql.dialect

  return {
    count(name, now) {
      const [table, key, first, condition] = counts[name]
      const count = `select count(*), count(case when is_counted then 1 end), max(key)
        from (select ${key} as key, ${condition} as is_counted from ${table}
          where ${key} > $1 and cast($2 as bigint) is not null
          order by ${key} limit ${rowsPerTurn}) as next`
      return countInSteps(sql, count, first, now).catch(undefinedIfDenied)
    },
    async read() {
      const select = `select ${columnsOf(load)} from recent_load order by committed desc limit 1`
      const [feeds, lastLoad] = await Promise.all([listFeeds(sql), sql.first(load, select)])
      return { feeds, lastLoad }
    },
  }
}

/** A statement rejects with this error if the role of the database lacks a privilege. */
function undefinedIfDenied(error: unknown): undefined {
  if (error instanceof DatabaseError) return undefined
  throw error
}
