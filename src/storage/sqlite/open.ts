import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from './schema.ts'

/** How long a statement waits for another process, in milliseconds. */
const busyTimeoutMs = 5000

/** A load waits this long for another one to finish. */
const loadWaitMs = 60 * 60 * 1000

/** Opens the database, and brings it to the newest version first. */
export function openDatabase(path: string, use: 'read' | 'write'): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = file')
  migrate(database)
  database.exec(
    use === 'read'
      ? 'pragma query_only = on; pragma cache_size = -16384; pragma mmap_size = 268435456'
      : `pragma cache_size = -32768; pragma busy_timeout = ${loadWaitMs}`,
  )
  return database
}

function migrate(database: DatabaseSync): void {
  const version = () => Number(database.prepare('pragma user_version').get()?.['user_version'])
  if (version() > migrations.length) {
    throw new Error(
      'the database was made by a newer Holdfast: use that version, or another database',
    )
  }
  if (version() === migrations.length) return

  database.exec('begin immediate')
  for (const step of migrations.slice(version())) database.exec(step)
  database.exec(`pragma user_version = ${migrations.length}; commit`)
}
