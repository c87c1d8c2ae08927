import type { DatabaseOptions, DatabaseProbe } from '../database.ts'
import { makePool } from './connect.ts'
import { migrations } from './schema.ts'
import { rowsOf } from './statements.ts'

/** A newer Holdfast may have brought the database further, while this one still serves. */
const isCurrent = {
  name: 'is-current',
  text: `select 1 from schema_version where version >= ${migrations.length}`,
}

/** On a connection of its own: a database that is busy with our own work is not away. */
export function openPostgresProbe(url: string, options: DatabaseOptions): DatabaseProbe {
  const pool = makePool(url, 'read', { ...options, connections: 1 })
  options.onPool?.('probe', pool)
  return {
    isUsable: async () => (await rowsOf(pool, isCurrent, [])).length > 0,
    close: () => pool.end(),
  }
}
