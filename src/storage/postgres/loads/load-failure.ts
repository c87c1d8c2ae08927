import pg from 'pg'
import { DatabaseError } from '../../database.ts'
import { deniedError, isDenied } from '../driver/denied.ts'

/** Classes of SQLSTATE whose messages name tables, limits and roles, but never contain data. */
const quotable = /^(25|28|3D|40|42|53|54|55|57|58)/

/** The coordinator of a Citus cluster names the data node that it cannot reach, with the user. */
const dataNodeInMessage = /node (?:\S+@)?(\S+:\d+)/

/** SQLSTATE of a statement that was cancelled. */
const cancelled = '57014'

/** The failure of a load as one line for its user. An aborted load fails with the reason of its signal. */
export async function loadFailure(
  client: pg.ClientBase,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (error instanceof TypeError || error instanceof RangeError) return error
  if (error instanceof DatabaseError) return error
  if (signal?.aborted && endsAborted(error)) return signal.reason
  if (!isServerError(error)) {
    return new DatabaseError(
      'the connection to the database was lost: uncommitted changes were discarded',
      { cause: error },
    )
  }
  const { code = '', message } = error
  if (isConnectionError(error)) {
    const [, address] = dataNodeInMessage.exec(message) ?? []
    const dataNode = address ? `the data node ${address}` : 'a data node'
    return new DatabaseError(
      `${dataNode} of the database is unreachable: run the load again when it is back (uncommitted changes were discarded)`,
      { cause: error },
    )
  }
  if (isDenied(error)) {
    // A failed transaction runs no other statement.
    await client.query('rollback').catch(() => {})
    return deniedError(client, error)
  }
  const reason = quotable.test(code) ? `: ${message}` : ''
  return new DatabaseError(
    `the database failed with ${code}${reason} (uncommitted changes were discarded)`,
    { cause: error },
  )
}

/** Whether an aborted statement can fail with the error: it was cancelled, or a connection was closed. */
export function endsAborted(error: unknown): boolean {
  return !isServerError(error) || isConnectionError(error) || error.code === cancelled
}

/** The connection was lost before the response to a commit: the commit may or may not have happened. */
export function commitFailure(error: unknown): DatabaseError | undefined {
  if (isServerError(error)) return undefined
  return new DatabaseError(
    'the connection to the database was lost during the commit: run the load again, which changes nothing twice',
    { cause: error },
  )
}

/** The commit happened, but the wait for a synchronous standby was cancelled. */
export function standbyFailure(cause: Error): DatabaseError {
  return new DatabaseError(
    'the changes are committed, but the wait for the synchronous standby was cancelled: a failover may lose them (run the load again, which changes nothing twice)',
    { cause },
  )
}

/** An error response of the server, unless the server ends the connection with it (an operator, or a shutdown). */
function isServerError(error: unknown): error is pg.DatabaseError {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.severity === 'ERROR' || !isConnectionError(error)
}

function isConnectionError({ code = '' }: pg.DatabaseError): boolean {
  return /^(08|57P)/.test(code)
}
