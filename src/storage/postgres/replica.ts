import type pg from 'pg'
import type { DatabaseOptions } from '../database.ts'
import { makePool } from './connect.ts'
import { type Ask, openAsking } from './statements.ts'

const lagMaxDefault = 5

/** How often the replica is looked at, and how often at least within the time it may be behind. */
const checkMs = 1000
const checksWithinLag = 4

/** How far the database had come, and when. */
interface Mark {
  readonly position: bigint
  readonly at: number
}

export interface Replica {
  /** The replica, where it is known to have what the database had so long ago. */
  current(): Ask | undefined
  /** It gave no answer: it is not asked again before it has shown that it can. */
  distrust(): void
  close(): Promise<void>
}

/**
 * A copy of the database to read from. How far the database is gets noted again and again; the replica is
 * as old as the newest note that it has reached. Its own clock and the hours without a change do not matter.
 */
export function openReplica(url: string, primary: pg.Pool, options: DatabaseOptions): Replica {
  const lagMaxMs = (options.lagMax ?? lagMaxDefault) * 1000
  const pool = makePool(url, 'read', options)
  const ask = openAsking(pool)
  options.onPool?.('replica', pool)
  let marks: Mark[] = []
  let reachedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined

  const check = async (): Promise<void> => {
    const at = performance.now()
    const [now] = (await primary.query('select pg_current_wal_lsn() as position')).rows
    marks = [
      ...marks.filter((mark) => mark.at > at - lagMaxMs),
      { at, position: number(now.position) },
    ]
    const [copy] = (
      await pool.query(
        'select pg_is_in_recovery() as follows, pg_last_wal_replay_lsn() as position',
      )
    ).rows
    const position = copy.follows && copy.position ? number(copy.position) : -1n
    const reached = marks.filter((mark) => mark.position <= position)
    reachedAt = reached.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  }
  const timer = setInterval(
    () => {
      checking ??= check()
        .catch(() => {
          reachedAt = Number.NEGATIVE_INFINITY
        })
        .finally(() => {
          checking = undefined
        })
    },
    Math.min(checkMs, lagMaxMs / checksWithinLag),
  )
  timer.unref()

  return {
    current: () => (performance.now() - reachedAt <= lagMaxMs ? ask : undefined),
    distrust() {
      reachedAt = Number.NEGATIVE_INFINITY
    },
    async close() {
      clearInterval(timer)
      await checking
      await pool.end()
    },
  }
}

/** A place in the log, which is written as two hexadecimal numbers. */
function number(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
