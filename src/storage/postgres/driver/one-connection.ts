import type pg from 'pg'
import type { DatabaseLayout, DatabaseOptions } from '../../database.ts'
import { readSchema } from './migrate.ts'
import { openPool } from './pool.ts'

export interface OneConnection {
  readonly client: pg.ClientBase
  readonly layout: DatabaseLayout
  close(): Promise<void>
}

/** One connection for a load or a dump, without statement timeouts. */
export async function openOneConnection(
  database: string,
  options: DatabaseOptions,
): Promise<OneConnection> {
  const pool = await openPool(database, 'load', { ...options, connections: 1 })
  try {
    const { layout = 'partitions' } = (await readSchema(pool)) ?? {}
    const client = await pool.connect()
    // A broken connection fails the next statement.
    client.on('error', () => {})
    return {
      client,
      layout,
      async close() {
        client.release(true)
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}
