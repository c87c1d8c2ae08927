import type { DatabaseProbe } from '../database.ts'
import { openDatabase, versionOf } from './open.ts'
import { migrations } from './schema.ts'

/** On a connection of its own, which waits for nobody: SQLite waits by holding up the whole process. */
export function openSqliteProbe(path: string): DatabaseProbe {
  const database = openDatabase(path, 'read')
  database.exec('pragma busy_timeout = 0')
  return {
    isUsable: async () => versionOf(database) >= migrations.length,
    async close() {
      database.close()
    },
  }
}
