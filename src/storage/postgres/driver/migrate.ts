import type pg from 'pg'
import {
  DatabaseError,
  type DatabaseLayout,
  type DatabaseOptions,
  newerDatabase,
} from '../../database.ts'
import { type Layout, migrations } from './schema.ts'

export const partitionsDefault = 16

/** The oldest major version of PostgreSQL that the tests run on. */
const serverVersionMin = 15

/** An advisory lock lets one process at a time migrate the database. */
const lock = `hashtext('holdfast schema')`

/** The first databases had one layout, and no column for it. */
const createVersion = `
  set client_min_messages = warning;
  create table if not exists schema_version (version integer not null, partitions integer not null);
  alter table schema_version add column if not exists layout text not null default 'partitions'`

/** What the database was created with, and the number of migrations that were applied to it. */
export interface Schema extends Layout {
  readonly version: number
}

/** Applies the missing migrations. Several processes may call it at the same time. */
export async function migrate(pool: pg.Pool, options: DatabaseOptions): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`select pg_advisory_lock(${lock})`)
    await client.query(createVersion)
    // Read under the lock: another process may have migrated the database meanwhile.
    const { partitions = partitionsDefault, layout = 'partitions' } = options
    const schema = (await readSchema(client)) ?? { version: 0, partitions, layout }
    if (schema.layout === 'citus') await requireCitus(client)
    for (let version = schema.version; version < migrations.length; version += 1) {
      await applyStep(client, { ...schema, version })
    }
  } finally {
    // Closing the connection releases the lock.
    client.release(true)
  }
}

export function isOlder({ version }: Schema): boolean {
  return version < migrations.length
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
  const found = await client.query<Omit<Schema, 'layout'> & { layout?: DatabaseLayout }>(
    'select * from schema_version',
  )
  const [schema] = found.rows
  if (!schema || schema.version === 0) return undefined
  if (schema.version > migrations.length) throw newerDatabase()
  return { layout: 'partitions', ...schema }
}

async function requireCitus(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query(`select from pg_extension where extname = 'citus'`)
  if (rowCount === 0) {
    throw new DatabaseError(
      'the layout citus requires the extension citus in the database of the coordinator: run create extension citus there and on every data node',
    )
  }
}

async function applyStep(client: pg.ClientBase, schema: Schema): Promise<void> {
  const { version, partitions, layout } = schema
  await client.query('begin')
  if (version === 0) {
    await client.query(
      'insert into schema_version (version, partitions, layout) values (0, $1, $2)',
      [partitions, layout],
    )
  }
  const step = migrations[version]?.({ partitions, layout })
  if (step === undefined) throw new DatabaseError(`migration ${version} does not exist`)
  if (typeof step === 'string') await client.query(step)
  else await step(client)
  await client.query('update schema_version set version = $1', [version + 1])
  await client.query('commit')
}
