import pg from 'pg'
import { DatabaseError } from '../../database.ts'
import { deniedError, isDenied } from '../driver/denied.ts'

/** Classes of SQLSTATE whose messages name tables, limits and roles, and never repeat a value of the data. */
const quotable = /^(25|28|3D|40|42|53|54|55|57|58)/

/** SQLSTATE of a statement that was cancelled. */
const cancelled = '57014'

/** What failed a load, as one line for its user. An aborted load fails with the reason of its signal. */
export async function loadFailure(
  client: pg.ClientBase,
  error: unknown,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  if (error instanceof TypeError || error instanceof RangeError) return error
  if (error instanceof DatabaseError) return error
  if (!isServerError(error)) return lost(error)
  const { code = '', message } = error
  if (signal?.aborted && code === cancelled) return signal.reason
  if (isDenied(error)) {
    // A failed transaction answers no question.
    await client.query('rollback').catch(() => {})
    return deniedError(client, error)
  }
  const reason = quotable.test(code) ? `: ${message}` : ''
  return new DatabaseError(
    `the database failed with ${code}${reason} (what was not committed is not kept)`,
    { cause: error },
  )
}

/** The answer to a commit did not come: it may have happened or not. */
export function commitFailure(error: unknown): DatabaseError | undefined {
  if (isServerError(error)) return undefined
  return new DatabaseError(
    'the connection to the database was lost at the very end: load again, which changes nothing twice',
    { cause: error },
  )
}

function lost(cause: unknown): DatabaseError {
  return new DatabaseError(
    'the connection to the database was lost: what was not committed is not kept',
    { cause },
  )
}

/** An answer of the server, other than that it ends the connection: by an operator, or because it stops. */
function isServerError(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? '')
}
