import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { DatabaseError } from '../../database.ts'
import { cannotOpen, isBusy } from '../driver/errors.ts'
import { earlierReplayPath, replayPath, syncToDisk, walPath } from '../driver/files.ts'
import { connect } from '../driver/open.ts'
import { transaction } from '../driver/write-queue.ts'

/** The path of the replay file, which exists under its earlier name until a provider has opened it. */
export function currentReplayPath(databasePath: string): string {
  const earlier = earlierReplayPath(databasePath)
  if (!existsSync(earlier)) return replayPath(databasePath)
  requireOnlyEarlier(databasePath)
  return earlier
}

/**
 * Renames the replay file of an earlier version. The database must be migrated, so that no process of an earlier version
 * opens it any more. Its write lock lets one process at a time rename the file.
 */
export function renameEarlierReplayFile(databasePath: string, database: DatabaseSync): void {
  if (!existsSync(earlierReplayPath(databasePath))) return
  try {
    transaction(database, () => rename(databasePath))
  } catch (error) {
    throw cannotOpen(error, databasePath)
  }
}

function rename(databasePath: string): void {
  const earlier = earlierReplayPath(databasePath)
  // Another process may have renamed it while this one waited for the lock.
  if (!existsSync(earlier)) return
  requireOnlyEarlier(databasePath)
  const file = connect(earlier, 0)
  try {
    // SQLite looks for a write-ahead log by the name of its file, so the log is copied into the file and deleted first.
    // That fails while another process has the file open.
    file.exec('pragma journal_mode = delete; begin exclusive')
    renameSync(earlier, replayPath(databasePath))
    // Before a log is written under the new name: after a power failure, the file must not have the old name again.
    syncToDisk(dirname(earlier))
  } catch (error) {
    throw isBusy(error) ? inUse(earlier) : cannotOpen(error, earlier)
  } finally {
    file.close()
  }
}

/** Also rejects a write-ahead log without its file: SQLite would apply it to the file that gets that name. */
function requireOnlyEarlier(databasePath: string): void {
  const path = replayPath(databasePath)
  const existing = [path, walPath(path)].find((file) => existsSync(file))
  if (existing === undefined) return
  const earlier = earlierReplayPath(databasePath)
  throw new DatabaseError(
    `${existing} and ${earlier} both exist, and either may record used tokens. Keep the one that the last server used, and move the other to another folder.`,
  )
}

function inUse(path: string): DatabaseError {
  return new DatabaseError(
    `the replay file ${path} is in use by another process of an older version; stop it first`,
  )
}
