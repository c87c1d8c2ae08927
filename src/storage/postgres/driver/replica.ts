import type pg from 'pg'
import type { DatabaseOptions } from '../../database.ts'
import { askAlone } from './pipeline.ts'
import { makePool } from './pool.ts'
import { type Ask, openAsking } from './statements.ts'

const lagMaxDefault = 5

/** How often the replica is looked at, and how often at least within the time it may be behind. */
const checkMs = 1000
const checksWithinLag = 4

const writtenPosition = { name: 'written-position', text: 'select pg_current_wal_lsn()' }
/** Null where it is no replica, or has replayed nothing. */
const replayedPosition = {
  name: 'replayed-position',
  text: 'select pg_last_wal_replay_lsn() where pg_is_in_recovery()',
}

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
  const lagMaxMs = (options.replicaLagMax ?? lagMaxDefault) * 1000
  const pool = makePool(url, 'read', options)
  const ask = openAsking(pool)
  options.onPool?.('replica', pool)
  let marks: Mark[] = []
  let reachedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined

  const check = async (): Promise<void> => {
    const at = performance.now()
    const [[written] = []] = await askAlone(primary, writtenPosition, [])
    if (!written) return
    marks = [...marks.filter((mark) => mark.at > at - lagMaxMs), { at, position: number(written) }]
    const [[replayed] = []] = await askAlone(pool, replayedPosition, [])
    const position = replayed ? number(replayed) : -1n
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
