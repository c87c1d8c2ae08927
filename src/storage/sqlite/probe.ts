import type { DatabaseProbe } from '../database.ts'
import { openDatabase, versionOf } from './open.ts'
import { migrations } from './schema.ts'
import { watchLog } from './write-ahead-log.ts'

/** On a connection of its own: what a long answer does on another does not matter. */
export function openSqliteProbe(path: string): DatabaseProbe {
  const database = openDatabase(path, 'serve')
  const watching = watchLog(path)
  return {
    isUsable: async () => versionOf(database) >= migrations.length,
    async close() {
      watching.close()
      database.close()
    },
  }
}
