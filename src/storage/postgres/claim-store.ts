import type { ClaimStore } from '../../provider/claims.ts'
import type { DatabaseOptions } from '../database.ts'
import { openPool } from './connect.ts'
import { rowsOf, type Statement } from './statements.ts'
import { toText } from './text.ts'

/** How many groups of claims are on their way at once; while all are, the next one gathers. */
const groupsMax = 4
const groupSizeMax = 1000

const purgeEveryMs = 1000
const purgeStep = 1000

/** How far the clocks of two processes may be apart, in seconds. */
const clockSkew = 60

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
  const underway = new Set<Promise<void>>()

  const flush = (): void => {
    while (waiting.length > 0 && underway.size < groupsMax) {
      const group = waiting.slice(0, groupSizeMax)
      waiting = waiting.slice(groupSizeMax)
      const done: Promise<void> = commit(group).finally(() => {
        underway.delete(done)
        flush()
      })
      underway.add(done)
    }
  }

  const commit = async (group: readonly Waiting[]): Promise<void> => {
    const firsts = new Map<string, Waiting>()
    for (const each of group) {
      if (firsts.has(each.tokenId)) each.resolve(false)
      else firsts.set(each.tokenId, each)
    }
    const sorted = [...firsts.values()].sort((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
    try {
      const rows = await rowsOf(pool, insert, [
        sorted.map(({ tokenId }) => tokenId),
        sorted.map(({ keptUntil }) => keptUntil),
      ])
      const won = new Set(rows.map(([tokenId]) => tokenId))
      for (const { tokenId, resolve } of sorted) resolve(won.has(tokenId))
    } catch (error) {
      for (const { reject } of sorted) reject(error)
    }
  }

  // Where the last purge ended: what lies before are only rows that are gone and not yet cleared away.
  let purgedUntil = 0
  let purging: Promise<void> | undefined
  const purgeSome = async (): Promise<void> => {
    const now = Math.floor(clock().epochMilliseconds / 1000)
    const rows = await rowsOf(pool, purge, [purgedUntil, now])
    if (rows.length < purgeStep) purgedUntil = Math.max(purgedUntil, now - clockSkew)
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
      return new Promise((resolve, reject) => {
        waiting.push({ tokenId: toText(tokenId.toWellFormed()), keptUntil, resolve, reject })
        if (waiting.length === 1) setImmediate(flush)
      })
    },
    async close() {
      clearInterval(timer)
      flush()
      while (underway.size > 0) await Promise.all(underway)
      await purging
      await pool.end()
    },
  }
}
