import type { AuthorisationStore } from '../../../platform/consent/authorisation-store.ts'
import { onceSeconds } from '../../../platform/consent/sharing-duration.ts'
import { integer, optional, type Sql, text } from '../../sql.ts'
import { expireArrangements } from './end-arrangements.ts'

const onceMs = onceSeconds * 1000
const isOnce = `ends - starts <= ${onceMs}`

export function createAuthorisationStore(sql: Sql): AuthorisationStore {
  const { rowsPerTurn, useIndex } = sql.dialect
  const countActive = `select count(*) from arrangement ${useIndex('arrangement_active')}
    where status = 'active' and ends > $1`
  const count = async (statement: string, ...values: readonly Temporal.Instant[]) =>
    (await sql.first({ count: integer }, statement, values))?.count ?? 0

  /** Step by step: SQLite blocks the event loop. */
  const countCustomers = async (now: Temporal.Instant): Promise<number> => {
    for (let total = 0, last = ''; ; ) {
      const found = await sql.first(
        { count: integer, last: optional(text) },
        `select count(*), max(customer) from (
           select customer from arrangement
           where customer > $1 and (status || '') = 'active' and ends > $2
           group by customer order by customer limit ${rowsPerTurn}) active`,
        [last, now],
      )
      total += found?.count ?? 0
      if (found?.last === undefined || found.count < rowsPerTurn) return total
      last = found.last
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  return {
    async countActive(now) {
      await expireArrangements(sql, now)
      const active = await count(countActive, now)
      const once = await count(
        `${countActive} and ends <= $2 and ${isOnce}`,
        ...[now, now.add({ milliseconds: onceMs })],
      )
      const recipients = await count(
        `select count(*) from third_party where exists (select 1 from arrangement
           where third_party = third_party.id and status = 'active' and ends > $1)`,
        now,
      )
      return { ongoing: active - once, customers: await countCustomers(now), recipients }
    },

    /** No time of an arrangement is after the time of its last change. */
    async countDay({ from, until }) {
      // The terms of an amended arrangement are kept in one that is a version of it.
      const isFirst = `not exists (select 1 from arrangement earlier
        where earlier.starts < arrangement.starts
          and (earlier.version_of = coalesce(arrangement.version_of, arrangement.id)
            or earlier.id = arrangement.version_of))`
      const found = await sql.first(
        { newOnce: integer, newOngoing: integer },
        `select coalesce(sum(case when ${isOnce} then 1 else 0 end), 0),
           coalesce(sum(case when ${isOnce} then 0 else 1 end), 0)
         from arrangement where updated >= $1 and starts >= $1 and starts < $2 and ${isFirst}`,
        [from, until],
      )
      const ended = `select count(*) from arrangement where status = `
      return {
        newOnce: found?.newOnce ?? 0,
        newOngoing: found?.newOngoing ?? 0,
        revoked: await count(
          `${ended} 'withdrawn' and updated >= $1 and updated < $2 and version_of is null`,
          ...[from, until],
        ),
        amended: await count(
          `${ended} 'withdrawn' and updated >= $1 and updated < $2 and version_of is not null`,
          ...[from, until],
        ),
        expired: await count(
          `${ended} 'expired' and updated >= $1 and ends >= $1 and ends < $2 and not (${isOnce})`,
          ...[from, until],
        ),
      }
    },
  }
}
