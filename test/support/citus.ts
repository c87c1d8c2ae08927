import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createDatabase } from '../../src/storage/open.ts'

/** The address of the coordinator of a Citus cluster, which tests of the layout `citus` need. */
export const citusUrl = process.env['HOLDFAST_TEST_CITUS']

/** Few shards: each statement on all of them takes longer with more. */
const shards = 4

interface Node {
  readonly nodename: string
  readonly nodeport: number
  readonly isCoordinator: boolean
}

async function runOn(url: string, statements: readonly string[]): Promise<pg.QueryResult[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const results: pg.QueryResult[] = []
    for (const sql of statements) results.push(await client.query(sql))
    return results
  } finally {
    await client.end()
  }
}

/** Databases that no test uses at present. Creating one takes a second. */
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
  if (citusUrl === undefined) throw new Error('HOLDFAST_TEST_CITUS is not set')
  return citusUrl
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
  const name = `test_${randomBytes(8).toString('hex')}`
  const all = await listNodes()
  for (const node of all) {
    await runOn(urlOn(node, 'postgres'), [
      'set citus.enable_create_database_propagation = off',
      `create database ${name}`,
    ])
    await runOn(urlOn(node, name), ['create extension citus'])
  }
  const database = new URL(name, requireUrl()).href
  await runOn(
    database,
    all.map(({ nodename, nodeport, isCoordinator }) =>
      isCoordinator
        ? `select citus_set_coordinator_host('${nodename}', ${nodeport})`
        : `select citus_add_node('${nodename}', ${nodeport})`,
    ),
  )
  created.push(name)
  await createDatabase(database, { layout: 'citus', partitions })
  return database
}

const emptyAll = `do $$ begin
  execute (select 'truncate ' || string_agg(quote_ident(relname), ', ') from pg_class c
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname not in ('schema_version', 'replay_purge'));
  update replay_purge set purged_until = 0;
end $$`

export async function returnCitusDatabase(database: string): Promise<void> {
  await runOn(database, [`set lock_timeout = '10s'`, emptyAll])
  free.push(database)
}

export async function dropCitusDatabases(): Promise<void> {
  for (const name of created) {
    for (const node of await listNodes()) {
      await runOn(urlOn(node, 'postgres'), [
        'set citus.enable_create_database_propagation = off',
        `drop database if exists ${name} with (force)`,
      ])
    }
  }
}
