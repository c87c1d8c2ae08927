import type { DatabaseSync } from 'node:sqlite'
import type { AttemptLimitStore, PasscodeStore } from '../../../../platform/consent/store.ts'
import { command, query } from '../../driver/statements.ts'
import type { Write } from '../../driver/write-queue.ts'
import { createPurge } from './purge-expired.ts'

interface Row {
  readonly candidates: string
  readonly expires: number
  readonly tries: number
}

export function openPasscodes(database: DatabaseSync, write: Write): PasscodeStore {
  const purge = createPurge(database, 'passcode', 'key', 'expires')
  const issue = command(
    database,
    `insert into passcode values (:key, :candidates, :now, :expires, 0, 0)
     on conflict do update set candidates = :candidates, sent = :now, expires = :expires, tries = 0, used = 0
     where sent <= :resendBefore`,
  )
  const take = query<Row>(
    database,
    `update passcode set tries = tries + 1
     where key = ? and tries < ? and used = 0 and expires > ? returning candidates, expires, tries`,
  )
  const issuedAfter = query(database, 'select 1 from passcode where key = ? and sent > ?')
  const use = command(database, 'update passcode set used = 1 where key = ? and used = 0')

  return {
    async issue(key, challenge, { epochMilliseconds: now }, resendBefore) {
      const values = {
        key,
        candidates: JSON.stringify(challenge.candidates),
        now,
        expires: challenge.expires.epochMilliseconds,
        resendBefore: resendBefore.epochMilliseconds,
      }
      return write(() => {
        purge.run(now)
        return issue.run(values).changes === 1
      })
    },
    async takeTry(key, triesMax, { epochMilliseconds: now }) {
      const row = await write(() => take.first(key, triesMax, now))
      if (!row) return undefined
      return {
        candidates: JSON.parse(row.candidates),
        expires: Temporal.Instant.fromEpochMilliseconds(row.expires),
        triesLeft: triesMax - row.tries,
      }
    },
    async isIssuedAfter(key, { epochMilliseconds: time }) {
      return issuedAfter.first(key, time) !== undefined
    },
    async use(key) {
      return write(() => use.run(key).changes === 1)
    },
  }
}

/** Of a bucket, the time at which it is full again is stored. A bucket that is full need not be stored. */
export function openAttemptLimits(database: DatabaseSync, write: Write): AttemptLimitStore {
  const purge = createPurge(database, 'attempt_limit', 'key', 'full_at')
  const take = command(
    database,
    `insert into attempt_limit values (:key, :now + :refill)
     on conflict do update set full_at = max(full_at, :now) + :refill
     where max(full_at, :now) + :refill <= :now + :refill * :capacity`,
  )
  const refund = command(
    database,
    'update attempt_limit set full_at = full_at - ? where key = ? and full_at > ?',
  )
  return {
    async take(key, { capacity, refillMs: refill }, { epochMilliseconds: now }) {
      return write(() => {
        purge.run(now)
        return take.run({ key, now, refill, capacity }).changes === 1
      })
    },
    async refund(key, { refillMs }, { epochMilliseconds: now }) {
      await write(() => refund.run(refillMs, key, now))
    },
  }
}
