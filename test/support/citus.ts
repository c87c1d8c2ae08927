import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createDatabase } from '../../src/storage/open.ts'

let clusterUrl = process.env['CITUS_FOR_TESTS']

/** Uses a cluster in place of that of the environment. */
export function useCluster(url: string): void {
  clusterUrl = url
}

/** Whether there is a Citus cluster, which tests of the layout `citus` need. */
export function hasCluster(): boolean {
  return clusterUrl !== undefined
}

/** Few shards: each statement on all of them takes longer with more. */
const shards = 4

interface Node {
  readonly nodename: string
  readonly nodeport: number
  readonly isCoordinator: boolean
}

/** Runs statements on one connection. */
export async function runOn(url: string, statements: readonly string[]): Promise<pg.QueryResult[]> {
  return withClient(url, (client) => runAll(client, statements))
}

async function runAll(client: pg.Client, statements: readonly string[]): Promise<pg.QueryResult[]> {
  const results: pg.QueryResult[] = []
  for (const sql of statements) results.push(await client.query(sql))
  return results
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Databases that no test uses at present. Creating one takes seconds. */
const free: string[] = []
const created: string[] = []
let nodes: Promise<readonly Node[]> | undefined

function listNodes(): Promise<readonly Node[]> {
  nodes ??= runOn(requireUrl(), [
    `select nodename, nodeport, groupid = 0 as "isCoordinator" from pg_dist_node
     where noderole = 'primary' order by groupid`,
  ]).then(([result]) => result?.rows ?? [])
  return nodes
}

function requireUrl(): string {
  if (clusterUrl === undefined) throw new Error('CITUS_FOR_TESTS is not set')
  return clusterUrl
}

/** The URL of a database on a node, with the credentials of the coordinator. */
function urlOn({ nodename, nodeport }: Node, database: string): string {
  const url = new URL(database, requireUrl())
  url.hostname = nodename
  url.port = String(nodeport)
  return url.href
}

/** An empty database on every node of the cluster, with the schema. It is emptied and reused. */
export async function takeCitusDatabase(partitions = shards): Promise<string> {
  const existing = partitions === shards ? free.pop() : undefined
  if (existing !== undefined) return existing
  // Adding a node updates the roles on it, which fails if another process does so at the same time.
  return withClient(requireUrl(), async (client) => {
    await client.query(`select pg_advisory_lock(hashtext('holdfast test database'))`)
    return createCitusDatabase(partitions)
  })
}

let template: Promise<string> | undefined

/** A copy of one database: creating the extension and the schema takes a second of CPU time. */
async function createCitusDatabase(partitions: number): Promise<string> {
  if (partitions !== shards) return urlOf(await createFirst(partitions))
  template ??= createTemplate()
  const source = await template
  const name = nameDatabase()
  await onEachNode(`create database ${name} template ${source} strategy file_copy`)
  schemas.set(urlOf(name), schemas.get(urlOf(source)) ?? '')
  return urlOf(name)
}

/** Copying needs a database without connections: the maintenance of Citus would connect to it again. */
async function createTemplate(): Promise<string> {
  const name = await createFirst(shards)
  await onEachNode(`alter database ${name} allow_connections false`)
  await onEachNode(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
  )
  return name
}

async function createFirst(partitions: number): Promise<string> {
  const name = nameDatabase()
  await onEachNode(`create database ${name}`)
  const all = await listNodes()
  await Promise.all(all.map((node) => runOn(urlOn(node, name), ['create extension citus'])))
  const database = urlOf(name)
  await runOn(
    database,
    all.map(({ nodename, nodeport, isCoordinator }) =>
      isCoordinator
        ? `select citus_set_coordinator_host('${nodename}', ${nodeport})`
        : `select citus_add_node('${nodename}', ${nodeport})`,
    ),
  )
  await createDatabase(database, { layout: 'citus', partitions })
  schemas.set(database, await withClient(database, readSchema))
  return name
}

function nameDatabase(): string {
  const name = `test_${randomBytes(8).toString('hex')}`
  created.push(name)
  return name
}

function urlOf(database: string): string {
  return new URL(database, requireUrl()).href
}

/** Runs a statement on databases, which Citus would otherwise send to the workers of one database only. */
async function onEachNode(sql: string): Promise<void> {
  const statements = ['set citus.enable_create_database_propagation = off', sql]
  await Promise.all((await listNodes()).map((node) => runOn(urlOn(node, 'postgres'), statements)))
}

/** A test may leave connections open, or a process that it killed a transaction that is prepared on the workers. */
const endTransactions = [
  `select pg_terminate_backend(pid, 10000) from pg_stat_activity
   where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  'select recover_prepared_transactions()',
]

const emptyAll = `do $$ begin
  execute (select 'truncate ' || string_agg(quote_ident(relname), ', ') from pg_class c
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname not in ('schema_version', 'replay_purge'));
  update replay_purge set purged_until = 0;
end $$`

/** On one connection: each makes the coordinator connect to the workers again. */
export async function returnCitusDatabase(database: string): Promise<void> {
  await withClient(database, async (client) => {
    await runAll(client, endTransactions)
    // A test may have changed or dropped tables.
    if ((await readSchema(client)) !== schemas.get(database)) return
    await runAll(client, [`set lock_timeout = '10s'`, emptyAll])
    free.push(database)
  })
}

/** The schema that each database was created with. */
const schemas = new Map<string, string>()

/** The version and the columns of a database, to compare them. */
async function readSchema(client: pg.Client): Promise<string> {
  const results = await runAll(client, [
    'select * from schema_version',
    `select relname, attname, atttypid from pg_attribute join pg_class c on c.oid = attrelid
     where relnamespace = 'public'::regnamespace and attnum > 0 order by 1, 2, 3`,
  ])
  return JSON.stringify(results.map(({ rows }) => rows))
}

export async function dropCitusDatabases(): Promise<void> {
  for (const name of created) await onEachNode(`drop database if exists ${name} with (force)`)
}

/** The addresses of the data nodes of accounts, by the ids of the accounts. */
export async function findDataNodes(database: string): Promise<Map<string, string>> {
  const [result] = await runOn(database, [
    `select a.id, n.nodename || ':' || n.nodeport as address from account a
      join pg_dist_placement p on p.shardid = get_shard_id_for_distribution_column('entry', a.number)
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'`,
  ])
  return new Map(result?.rows.map(({ id, address }) => [id, address]))
}
