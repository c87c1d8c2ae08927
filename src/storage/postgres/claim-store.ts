import { ContractError } from '../../contract/index.ts'
import { type ClaimStore, clockSkewSeconds } from '../../provider/claims.ts'
import type { DatabaseOptions } from '../database.ts'
import { openPool } from './connect.ts'
import type { Statement } from './question.ts'
import { rowsOf } from './statements.ts'
import { toText } from './text.ts'

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

const purge: Statement = {
  name: 'purge-claims',
  text: `delete from claim where token_id in (
      select token_id from claim where kept_until >= $1 and kept_until < $2
      order by kept_until limit ${purgeStep} for update skip locked)
    returning 1`,
}

interface Waiting {
  readonly tokenId: string
  readonly keptUntil: number
  readonly resolve: (won: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Claims on connections of their own, so that no long answer holds them up. Those that arrive together are
 * one statement: one wait for the disk serves them all.
 */
export async function openPostgresClaimStore(
  database: string,
  clock: () => Temporal.Instant,
  options: DatabaseOptions,
): Promise<ClaimStore> {
  const pool = await openPool(database, 'write', { ...options, connections: groupsMax + 1 })
  let waiting: Waiting[] = []
  let groups = 0
  let onRest: (() => void) | undefined

  const flush = (): void => {
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
      const rows = await rowsOf(pool, insert, [
        sorted.map(({ tokenId }) => tokenId),
        sorted.map(({ keptUntil }) => keptUntil),
      ])
      const won = new Set(rows.map(([tokenId]) => tokenId))
      for (const each of group) {
        each.resolve(won.has(each.tokenId) && firsts.get(each.tokenId) === each)
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  // Where the last purge ended: what lies before are only rows that are gone and not yet cleared away.
  let purgedUntil = 0
  let purges = 0
  let isClosing = false
  let purging: Promise<void> | undefined
  const purgeSome = async (): Promise<void> => {
    const until = Math.floor(clock().epochMilliseconds / 1000) - clockSkewSeconds
    purges += 1
    if (purges % purgesBetweenFullOnes === 0) purgedUntil = 0
    let count: number
    do count = (await rowsOf(pool, purge, [purgedUntil, until])).length
    while (count === purgeStep && !isClosing)
    purgedUntil = Math.max(purgedUntil, until - groupSeconds)
  }
  const timer = setInterval(() => {
    // What is kept too long does no harm, and the next time is soon.
    purging ??= purgeSome()
      .catch(() => {})
      .finally(() => {
        purging = undefined
      })
  }, purgeEveryMs)
  timer.unref()

  return {
    claim(tokenId, keptUntil) {
      if (waiting.length >= waitingMax) return Promise.reject(new ContractError('unavailable'))
      return new Promise((resolve, reject) => {
        waiting.push({ tokenId: toText(tokenId.toWellFormed()), keptUntil, resolve, reject })
        if (waiting.length === 1) setImmediate(flush)
      })
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
