import type pg from 'pg'
import { DatabaseError } from '../../database.ts'
import { streamOf } from '../driver/abandon.ts'
import { runStatement } from '../driver/statements.ts'

/** How often a connection is checked on which nothing is sent or received. */
const checkMs = 1000

/** After so many checks with the same result, it is closed. */
const checksMax = 5

/** A process ID is used again, also by another server after a failover. A connection pooler hides it from the driver. */
export const findBackend = `select pid::text, extract(epoch from backend_start)::text as start
  from pg_stat_activity where pid = pg_backend_pid()`

export interface Backend {
  readonly pid: string
  readonly start: string
}

/**
 * Whether a backend waits for a lock, and in which state it waits for its client; no row if it ended. While the
 * coordinator of a Citus cluster waits for a data node, it also reports that it waits for its client.
 */
const readBackend = `select a.wait_event_type = 'Lock',
    case when a.wait_event_type = 'Client'
        and not ($3::boolean and a.state = 'active' and c.pid is null)
      then concat_ws(' ', a.state, a.state_change, a.wait_event, c.bytes_processed) end
  from pg_stat_activity a left join pg_stat_progress_copy c on c.pid = a.pid
  where a.pid = $1::int and extract(epoch from a.backend_start)::text = $2`

/** A transaction that waits for a lost client would keep its locks for minutes. */
const terminateBackend = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid = $1::int and extract(epoch from backend_start)::text = $2
    and wait_event_type = 'Client'`

interface WatchOptions {
  /** For the checks alone, so that they never wait for another connection that may be lost too. */
  readonly pool: pg.Pool
  readonly backend: Backend
  readonly isDistributed: boolean
  /** Whether a response is awaited. */
  isBusy(): boolean
  /** Called by each check that finds the backend waiting for a lock. */
  onLockWait(): void
}

/**
 * Closes a connection that no longer transmits: this side waits for the server, and the server for this side. A backend
 * that waits for a lock or a synchronous standby, or that runs a long statement, does not wait for its client. Neither a
 * timeout nor TCP can tell them apart: a proxy between them may be the only one that responds. Returns a function that
 * stops it.
 */
export function watchConnection(
  client: pg.ClientBase,
  { pool, backend, isDistributed, isBusy, onLockWait }: WatchOptions,
): () => void {
  const { pid, start } = backend
  const stream = streamOf(client)
  const countBytes = () => stream.bytesRead + stream.bytesWritten
  let bytes = 0
  let state: string | undefined
  let checks = 0
  let isChecking = false

  const isSilent = (): boolean => isBusy() && countBytes() === bytes

  const check = async (): Promise<void> => {
    if (!isSilent()) {
      bytes = countBytes()
      state = undefined
      return
    }
    const [row] = await runStatement(pool, readBackend, [pid, start, `${isDistributed}`])
    if (!isSilent()) return
    const [isLocked, waiting] = row ?? [null, 'ended']
    if (isLocked === 't') onLockWait()
    checks = waiting === state ? checks + 1 : 1
    state = waiting ?? undefined
    if (state === undefined || checks < checksMax) return
    const terminated = runStatement(pool, terminateBackend, [pid, start])
    stream.destroy(new DatabaseError('a connection to the database no longer responds'))
    await terminated
  }

  const timer = setInterval(async () => {
    if (isChecking) return
    isChecking = true
    // While the server is unreachable, it is unknown what the backend waits for.
    await check().catch(() => {})
    isChecking = false
  }, checkMs)
  timer.unref()
  return () => clearInterval(timer)
}
