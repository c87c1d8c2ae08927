import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Body, describeOnCitus, runSql } from './engines.ts'

const run = promisify(execFile)

const actions = ['kill', 'revive', 'freeze', 'thaw'] as const
type Action = (typeof actions)[number]

const variable = (action: Action) => `HOLDFAST_TEST_CITUS_${action.toUpperCase()}`

/** Declares tests that do this to a worker. They are skipped without a cluster, and without the commands. */
export function describeWithWorkers(needed: readonly Action[], name: string, body: Body): void {
  const missing = needed.map(variable).filter((name) => !process.env[name])
  describeOnCitus(name, { skip: missing.length > 0 && `${missing.join(', ')} not set` }, body)
}

/** Runs the shell command of the environment for an action, with the port of the worker as $1. */
export async function controlWorker(action: Action, worker: string): Promise<void> {
  const port = worker.split(':').at(-1) ?? ''
  await run('sh', ['-c', process.env[variable(action)] ?? 'false', 'sh', port])
}

/** The workers of accounts, by the ids of the accounts. */
export async function findWorkers(database: string): Promise<Map<string, string>> {
  const rows = await runSql(
    `select a.id, n.nodename || ':' || n.nodeport from account a
      join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('entry', a.number)
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`,
    database,
  )
  return new Map(rows as [string, string][])
}
