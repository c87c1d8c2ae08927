import {
  type DatabaseOptions,
  type DatabaseProbe,
  notMigrated,
  type ProbeUse,
} from '../../database.ts'
import type { Statement } from './pipeline.ts'
import { makePool } from './pool.ts'
import { migrations } from './schema.ts'
import { rowsOf } from './statements.ts'

/** A newer Holdfast may have brought the database further, while this one still serves. */
const isCurrent: Statement = {
  name: 'is-current',
  text: `select 1 from schema_version where version >= ${migrations.length}`,
}

/**
 * Writes no row, and yet fails where rows cannot be written: the insert needs the right to do so and a server that is
 * not read-only, and the message needs a commit that reaches the disk and every synchronous standby.
 */
const write: Statement = {
  name: 'probe-write',
  text: `with checked as (insert into api_token select * from api_token where false returning 1)
    select pg_logical_emit_message(true, 'holdfast', 'readiness')`,
}

/** On a connection of its own: a pool that is busy with requests does not mean that the database is unreachable. */
export function openPostgresProbe(
  url: string,
  options: DatabaseOptions,
  use: ProbeUse,
): DatabaseProbe {
  const pool = makePool(url, use, { ...options, connections: 1 })
  options.onPool?.('probe', pool)
  return {
    async check() {
      if ((await rowsOf(pool, isCurrent, [])).length === 0) throw notMigrated()
      if (use === 'write') await rowsOf(pool, write, [])
    },
    close: () => pool.end(),
  }
}
