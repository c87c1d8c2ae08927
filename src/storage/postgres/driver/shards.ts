import type pg from 'pg'
import { ContractError } from '../../../contract/index.ts'
import type { DatabaseOptions } from '../../database.ts'
import { openCircuitBreaker } from './circuit-breaker.ts'
import { makePool } from './pool.ts'
import { openQuery, type Query, runStatement } from './statements.ts'

/** A shard of the entries: its tables on a data node, and a way to query that data node. */
interface Shard {
  readonly entryTable: string
  readonly stateTable: string
  readonly query: Query
}

/** A placement that is being moved is listed once it is complete. */
const listShards = `select e.shardid, shard_name('entry'::regclass, e.shardid),
    shard_name('entry_state'::regclass, s.shardid), n.groupid, n.nodename, n.nodeport
  from pg_dist_shard e
  join pg_dist_shard s on s.logicalrelid = 'entry_state'::regclass and s.shardminvalue = e.shardminvalue
  join pg_dist_placement p on p.shardid = e.shardid and p.shardstate = 1
  join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
  where e.logicalrelid = 'entry'::regclass`

/** How often the placements are read again at most. */
const refreshMs = 50

/**
 * Reads from the data nodes of a Citus cluster, past the coordinator: a statement on a shard is planned once,
 * one on the distributed table every time, and twice. Each data node has a pool of its own, so that one that does not
 * answer delays only requests for its own shards. Their addresses are those that the coordinator uses.
 */
export async function openShards(database: string, coordinator: pg.Pool, options: DatabaseOptions) {
  const dataNodes = new Map<string, { readonly pool: pg.Pool; readonly query: Query }>()
  let shards = new Map<string, Shard>()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  const openDataNode = (group: string, host: string, port: string) => {
    const url = new URL(database)
    // The coordinator may know itself by another address.
    if (group !== '0') {
      url.hostname = host.includes(':') ? `[${host}]` : host
      url.port = port
      url.searchParams.delete('host')
      url.searchParams.delete('port')
    }
    return dataNodes.getOrInsertComputed(url.host, () => {
      const pool = makePool(url.href, 'read', options)
      options.onPool?.('shards', pool)
      return { pool, query: openCircuitBreaker(openQuery(pool)) }
    })
  }

  const read = async (): Promise<void> => {
    const rows = await runStatement(coordinator, listShards, [])
    readAt = performance.now()
    shards = new Map(
      rows.map((row) => {
        const [id, entryTable, stateTable, group, host, port] = row as string[]
        const { query } = openDataNode(group ?? '', host ?? '', port ?? '')
        return [id ?? '', { entryTable: entryTable ?? '', stateTable: stateTable ?? '', query }]
      }),
    )
  }
  const refresh = async (): Promise<void> => {
    if (performance.now() - readAt < refreshMs) return
    reading ??= read().finally(() => {
      reading = undefined
    })
    await reading
  }

  await refresh()
  return {
    async find(id: string): Promise<Shard> {
      if (!shards.has(id)) await refresh()
      const shard = shards.get(id)
      if (!shard) throw new ContractError('unavailable', 'the shard of an account is not available')
      return shard
    },
    /** Called when a shard is no longer where it was found. */
    refresh,
    async close(): Promise<void> {
      await Promise.all(dataNodes.values().map(({ pool }) => pool.end()))
    },
  }
}
