import { findDataNodes, runOn, takeCitusDatabase, useCluster } from '../test/support/citus.ts'
import { startCluster } from '../test/support/citus-cluster.ts'
import { pick } from './random-request.ts'

/** A database on a Citus cluster whose shards can be moved and whose data nodes can be stopped. */
export interface CitusDatabase {
  readonly url: string
  readonly dataNodes: DataNodeControl
  readonly shards: ShardControl
  remove(): Promise<void>
}

export interface DataNodeControl {
  /** A random data node that has accounts. */
  pick(): Promise<DataNode>
  kill(dataNode: DataNode): Promise<void>
  revive(dataNode: DataNode): Promise<void>
}

export interface ShardControl {
  /** Moves a random shard with the lists of accounts to another data node. */
  move(): Promise<void>
}

export interface DataNode {
  /** Host and port. */
  readonly address: string
  /** The ids of the accounts whose lists it has. */
  readonly accounts: ReadonlySet<string>
}

const dataNodeCount = 3

export async function openCitusDatabase(): Promise<CitusDatabase> {
  const cluster = await startCluster(dataNodeCount)
  useCluster(cluster.url)
  const url = await takeCitusDatabase()
  return {
    url,
    dataNodes: {
      async pick() {
        const dataNodes = await findDataNodes(url)
        const address = pick([...new Set(dataNodes.values())])
        const accounts = [...dataNodes.keys()].filter((id) => dataNodes.get(id) === address)
        return { address, accounts: new Set(accounts) }
      },
      kill: ({ address }) => cluster.findDataNode(address).stop('crash'),
      revive: ({ address }) => cluster.findDataNode(address).start(),
    },
    shards: { move: () => moveShard(url) },
    remove: cluster.remove,
  }
}

const selectMove = `select p.shardid, source.nodename as "fromName", source.nodeport as "fromPort",
    target.nodename as "toName", target.nodeport as "toPort"
  from pg_dist_shard s
  join pg_dist_placement p using (shardid)
  join pg_dist_node source on source.groupid = p.groupid and source.noderole = 'primary'
  join pg_dist_node target on target.groupid <> p.groupid and target.noderole = 'primary' and target.shouldhaveshards
  where s.logicalrelid = 'entry'::regclass
  order by random() limit 1`

async function moveShard(url: string): Promise<void> {
  const [selected] = await runOn(url, [selectMove])
  const { shardid, fromName, fromPort, toName, toPort } = selected?.rows[0] ?? {}
  await runOn(url, [
    `select citus_move_shard_placement(${shardid}, '${fromName}', ${fromPort}, '${toName}', ${toPort})`,
  ])
}
