import { dropCitusDatabases, runOn, takeCitusDatabase } from '../test/support/citus.ts'
import { controlWorker, findWorkers, listMissingCommands } from '../test/support/citus-workers.ts'
import { pick } from './random-request.ts'

/** A database on a Citus cluster whose shards can be moved and whose workers can be stopped. */
export interface CitusCluster {
  readonly url: string
  /** Undefined if the environment has no commands to stop and start workers. */
  readonly workers: WorkerControl | undefined
  readonly shards: ShardControl
  remove(): Promise<void>
}

export interface WorkerControl {
  /** A random worker that has accounts. */
  pick(): Promise<DatabaseWorker>
  kill(worker: DatabaseWorker): Promise<void>
  revive(worker: DatabaseWorker): Promise<void>
}

export interface ShardControl {
  /** Moves a random shard with the lists of accounts to another worker. */
  move(): Promise<void>
}

export interface DatabaseWorker {
  /** Host and port. */
  readonly address: string
  /** The ids of the accounts whose lists it has. */
  readonly accounts: ReadonlySet<string>
}

export const missingCommands = listMissingCommands(['kill', 'revive'])

export async function openCitusCluster(): Promise<CitusCluster> {
  const url = await takeCitusDatabase()
  return {
    url,
    workers: missingCommands.length > 0 ? undefined : openWorkerControl(url),
    shards: { move: () => moveShard(url) },
    remove: dropCitusDatabases,
  }
}

function openWorkerControl(url: string): WorkerControl {
  return {
    async pick() {
      const workers = await findWorkers(url)
      const address = pick([...new Set(workers.values())])
      const accounts = [...workers.keys()].filter((id) => workers.get(id) === address)
      return { address, accounts: new Set(accounts) }
    },
    kill: ({ address }) => controlWorker('kill', address),
    revive: ({ address }) => controlWorker('revive', address),
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
