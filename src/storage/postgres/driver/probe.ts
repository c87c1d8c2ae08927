import {
  type DatabaseOptions,
  type DatabaseProbe,
  notMigrated,
  type ProbeUse,
} from '../../database.ts'
import { versionWith } from '../../migrations.ts'
import { readSchema } from './migrate.ts'
import { makePool } from './pool.ts'
import { migrations } from './schema.ts'
import { runStatement } from './statements.ts'

/** A newer Holdfast may have applied more migrations while this process is running. */
const isCurrent = `select 1 from schema_version where version >= ${versionWith(migrations)}`

/** Rows of 1 MiB, which the temporary tables and the changes of a batch need at least. */
const rows = `unnest(array_fill(repeat('x', 8192), array[128]))`

/**
 * Inserts no row, but fails if rows cannot be written: the insert requires the privilege and a server that is not
 * read-only, the message requires a commit that reaches the disk and every synchronous standby, and the count requires
 * space. The log has space reserved, also on a disk on which no table can grow.
 */
const write = `with checked as (insert into api_token select * from api_token where false returning 1)
  select pg_logical_emit_message(true, 'holdfast', 'readiness'),
    (select count(*) from ${rows})`

/** Connects to all active data nodes at the same time. */
const connectToDataNodes = `select nodename || ':' || nodeport, success from run_command_on_workers('select 1') order by 1`

/** Uses a connection of its own, as a pool that is busy with requests does not mean that the database is unreachable. */
export function openPostgresProbe(
  url: string,
  use: ProbeUse,
  options: DatabaseOptions = {},
): DatabaseProbe {
  const pool = makePool(url, use === 'write' ? 'probe' : use, { ...options, connections: 1 })
  options.onPool?.('probe', pool)
  const dataNodes = makePool(url, 'dataNodes', { ...options, connections: 1 })
  let isDistributed: boolean | undefined
  return {
    async test() {
      if ((await runStatement(pool, isCurrent, [])).length === 0) throw notMigrated()
      if (use === 'write') await runStatement(pool, write, [])
    },
    async listDataNodes() {
      isDistributed ??= (await readSchema(pool))?.layout === 'citus'
      if (!isDistributed) return []
      const rows = await runStatement(dataNodes, connectToDataNodes, [])
      return rows.map(([address, success]) => ({ address: address ?? '', isUp: success === 't' }))
    },
    async close() {
      await Promise.all([pool.end(), dataNodes.end()])
    },
  }
}
