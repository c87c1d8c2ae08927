import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { isBusy, toAppError } from './errors.ts'

/** How long a change waits for a load or another process, and how long between two tries. */
const busyMaxMs = 5000
const busyRetryMs = 5

/**
 * Changes in a server, one after another. SQLite waits by holding up the whole process, so it is told not
 * to wait, and whoever finds the database taken tries again while others are served.
 */
export function openWriteQueue(database: DatabaseSync) {
  database.exec('pragma busy_timeout = 0')
  let last: Promise<unknown> = Promise.resolve()

  const patiently = async <Result>(work: () => Result, since: number): Promise<Result> => {
    for (;;) {
      try {
        return transaction(database, work)
      } catch (cause) {
        if (!isBusy(cause) || performance.now() - since > busyMaxMs)
          throw toAppError(cause, database)
        await wait(busyRetryMs)
      }
    }
  }
  return <Result>(work: () => Result): Promise<Result> => {
    const since = performance.now()
    const done = last.then(() => patiently(work, since))
    // The next one has its turn however this one ends.
    last = done.catch(() => {})
    return done
  }
}

/** All of the work, or none of it where it throws. */
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
