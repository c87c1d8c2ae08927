import type { SessionStore, WindowCount } from '../../../platform/consent/store.ts'
import type { Sql, Transaction } from '../../sql.ts'
import { fullLimits } from './passcodes.ts'
import { purgeExpired } from './purge-expired.ts'

/** A count is stored among the limits, as milliseconds after the end of its window, and purged like a full bucket. */
const add = `update attempt_limit set full_at = full_at + 1
  where key = $1 and full_at >= cast($2 as bigint) and full_at < cast($2 as bigint) + cast($3 as bigint)`

export function createSessionStore(sql: Sql): SessionStore {
  return {
    async countCall(session, day, now) {
      if (await sql.changes(add, toValues(session))) return undefined
      try {
        return await sql.transaction(async (transaction) => {
          const begins = await begin(transaction, session)
          if (!begins) {
            // Another request may have begun the session meanwhile.
            return (await transaction.changes(add, toValues(session))) ? undefined : 'calls'
          }
          const isFirst = await begin(transaction, day)
          if (!isFirst && !(await transaction.changes(add, toValues(day)))) throw new DayIsFull()
          await transaction.run(...purgeExpired(sql.dialect, fullLimits, now.epochMilliseconds))
          return undefined
        })
      } catch (error) {
        if (error instanceof DayIsFull) return 'sessions'
        throw error
      }
    },
  }
}

/** Undoes the transaction: a session beyond those of the day does not begin. */
class DayIsFull extends Error {}

/** Counts the first one. False if there is a count, which concurrent transactions then wait for. */
function begin(transaction: Transaction, { key, ends }: WindowCount): Promise<boolean> {
  const insert = `insert into attempt_limit (key, full_at) values ($1, cast($2 as bigint) + 1)
    on conflict do nothing`
  return transaction.changes(insert, [key, ends])
}

function toValues({ key, ends, max }: WindowCount) {
  return [key, ends, max] as const
}
