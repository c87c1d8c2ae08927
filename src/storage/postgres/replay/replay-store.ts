import { clockSkewSeconds, type ReplayStore, type UseOutcome } from '../../../auth/replay-store.ts'
import { ContractError } from '../../../contract/index.ts'
import type { DatabaseOptions, ReplayOptions } from '../../database.ts'
import { openPurgeClock } from '../../purge-clock.ts'
import { toText } from '../driver/escape-nul.ts'
import { type Statement, timeoutOf } from '../driver/pipeline.ts'
import { openPool } from '../driver/pool.ts'
import { rowsInOrder, rowsOf } from '../driver/statements.ts'

/** How many groups of claims are on their way at once; while all are, the next one gathers. */
const groupsMax = 4
const groupSizeMax = 1000

const purgeEveryMs = 1000
const purgeStep = 1000

/** How long a group may be on its way, in seconds. */
const groupSeconds = 10

/** So often the purge looks at everything again, for what a process left behind that died. */
const purgesBetweenFullOnes = 600

/** More than these do not wait: the database is away, or not fast enough. */
const waitingMax = 10_000

/** Sorted by the caller: processes that claim the same ids wait for each other, and never in a circle. */
const insert: Statement = {
  name: 'claim',
  text: `insert into claim select * from unnest($1::text[], $2::bigint[])
    on conflict do nothing returning token_id`,
}

/**
 * Read by a statement of its own, after the insert: an insert may wait for a purge that is deleting the same id, and
 * then succeed. What that purge has noted is visible only to a statement that begins afterwards.
 */
const readPurged: Statement = {
  name: 'read-purged',
  text: 'select purged_until from replay_purge',
}

/** Never ahead of the database's own clock: one process with a wrong clock does not purge for all. */
const purge: Statement = {
  name: 'purge-claims',
  text: `with purged as (
      delete from claim where token_id in (
        select token_id from claim
        where kept_until >= $1
          and kept_until < least($2, extract(epoch from now())::bigint - ${clockSkewSeconds})
        order by kept_until limit ${purgeStep} for update skip locked)
      returning kept_until),
    noted as (
      update replay_purge set purged_until = latest.kept_until
      from (select max(kept_until) as kept_until from purged) as latest
      where purged_until < latest.kept_until)
    select count(*) from purged`,
}

interface Waiting {
  readonly tokenId: string
  readonly keptUntil: number
  /** A time of `performance.now()`, from which on its caller does not wait any more. */
  readonly deadline: number
  readonly resolve: (outcome: UseOutcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Claims on connections of their own, so that no long answer holds them up. Those that arrive together are
 * one statement: one wait for the disk serves them all.
 */
export async function openPostgresReplayStore(
  database: string,
  clock: () => Temporal.Instant,
  options: DatabaseOptions & ReplayOptions,
): Promise<ReplayStore> {
  const purgeBefore = openPurgeClock(clock, options)
  const pool = await openPool(database, 'write', { ...options, connections: groupsMax + 1 })
  const timeoutMs = timeoutOf(pool)
  let waiting: Waiting[] = []
  let groups = 0
  let onRest: (() => void) | undefined

  const flush = (): void => {
    const now = performance.now()
    waiting = waiting.filter(({ deadline }) => deadline > now)
    while (waiting.length > 0 && groups < groupsMax) {
      const group = waiting.slice(0, groupSizeMax)
      waiting = waiting.slice(groupSizeMax)
      groups += 1
      commit(group).finally(() => {
        groups -= 1
        flush()
        if (groups === 0) onRest?.()
      })
    }
  }

  const commit = async (group: readonly Waiting[]): Promise<void> => {
    const firsts = new Map<string, Waiting>()
    for (const each of group) if (!firsts.has(each.tokenId)) firsts.set(each.tokenId, each)
    const sorted = [...firsts.values()].sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
    try {
      const [inserted = [], purged = []] = await rowsInOrder(pool, [
        [insert, [sorted.map(({ tokenId }) => tokenId), sorted.map(({ keptUntil }) => keptUntil)]],
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

  // Where the last purge ended: before it lie only deleted rows that are not yet vacuumed.
  let purgedBefore = 0
  let purges = 0
  let isClosing = false
  let purging: Promise<void> | undefined
  const purgeSome = async (before: number): Promise<void> => {
    purges += 1
    if (purges % purgesBetweenFullOnes === 0 || before < purgedBefore) purgedBefore = 0
    let count: number
    do count = Number((await rowsOf(pool, purge, [purgedBefore, before]))[0]?.[0])
    while (count === purgeStep && !isClosing)
    purgedBefore = Math.max(purgedBefore, before - groupSeconds)
  }
  const timer = setInterval(() => {
    // Asked each time: it must see every step of the clock.
    const before = purgeBefore()
    // A record that is kept too long does no harm, and the next attempt is soon.
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
        tokenId: toText(tokenId.toWellFormed()),
        keptUntil,
        deadline,
        resolve,
        reject,
      })
      if (waiting.length === 1) setImmediate(flush)
      // The wait for other groups counts too. What is written later than this is recorded all the same.
      const timer = setTimeout(() => reject(new ContractError('unavailable')), timeoutMs)
      return promise.finally(() => clearTimeout(timer))
    },
    async close() {
      clearInterval(timer)
      isClosing = true
      flush()
      if (groups > 0) {
        await new Promise<void>((resolve) => {
          onRest = resolve
        })
      }
      await purging
      await pool.end()
    },
  }
}
