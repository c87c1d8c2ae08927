import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { isBusy, toAppError } from './errors.ts'
import { openWriteTurn } from './write-turn.ts'

/** How long a change waits for a load or another process, and the pause between two attempts. */
const busyMaxMs = 5000
const busyRetryMs = 2

/**
 * Serialises the changes of a server, each in a transaction on a connection that nothing else uses. A busy timeout of
 * SQLite would block the whole process, so a change that finds the database locked is retried between other work.
 */
export function openWriteQueue(database: DatabaseSync) {
  database.exec('pragma busy_timeout = 0')
  const turn = openWriteTurn(database)
  let last: Promise<unknown> = Promise.resolve()

  const commit = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    database.exec('begin immediate')
    try {
      const result = await work()
      database.exec('commit')
      return result
    } catch (error) {
      if (database.isTransaction) database.exec('rollback')
      throw error
    }
  }
  const retryWhileBusy = async <Result>(
    work: () => Promise<Result>,
    since: number,
  ): Promise<Result> => {
    await turn.letOthersWrite()
    let isWaiting = false
    try {
      for (;;) {
        try {
          return await commit(work)
        } catch (cause) {
          if (!isBusy(cause) || performance.now() - since > busyMaxMs)
            throw toAppError(cause, database)
          isWaiting = true
          turn.request()
          await wait(busyRetryMs)
        }
      }
    } finally {
      if (isWaiting) turn.end()
    }
  }
  return {
    /** Runs the work after the changes that were requested before. It waits for nothing but its statements. */
    write<Result>(work: () => Promise<Result>): Promise<Result> {
      const since = performance.now()
      const done = last.then(() => retryWhileBusy(work, since))
      // The next change runs even if this one fails.
      last = done.catch(() => {})
      return done
    },
    /** Resolves when the changes have ended. */
    settle: (): Promise<unknown> => last,
  }
}

/** Commits the work, or rolls it back if it throws. */
export function transaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
