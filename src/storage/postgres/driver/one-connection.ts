import type { DatabaseOptions } from '../../database.ts'
import { openPool } from './pool.ts'

/** One connection for a load or a dump, without statement timeouts. */
export async function openOneConnection(database: string, options: DatabaseOptions) {
  const { pool, layout } = await openPool(database, 'load', { ...options, connections: 1 })
  try {
    const client = await pool.connect()
    return {
      client,
      layout,
      async close(): Promise<void> {
        client.release(true)
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}
