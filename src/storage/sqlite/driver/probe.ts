import type { DatabaseSync } from 'node:sqlite'
import { type DatabaseProbe, notMigrated, type ProbeUse } from '../../database.ts'
import { isBusy, toAppError } from './errors.ts'
import { isMigrated, openDatabase, schemaVersion } from './open.ts'
import { transaction } from './statements.ts'
import { requireSpace, watchLog } from './write-ahead-log.ts'

/** Uses a connection of its own, independent of long reads. */
export function openSqliteProbe(path: string, use: ProbeUse): DatabaseProbe {
  const database = openDatabase(path, use === 'write' ? 'write' : 'serve')
  database.exec('pragma busy_timeout = 0')
  const watching = watchLog(path)
  return {
    async test() {
      try {
        if (!isMigrated(database)) throw notMigrated()
        if (use === 'write') writeSameVersion(database, path)
      } catch (error) {
        throw toAppError(error, database)
      }
    },
    listDataNodes: async () => [],
    async close() {
      watching.close()
      database.close()
    },
  }
}

/**
 * A real write that changes nothing, with the space for one that does. The write lock of a load is not a failure: reads
 * continue, and writes succeed after it.
 */
function writeSameVersion(database: DatabaseSync, path: string): void {
  try {
    transaction(database, () => {
      database.exec(`pragma user_version = ${schemaVersion(database)}`)
      requireSpace(database, path)
    })
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}
