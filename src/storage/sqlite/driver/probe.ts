import type { DatabaseSync } from 'node:sqlite'
import { type DatabaseProbe, notMigrated, type ProbeUse } from '../../database.ts'
import { isBusy, toAppError } from './errors.ts'
import { openDatabase, versionOf } from './open.ts'
import { migrations } from './schema.ts'
import { watchLog } from './write-ahead-log.ts'
import { transaction } from './write-queue.ts'

/** On a connection of its own: what a long answer does on another does not matter. */
export function openSqliteProbe(path: string, use: ProbeUse): DatabaseProbe {
  const database = openDatabase(path, use === 'write' ? 'write' : 'serve')
  database.exec('pragma busy_timeout = 0')
  const watching = watchLog(path)
  return {
    async check() {
      try {
        if (versionOf(database) < migrations.length) throw notMigrated()
        if (use === 'write') writeSameVersion(database)
      } catch (error) {
        throw toAppError(error, database)
      }
    },
    async close() {
      watching.close()
      database.close()
    },
  }
}

/**
 * A real write that changes nothing. A load that holds the write lock is no failure: reads go on, and writes succeed
 * after it.
 */
function writeSameVersion(database: DatabaseSync): void {
  try {
    transaction(database, () => database.exec(`pragma user_version = ${versionOf(database)}`))
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}
