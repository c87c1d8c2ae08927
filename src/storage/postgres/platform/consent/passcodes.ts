import type pg from 'pg'
import type { AttemptLimitStore, PasscodeStore } from '../../../../platform/consent/store.ts'
import { runInOrder, runStatement } from '../../driver/statements.ts'
import { createPurge } from './purge-expired.ts'

const purge = createPurge('passcode', 'key', 'expires')
const issue = {
  name: 'issue-passcode',
  text: `insert into passcode (key, candidates, sent, expires, tries, used) values ($1, $2, $3, $4, 0, 0)
    on conflict (key) do update
      set candidates = excluded.candidates, sent = excluded.sent, expires = excluded.expires, tries = 0, used = 0
    where passcode.sent <= $5 returning 1`,
}
/** The row lock makes concurrent tries count one after another. */
const takeTry = {
  name: 'take-passcode-try',
  text: `update passcode set tries = tries + 1
    where key = $1 and tries < $2 and used = 0 and expires > $3 returning candidates, expires, tries`,
}
const isIssuedAfter = {
  name: 'is-passcode-issued-after',
  text: 'select 1 from passcode where key = $1 and sent > $2',
}
const use = {
  name: 'use-passcode',
  text: 'update passcode set used = 1 where key = $1 and used = 0 returning 1',
}

export function openPasscodes(pool: pg.Pool): PasscodeStore {
  return {
    async issue(key, { candidates, expires }, { epochMilliseconds: now }, resendBefore) {
      const text = JSON.stringify(candidates)
      const times = [now, expires.epochMilliseconds, resendBefore.epochMilliseconds]
      const [issued] = await runInOrder(pool, [
        [issue, [key, text, ...times]],
        [purge, [now]],
      ])
      return issued?.length === 1
    },
    async takeTry(key, triesMax, { epochMilliseconds: now }) {
      const [row] = await runStatement(pool, takeTry, [key, triesMax, now])
      if (!row) return undefined
      const [candidates, expires, tries] = row
      return {
        candidates: JSON.parse(candidates ?? '[]'),
        expires: Temporal.Instant.fromEpochMilliseconds(Number(expires)),
        triesLeft: triesMax - Number(tries),
      }
    },
    async isIssuedAfter(key, { epochMilliseconds: time }) {
      return (await runStatement(pool, isIssuedAfter, [key, time])).length === 1
    },
    async use(key) {
      return (await runStatement(pool, use, [key])).length === 1
    },
  }
}

const purgeLimits = createPurge('attempt_limit', 'key', 'full_at')
/** Of a bucket, the time at which it is full again is stored. A bucket that is full need not be stored. */
const take = {
  name: 'take-attempt',
  text: `insert into attempt_limit (key, full_at) values ($1, $2::bigint + $3::bigint)
    on conflict (key) do update set full_at = greatest(attempt_limit.full_at, $2) + $3
    where greatest(attempt_limit.full_at, $2) + $3 <= $2 + $3 * $4::bigint returning 1`,
}
const refund = {
  name: 'refund-attempt',
  text: 'update attempt_limit set full_at = full_at - $2::bigint where key = $1 and full_at > $3',
}

export function openAttemptLimits(pool: pg.Pool): AttemptLimitStore {
  return {
    async take(key, { capacity, refillMs }, { epochMilliseconds: now }) {
      const [taken] = await runInOrder(pool, [
        [take, [key, now, refillMs, capacity]],
        [purgeLimits, [now]],
      ])
      return taken?.length === 1
    },
    async refund(key, { refillMs }, { epochMilliseconds: now }) {
      await runStatement(pool, refund, [key, refillMs, now])
    },
  }
}
