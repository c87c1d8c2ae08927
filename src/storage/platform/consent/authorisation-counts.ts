import type { AuthorisationStore } from '../../../platform/consent/authorisation-store.ts'
import { onceSeconds } from '../../../platform/consent/sharing-duration.ts'
import { integer, type Sql } from '../../sql.ts'
import { countInSteps } from '../count-in-steps.ts'
import { expireArrangements } from './end-arrangements.ts'

const onceMs = onceSeconds * 1000
const isOnce = `ends - starts <= ${onceMs}`

export function createAuthorisationStore(sql: Sql): AuthorisationStore {
  const { rowsPerTurn, useIndex } = sql.dialect
  const countActive = `select count(*) from arrangement ${useIndex('arrangement_active')}
    where status = 'active' and ends > $1`
  const count = async (statement: string, ...values: readonly Temporal.Instant[]) =>
    (await sql.first({ count: integer }, statement, values))?.count ?? 0

  const selectCustomers = `select count(*), count(*), max(customer) from (
    select customer from arrangement where customer > $1 and (status || '') = 'active' and ends > $2
    group by customer order by customer limit ${rowsPerTurn}) active`

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
      const customers = await countInSteps(sql, selectCustomers, '', now)
      return { ongoing: active - once, customers, recipients }
    },

    /** No time of an arrangement is after the time of its last change. */
    async countDay({ from, until }) {
      // The terms of an amended arrangement are kept in one that is a version of it.
      const isFirst = `not exists (select 1 from arrangement earlier
        where earlier.starts < arrangement.starts
          and (earlier.version_of = coalesce(arrangement.version_of, arrangement.id)
            or earlier.id = arrangement.version_of))`
      const begun = await sql.first(
        { newOnce: integer, newOngoing: integer },
        `select count(case when ${isOnce} then 1 end), count(case when not (${isOnce}) then 1 end)
         from arrangement where updated >= $1 and starts >= $1 and starts < $2 and ${isFirst}`,
        [from, until],
      )
      const withdrawn = await sql.first(
        { revoked: integer, amended: integer },
        `select count(*) - count(version_of), count(version_of)
         from arrangement where status = 'withdrawn' and updated >= $1 and updated < $2`,
        [from, until],
      )
      const expired = await count(
        `select count(*) from arrangement
         where status = 'expired' and updated >= $1 and ends >= $1 and ends < $2 and not (${isOnce})`,
        ...[from, until],
      )
      return { newOnce: 0, newOngoing: 0, revoked: 0, amended: 0, ...begun, ...withdrawn, expired }
    },
  }
}
