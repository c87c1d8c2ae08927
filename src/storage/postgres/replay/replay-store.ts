import { openPurgeClock } from '../../../auth/purge-clock.ts'
import { clockSkewSeconds, type ReplayStore, type UseOutcome } from '../../../auth/replay-store.ts'
import { ContractError } from '../../../contract/index.ts'
import type { DatabaseOptions, ReplayOptions } from '../../database.ts'
import { poolTimeout } from '../driver/pipeline.ts'
import { openPool } from '../driver/pool.ts'
import { runInOrder, runStatement } from '../driver/statements.ts'
import { encodeTokenId, insertUses } from './token-uses.ts'

/** How many groups of uses are written at once. The fewer, the more uses arrive meanwhile and share the next group. */
const groupsMax = 2
const groupSizeMax = 1000

const purgeEveryMs = 1000
const purgeStep = 1000

/** How long writing a group may take, in seconds. */
const groupSeconds = 10

/** Every so many purges, one examines all records again, for those that a crashed process left. */
const purgesBetweenFullOnes = 600

/** How often it is checked which uses have waited for too long. */
const lateEveryMs = 100

/** How many uses may wait to be written. More are rejected: the database is unreachable or too slow. */
const waitingMax = 10_000

/**
 * A statement of its own after the insert: an insert may wait for a purge that is deleting the same id, and then
 * succeed. The time that the purge stored is visible only to a statement that begins afterwards.
 */
const readPurged = 'select purged_until from replay_purge'

/** Never ahead of the database's clock: a process with a wrong clock must not purge the records of all processes. */
const purge = `with purged as (
    delete from token_use where token_id in (
      select token_id from token_use
      where kept_until >= $1
        and kept_until < least($2, extract(epoch from now())::bigint - ${clockSkewSeconds})
      order by kept_until limit ${purgeStep} for update skip locked)
    returning kept_until),
  noted as (
    update replay_purge set purged_until = latest.kept_until
    from (select max(kept_until) as kept_until from purged) as latest
    where purged_until < latest.kept_until)
  select count(*) from purged`

interface Waiting {
  readonly tokenId: string
  readonly keptUntil: number
  /** A time of `performance.now()` after which the caller no longer waits. */
  readonly deadline: number
  readonly resolve: (outcome: UseOutcome) => void
  readonly reject: (error: unknown) => void
}

/** On connections of their own, so that no long query delays them. Uses that arrive together are one statement. */
export async function openPostgresReplayStore(
  database: string,
  clock: () => Temporal.Instant,
  options: DatabaseOptions & ReplayOptions = {},
): Promise<ReplayStore> {
  const purgeBefore = openPurgeClock(clock, options)
  const { pool } = await openPool(database, 'write', { ...options, connections: groupsMax + 1 })
  const timeoutMs = poolTimeout(pool)
  let waiting: Waiting[] = []
  const groups = new Map<readonly Waiting[], Promise<void>>()

  /** Rejects what waits for its turn or its commit for too long. A use that is written later is recorded all the same. */
  const rejectLate = (): void => {
    const now = performance.now()
    for (const group of [...groups.keys(), waiting]) {
      for (const { deadline, reject } of group) {
        // The others arrived later.
        if (deadline > now) break
        reject(new ContractError('unavailable'))
      }
    }
    waiting = waiting.filter(({ deadline }) => deadline > now)
  }

  const flush = (): void => {
    rejectLate()
    while (waiting.length > 0 && groups.size < groupsMax) {
      const group = waiting.slice(0, groupSizeMax)
      waiting = waiting.slice(groupSizeMax)
      const committed = commit(group).finally(() => {
        groups.delete(group)
        flush()
      })
      groups.set(group, committed)
    }
  }

  const commit = async (group: readonly Waiting[]): Promise<void> => {
    const firsts = new Map<string, Waiting>()
    for (const each of group) if (!firsts.has(each.tokenId)) firsts.set(each.tokenId, each)
    const sorted = [...firsts.values()].sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
    try {
      const [inserted = [], purged = []] = await runInOrder(pool, [
        [
          insertUses,
          [sorted.map(({ tokenId }) => tokenId), sorted.map(({ keptUntil }) => keptUntil)],
        ],
        [readPurged, []],
      ])
      const purgedUntil = Number(purged[0]?.[0])
      const added = new Set(inserted.map(([tokenId]) => tokenId))
      const outcomeOf = (each: Waiting): UseOutcome => {
        if (!added.has(each.tokenId) || firsts.get(each.tokenId) !== each) return 'used before'
        return each.keptUntil > purgedUntil ? 'first use' : 'purged'
      }
      const outcomes = group.map(outcomeOf)
      for (const [index, { resolve }] of group.entries()) {
        resolve(outcomes[index] ?? 'used before')
      }
      if (outcomes.includes('purged')) options.onPurgedToken?.(purgedUntil)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  const lateTimer = setInterval(rejectLate, lateEveryMs)
  lateTimer.unref()

  // Where the last purge ended. Before it are only deleted rows that are not yet vacuumed.
  let purgedBefore = 0
  let purges = 0
  let isClosing = false
  let purging: Promise<void> | undefined
  const purgeSome = async (before: number): Promise<void> => {
    purges += 1
    if (purges % purgesBetweenFullOnes === 0 || before < purgedBefore) purgedBefore = 0
    let count: number
    do count = Number((await runStatement(pool, purge, [purgedBefore, before]))[0]?.[0])
    while (count === purgeStep && !isClosing)
    purgedBefore = Math.max(purgedBefore, before - groupSeconds)
  }
  const timer = setInterval(() => {
    // Called each time: it must see every step of the clock.
    const before = purgeBefore()
    // A record that is kept too long does no harm, and the next attempt follows soon.
    purging ??= purgeSome(before)
      .catch(() => {})
      .finally(() => {
        purging = undefined
      })
  }, purgeEveryMs)
  timer.unref()

  return {
    recordUse(tokenId, keptUntil) {
      if (waiting.length >= waitingMax) return Promise.reject(new ContractError('unavailable'))
      const { promise, resolve, reject } = Promise.withResolvers<UseOutcome>()
      const deadline = performance.now() + timeoutMs
      waiting.push({
        tokenId: encodeTokenId(tokenId),
        keptUntil,
        deadline,
        resolve,
        reject,
      })
      if (waiting.length === 1) setImmediate(flush)
      return promise
    },
    async close() {
      clearInterval(timer)
      isClosing = true
      flush()
      while (groups.size > 0) await Promise.all(groups.values())
      clearInterval(lateTimer)
      await purging
      await pool.end()
    },
  }
}
