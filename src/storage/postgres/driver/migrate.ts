import type pg from 'pg'
import { DatabaseError, newerDatabase } from '../../database.ts'
import { migrations } from './schema.ts'

export const partitionsDefault = 16

/** An advisory lock lets one process at a time migrate the database. */
const lock = `hashtext('holdfast schema')`

/** Applies the missing migrations. Several processes may call it at the same time. */
export async function migrate(pool: pg.Pool, partitions = partitionsDefault): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`select pg_advisory_lock(${lock})`)
    await client.query(
      'create table if not exists schema_version (version integer not null, partitions integer not null)',
    )
    // Read under the lock: another process may have migrated the database meanwhile.
    for (let version = await readVersion(client); version < migrations.length; version += 1) {
      await applyStep(client, version, partitions)
    }
  } finally {
    // Closing the connection releases the lock.
    client.release(true)
  }
}

export async function schemaState(pool: pg.Pool): Promise<'missing' | 'older' | 'current'> {
  const version = await readVersion(pool)
  if (version === 0) return 'missing'
  return version < migrations.length ? 'older' : 'current'
}

/** The number of partitions that the database was created with. */
export async function readPartitions(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ partitions: number }>('select partitions from schema_version')
  return rows[0]?.partitions ?? partitionsDefault
}

async function readVersion(client: pg.Pool | pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_version') is not null as exists`,
  )
  if (!rows[0]?.exists) return 0
  const found = await client.query<{ version: number }>('select version from schema_version')
  const version = found.rows[0]?.version ?? 0
  if (version > migrations.length) throw newerDatabase()
  return version
}

async function applyStep(
  client: pg.ClientBase,
  version: number,
  partitions: number,
): Promise<void> {
  await client.query('begin')
  if (version === 0) await client.query('insert into schema_version values (0, $1)', [partitions])
  const { rows } = await client.query<{ partitions: number }>(
    'select partitions from schema_version',
  )
  const step = migrations[version]?.({ partitions: rows[0]?.partitions ?? partitions })
  if (step === undefined) throw new DatabaseError(`migration ${version} does not exist`)
  if (typeof step === 'string') await client.query(step)
  else await step(client)
  await client.query('update schema_version set version = $1', [version + 1])
  await client.query('commit')
}
