import type pg from 'pg'
import { DatabaseError, newerDatabase } from '../../database.ts'
import { migrations } from './schema.ts'

export const partitionsDefault = 16

/** The name of the lock behind which one process at a time brings the database up to date. */
const lock = `hashtext('holdfast schema')`

/** Brings the database to the newest version. Any number of processes may try at once. */
export async function migrate(pool: pg.Pool, partitions = partitionsDefault): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`select pg_advisory_lock(${lock})`)
    await client.query(
      'create table if not exists schema_version (version integer not null, partitions integer not null)',
    )
    // Asked again behind the lock: another process may have come first.
    for (let version = await versionOf(client); version < migrations.length; version += 1) {
      await applyStep(client, version, partitions)
    }
  } finally {
    // With the connection goes the lock.
    client.release(true)
  }
}

export async function schemaState(pool: pg.Pool): Promise<'missing' | 'older' | 'current'> {
  const version = await versionOf(pool)
  if (version === 0) return 'missing'
  return version < migrations.length ? 'older' : 'current'
}

/** Into how many tables the histories were divided when the database was made. */
export async function partitionsOf(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ partitions: number }>('select partitions from schema_version')
  return rows[0]?.partitions ?? partitionsDefault
}

async function versionOf(client: pg.Pool | pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('schema_version') is not null as there`,
  )
  if (!rows[0]?.there) return 0
  const found = await client.query<{ version: number }>('select version from schema_version')
  const version = found.rows[0]?.version ?? 0
  if (version > migrations.length) throw newerDatabase()
  return version
}

async function applyStep(client: pg.ClientBase, version: number, wanted: number): Promise<void> {
  await client.query('begin')
  if (version === 0) await client.query('insert into schema_version values (0, $1)', [wanted])
  const { rows } = await client.query<{ partitions: number }>(
    'select partitions from schema_version',
  )
  const step = migrations[version]?.({ partitions: rows[0]?.partitions ?? wanted })
  if (step === undefined) throw new DatabaseError(`there is no step ${version} of the schema`)
  if (typeof step === 'string') await client.query(step)
  else await step(client)
  await client.query('update schema_version set version = $1', [version + 1])
  await client.query('commit')
}
