import type pg from 'pg'
import type { DatabaseOptions } from '../../database.ts'
import { makePool } from './pool.ts'
import { openQuery, type Query, runStatement } from './statements.ts'

const lagMaxDefault = 5

/** How often the replica is checked, and the least number of checks within the maximum lag. */
const checkMs = 1000
const checksWithinLag = 4

const writtenPosition = 'select pg_current_wal_lsn()'
/** No row if the server is not a replica; null if it has replayed nothing. */
const replayedPosition = 'select pg_last_wal_replay_lsn() where pg_is_in_recovery()'

/** A position in the primary's write-ahead log, and when it was read. */
interface Mark {
  readonly position: bigint
  readonly at: number
}

/**
 * A replica to read from. The log position of the primary is recorded repeatedly; the lag of the replica is the age of
 * the newest recorded position that it has replayed. This depends neither on its clock nor on how often data changes.
 */
export function openReplica(url: string, primary: pg.Pool, options: DatabaseOptions) {
  const lagMaxMs = (options.replicaLagMax ?? lagMaxDefault) * 1000
  const pool = makePool(url, 'read', options)
  const query = openQuery(pool)
  options.onPool?.('replica', pool)
  let marks: Mark[] = []
  let reachedAt = Number.NEGATIVE_INFINITY
  let checking: Promise<void> | undefined

  const check = async (): Promise<void> => {
    const at = performance.now()
    const [[written] = []] = await runStatement(primary, writtenPosition, [])
    if (!written) return
    marks = [
      ...marks.filter((mark) => mark.at > at - lagMaxMs),
      { at, position: parsePosition(written) },
    ]
    const [[replayed] = []] = await runStatement(pool, replayedPosition, [])
    const position = replayed ? parsePosition(replayed) : -1n
    const reached = marks.filter((mark) => mark.position <= position)
    reachedAt = reached.at(-1)?.at ?? Number.NEGATIVE_INFINITY
  }
  /** It is not used again before a check succeeds. */
  const distrust = (): void => {
    reachedAt = Number.NEGATIVE_INFINITY
  }
  const timer = setInterval(
    () => {
      checking ??= check()
        .catch(distrust)
        .finally(() => {
          checking = undefined
        })
    },
    Math.min(checkMs, lagMaxMs / checksWithinLag),
  )
  timer.unref()

  return {
    /** Undefined unless the replica is known to lag no more than allowed. */
    current: (): Query | undefined =>
      performance.now() - reachedAt <= lagMaxMs ? query : undefined,
    /** Called when a query on the replica failed. */
    distrust,
    async close(): Promise<void> {
      clearInterval(timer)
      await checking
      await pool.end()
    },
  }
}

/** A log position consists of two hexadecimal numbers. */
function parsePosition(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
