import type {
  AttemptLimitStore,
  PasscodeCandidate,
  PasscodeStore,
} from '../../../platform/consent/store.ts'
import { integer, json, type Sql, time } from '../../sql.ts'
import { purgeExpired } from './purge-expired.ts'

const expiredPasscodes = { table: 'passcode', key: 'key', time: 'expires' }

export function createPasscodeStore(sql: Sql): PasscodeStore {
  return {
    async issue(key, { candidates, expires }, now, resendBefore) {
      const [issued] = await sql.inOrder(
        [
          `insert into passcode (key, candidates, sent, expires, tries, used)
           values ($1, $2, $3, $4, 0, 0)
           on conflict (key) do update set candidates = excluded.candidates, sent = excluded.sent,
             expires = excluded.expires, tries = 0, used = 0
           where passcode.sent <= $5`,
          [key, JSON.stringify(candidates), now, expires, resendBefore],
        ],
        purgeExpired(sql.dialect, expiredPasscodes, now.epochMilliseconds),
      )
      return issued === 1
    },
    async takeTry(key, triesMax, now) {
      const row = await sql.transaction((transaction) =>
        transaction.first(
          { candidates: json<PasscodeCandidate[]>(), expires: time, tries: integer },
          // The row lock makes concurrent tries count one after another.
          `update passcode set tries = tries + 1
           where key = $1 and tries < $2 and used = 0 and expires > $3
           returning candidates, expires, tries`,
          [key, triesMax, now],
        ),
      )
      if (!row) return undefined
      const { tries, ...challenge } = row
      return { ...challenge, triesLeft: triesMax - tries }
    },
    async isIssuedAfter(key, when) {
      const find = 'select sent from passcode where key = $1 and sent > $2'
      return (await sql.first({ sent: time }, find, [key, when])) !== undefined
    },
    use: (key) => sql.changes('update passcode set used = 1 where key = $1 and used = 0', [key]),
  }
}

export const fullLimits = { table: 'attempt_limit', key: 'key', time: 'full_at' }

/** Of a bucket, the time at which it is full again is stored. A bucket that is full need not be stored. */
export function createAttemptLimitStore(sql: Sql): AttemptLimitStore {
  const next = `(case when attempt_limit.full_at > $2 then attempt_limit.full_at else $2 end) + $3`
  return {
    async take(key, { capacity, refillMs }, now) {
      const [taken] = await sql.inOrder(
        [
          `insert into attempt_limit (key, full_at)
           values ($1, cast($2 as bigint) + cast($3 as bigint))
           on conflict (key) do update set full_at = ${next}
           where ${next} <= $2 + $3 * cast($4 as bigint)`,
          [key, now, refillMs, capacity],
        ],
        purgeExpired(sql.dialect, fullLimits, now.epochMilliseconds),
      )
      return taken === 1
    },
    async refund(key, { refillMs }, now) {
      await sql.run(
        `update attempt_limit set full_at = full_at - cast($2 as bigint)
         where key = $1 and full_at > $3`,
        [key, refillMs, now],
      )
    },
  }
}
