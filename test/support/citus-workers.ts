import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runOn } from './citus.ts'

const run = promisify(execFile)

export type Action = 'kill' | 'revive' | 'freeze' | 'thaw'

const variable = (action: Action) => `HOLDFAST_TEST_CITUS_${action.toUpperCase()}`

/** The names of the variables without which these actions are not possible. */
export function listMissingCommands(needed: readonly Action[]): string[] {
  return needed.map(variable).filter((name) => !process.env[name])
}

/** Runs the shell command of the environment for an action, with the port of the worker as $1. */
export async function controlWorker(action: Action, worker: string): Promise<void> {
  const port = worker.split(':').at(-1) ?? ''
  await run('sh', ['-c', process.env[variable(action)] ?? 'false', 'sh', port])
}

/** The workers of accounts, by the ids of the accounts. */
export async function findWorkers(database: string): Promise<Map<string, string>> {
  const [result] = await runOn(database, [
    `select a.id, n.nodename || ':' || n.nodeport as worker from account a
      join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('entry', a.number)
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`,
  ])
  return new Map(result?.rows.map(({ id, worker }) => [id, worker]))
}
