import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { machine, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOn } from './citus.ts'
import { makePostgres, type PostgresServer } from './postgres.ts'

/** A coordinator and data nodes on the loopback interface. */
export interface CitusCluster {
  /** The address of the coordinator. */
  readonly url: string
  /** The data node with an address in `pg_dist_node`. */
  findDataNode(address: string): PostgresServer
  remove(): Promise<void>
}

const host = '127.0.0.1'

const settings = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  synchronous_commit: 'on',
  max_prepared_transactions: '200',
  // Citus starts one process for each database.
  max_worker_processes: '64',
  max_locks_per_transaction: '256',
  autovacuum: 'off',
  'citus.node_conninfo': 'sslmode=disable',
  // A connection takes longer than most statements: on a busy machine, Citus would open several for each.
  'citus.executor_slow_start_interval': '1000',
  // In multiples of a second, for each database. The default is 2.
  'citus.distributed_deadlock_detection_factor': '10',
}

export async function startCluster(dataNodes: number, durable = false): Promise<CitusCluster> {
  const programs = join(installCitus(), 'bin')
  const nodes = await Promise.all(
    Array.from({ length: dataNodes + 1 }, async () => {
      const node = await makePostgres({ settings, programs, durable })
      await node.start()
      await runOn(node.url(), ['create extension citus'])
      return node
    }),
  )
  const [coordinator, ...others] = nodes
  if (!coordinator) throw new Error('a cluster has a coordinator')
  await runOn(coordinator.url(), [
    `select citus_set_coordinator_host('${host}', ${coordinator.port})`,
    ...others.map(({ port }) => `select citus_add_node('${host}', ${port})`),
  ])
  return {
    url: coordinator.url(),
    findDataNode(address) {
      const found = others.find(({ port }) => address === `${host}:${port}`)
      if (!found) throw new Error(`${address} is not a data node of the cluster`)
      return found
    },
    async remove() {
      await Promise.all(nodes.map((node) => node.remove()))
    },
  }
}

/**
 * The folder of an installation of PostgreSQL with Citus: CITUS_HOME, or what an archive for this machine in it contains.
 * Throws if it has neither.
 */
export function installCitus(): string {
  const folder = process.env['CITUS_HOME']
  if (folder === undefined) throw new Error('CITUS_HOME is not set')
  if (existsSync(join(folder, 'bin', 'postgres'))) return folder
  const name = `${process.platform}-${machine()}`
  const [archive] = globSync(join(folder, `*citus*-${name}.tar.*`))
  if (archive === undefined) throw new Error(`${folder} has no build of Citus for ${name}`)
  const target = mkdtempSync(join(tmpdir(), 'holdfast-citus-'))
  process.once('exit', () => rmSync(target, { recursive: true, force: true }))
  // PostgreSQL may run as another user.
  chmodSync(target, 0o755)
  execFileSync('tar', ['-xf', archive, '-C', target, '--strip-components=1', '--no-same-owner'])
  return target
}
