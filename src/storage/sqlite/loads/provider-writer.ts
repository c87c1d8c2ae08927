import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { totalCounts } from '../../../intake/line-counts.ts'
import type {
  LineError,
  LocatedItem,
  ProviderWriter,
  WriterOptions,
} from '../../../intake/writer.ts'
import { DatabaseError } from '../../database.ts'
import { forgetOldLoads, recordLoad } from '../../status-store.ts'
import { fileIdentity } from '../driver/files.ts'
import { openDatabase, openTemporaryDatabase } from '../driver/open.ts'
import { openStatements } from '../driver/sql.ts'
import { execute } from '../driver/statements.ts'
import { commitWithinSpace, releaseLog } from '../driver/write-ahead-log.ts'
import { takeWriteLock } from '../driver/write-lock.ts'
import { openItemWriter } from './item-writer.ts'
import { openLoadedAccounts } from './loaded-accounts.ts'
import { openStagedItems } from './staged-items.ts'

interface OpenedFile {
  readonly path: string
  /** Of the file that was opened. */
  readonly identity: string | undefined
}

export function openSqliteProviderWriter(path: string, options: WriterOptions): ProviderWriter {
  const identity = fileIdentity(path)
  return createWriter(openDatabase(path, 'write'), { path, identity }, options)
}

export function openTemporaryWriter(options: WriterOptions): ProviderWriter {
  return createWriter(openTemporaryDatabase(), undefined, options)
}

/**
 * The write lock is taken with the first item of a commit, or with slow input after the last one. Between two commits
 * another process may change anything, so no cache survives a commit.
 */
function createWriter(
  database: DatabaseSync,
  file: OpenedFile | undefined,
  { loadTime, isSlow = false, onWait, signal }: WriterOptions,
): ProviderWriter {
  // `takeWriteLock` waits for other loads, without blocking the process.
  database.exec('pragma busy_timeout = 0')
  const loaded = openLoadedAccounts(database)
  const items = openItemWriter(database, () => loadTime, { onAccount: loaded.add })
  const staged = openStagedItems(database)
  const { run } = openStatements(database)
  let committedLines = totalCounts([])
  let hasStaged = false

  // Only after the temporary tables exist: a rollback must not remove them.
  const begin = async (): Promise<void> => {
    if (database.isTransaction) return
    if (file) await takeWriteLock(database, { onWait, signal })
    else execute(database, 'begin')
  }

  const writeAll = (all: readonly LocatedItem[]): LineError[] =>
    all.map(items.write).filter((error) => error !== undefined)

  const clearStaged = (): void => {
    if (hasStaged) staged.clear()
    hasStaged = false
  }

  return {
    async write(all) {
      if (all.length === 0) return []
      if (isSlow) {
        hasStaged = true
        staged.put(all)
        return []
      }
      await begin()
      return writeAll(all)
    },

    /** Without slow input, errors were returned by `write`. */
    async *findErrors() {
      if (!hasStaged) return
      await begin()
      for (const group of staged.groups()) {
        yield* writeAll(group)
        // A signal is noticed between two turns of the event loop.
        await setImmediate()
        signal?.throwIfAborted()
      }
    },

    findUnresolved: items.findUnresolved,

    countGaps: async () => loaded.countGaps(),

    async commit() {
      if (!file) throw new Error('a temporary database has no commits')
      const counts = items.finish()
      items.writeCorrections()
      items.writeIndex(Number.POSITIVE_INFINITY).forEach(() => {})
      // A commit to a file that was deleted or replaced would be lost.
      if (fileIdentity(file.path) !== file.identity) {
        throw new DatabaseError(
          `the database ${file.path} was deleted or replaced during the load: uncommitted items were not loaded`,
        )
      }
      if (database.isTransaction) {
        const lines = totalCounts([committedLines, ...counts.values()])
        run(...recordLoad(loadTime, Date.now(), lines))
        run(forgetOldLoads, [])
        commitWithinSpace(database, file.path)
        committedLines = lines
      }
      items.clearCache()
      clearStaged()
      return counts
    },

    async rollback() {
      if (database.isTransaction) execute(database, 'rollback')
      items.discard()
      clearStaged()
    },

    async close() {
      // Closing rolls back an open transaction.
      database.close()
      if (file) releaseLog(file.path)
    },
  }
}
