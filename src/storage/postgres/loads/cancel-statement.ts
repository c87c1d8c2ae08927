import type pg from 'pg'
import type { DatabaseOptions } from '../../database.ts'
import { makePool } from '../driver/pool.ts'

/** Cancels the statement of a connection. If that fails, the statement ends by itself. */
export async function cancelStatement(
  client: pg.ClientBase,
  database: string,
  options: DatabaseOptions,
): Promise<void> {
  const other = makePool(database, 'load', { ...options, connections: 1 })
  const { processID } = client as typeof client & { readonly processID: number }
  // Citus has a function of the same name for a number of type bigint.
  await other.query('select pg_cancel_backend($1::integer)', [processID]).catch(() => {})
  await other.end()
}
