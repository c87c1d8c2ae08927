import type pg from 'pg'
import { DatabaseError, type DatabaseOptions } from '../../database.ts'
import { findMissing, versionWith } from '../../migrations.ts'
import { type Layout, migrations } from './schema.ts'

const partitionsDefault = 16

/** The oldest major version of PostgreSQL that the tests run on. */
const serverVersionMin = 15

/** An advisory lock lets one process at a time migrate the database. */
const lock = `hashtext('holdfast schema')`

const createVersion = `create table if not exists schema_version (
    version integer not null, partitions integer not null, layout text not null
  )`

/** PostgreSQL's code for a table that exists already: it belongs to another program. */
const duplicateTable = '42P07'

/** What the database was created with, and its version. */
export interface Schema extends Layout {
  readonly version: number
}

type Steps = typeof migrations

/** Applies the missing migrations. Several processes may call it at the same time. */
export async function migrate(
  pool: pg.Pool,
  { partitions = partitionsDefault, layout = 'partitions' }: DatabaseOptions,
  steps: Steps,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`select pg_advisory_lock(${lock})`)
    // Read under the lock: another process may have migrated the database meanwhile.
    const schema = (await readSchema(client)) ?? { version: 0, partitions, layout }
    if (schema.layout === 'citus') await requireCitus(client)
    const missing = findMissing(steps, schema.version)
    for (const [index, step] of missing.entries()) {
      const version = versionWith(steps) - missing.length + index + 1
      await applyStep(client, step(schema), { ...schema, version })
    }
  } finally {
    // Closing the connection releases the lock.
    client.release(true)
  }
}

export function isOlder({ version }: Schema, steps: Steps = migrations): boolean {
  return findMissing(steps, version).length > 0
}

/** Undefined if the database has no tables. */
export async function readSchema(client: pg.Pool | pg.ClientBase): Promise<Schema | undefined> {
  const { rows } = await client.query<{ exists: boolean; serverVersion: number }>(
    `select to_regclass('schema_version') is not null as exists,
      current_setting('server_version_num')::integer / 10000 as "serverVersion"`,
  )
  const { exists = false, serverVersion = 0 } = rows[0] ?? {}
  if (serverVersion < serverVersionMin) {
    throw new DatabaseError(
      `PostgreSQL ${serverVersion} is not supported: use ${serverVersionMin} or newer`,
    )
  }
  if (!exists) return undefined
  const [schema] = (await client.query<Partial<Schema>>('select * from schema_version')).rows
  const { version, partitions, layout } = schema ?? {}
  // Other programs have a table of this name too.
  const isOwn = typeof version === 'number' && typeof partitions === 'number'
  if (!isOwn || layout === undefined) throw foreignDatabase()
  return { version, partitions, layout }
}

async function requireCitus(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query(`select from pg_extension where extname = 'citus'`)
  if (rowCount === 0) {
    throw new DatabaseError(
      'the layout citus requires the extension citus in the database of the coordinator: run create extension citus there and on every data node',
    )
  }
}

async function applyStep(
  client: pg.ClientBase,
  sql: string,
  { version, partitions, layout }: Schema,
): Promise<void> {
  try {
    await client.query(`begin; ${createVersion}; ${sql}; delete from schema_version;
      insert into schema_version values (${version}, ${partitions}, '${layout}'); commit`)
  } catch (error) {
    throw (error as pg.DatabaseError).code === duplicateTable ? foreignDatabase() : error
  }
}

function foreignDatabase(): DatabaseError {
  return new DatabaseError('the database has tables of another program: choose another database')
}
