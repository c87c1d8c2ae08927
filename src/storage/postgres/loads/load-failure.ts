import pg from 'pg'
import { DatabaseError } from '../../database.ts'
import { deniedError, isDenied } from '../driver/denied.ts'

/** Classes of SQLSTATE whose messages name tables, limits and roles, but never contain data. */
const quotable = /^(25|28|3D|40|42|53|54|55|57|58)/

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
  if (!isServerError(error)) return lostConnection(error)
  const { code = '', message } = error
  if (signal?.aborted && code === cancelled) return signal.reason
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

/** The connection was lost before the response to a commit: the commit may or may not have happened. */
export function commitFailure(error: unknown): DatabaseError | undefined {
  if (isServerError(error)) return undefined
  return new DatabaseError(
    'the connection to the database was lost during the commit: run the load again, which changes nothing twice',
    { cause: error },
  )
}

function lostConnection(cause: unknown): DatabaseError {
  return new DatabaseError(
    'the connection to the database was lost: uncommitted changes were discarded',
    { cause },
  )
}

/** An error response of the server, unless the server ends the connection with it (an operator, or a shutdown). */
function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')
}
