import { DatabaseSync } from 'node:sqlite'

/** Waits for locks of other connections as long as a busy machine needs. */
const busyMs = 3_600_000

/** Opens the file of a SQLite database, or the file beside it with a suffix. */
export function openDatabaseFile(database: string, suffix = ''): DatabaseSync {
  const path = database.replace(/^sqlite:/, '') + suffix
  return new DatabaseSync(path, { timeout: busyMs })
}
