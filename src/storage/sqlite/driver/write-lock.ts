import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { ContractError } from '../../../contract/index.ts'
import type { FeedWriterOptions } from '../../../intake/feed-writer.ts'
import { announceWait } from '../../waiting.ts'
import { isBusy, toAppError } from './errors.ts'
import { execute } from './statements.ts'

/** How long a load waits for other loads by default, and the pause between two attempts. */
const waitMaxMsDefault = 60 * 60 * 1000
const retryMs = 2

/** How long a writer lets a waiting process go first. After that, the file is a leftover of a killed process. */
const turnMaxMs = 100
const turnPollMs = 1

interface WaitOptions extends Pick<FeedWriterOptions, 'onWait' | 'signal' | 'waitMaxMs'> {
  /** When the wait began, by `performance.now()`. */
  readonly since?: number
}

/**
 * Begins a transaction that writes. A busy timeout of SQLite would block the whole process, which could then neither
 * report the wait nor be stopped.
 *
 * SQLite gives the write lock to any process that tries at the right moment, so one that commits again and again could
 * keep it. A waiting process therefore creates a file that asks others not to take the lock, and deletes it once it has
 * the lock. Without the file, or with a leftover one, the lock is still correct.
 */
export async function takeWriteLock(database: DatabaseSync, options: WaitOptions): Promise<void> {
  const turnFile = `${database.location()}-waiting`
  await letOthersWrite(turnFile, options.signal)
  if (tryLock(database)) return
  try {
    await announceWait(retry(database, turnFile, options), options.onWait)
  } finally {
    ignoreFailure(() => rmSync(turnFile))
  }
}

/** Runs the work in a transaction that writes. What the work does not commit is rolled back. */
export async function withWriteLock<Result>(
  database: DatabaseSync,
  options: WaitOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  await takeWriteLock(database, options)
  try {
    return await work()
  } finally {
    // Some failures end the transaction.
    if (database.isTransaction) execute(database, 'rollback')
  }
}

async function letOthersWrite(turnFile: string, signal: AbortSignal | undefined): Promise<void> {
  const since = performance.now()
  while (existsSync(turnFile)) {
    if (performance.now() - since > turnMaxMs) return ignoreFailure(() => rmSync(turnFile))
    await wait(turnPollMs, undefined, { signal })
  }
}

async function retry(
  database: DatabaseSync,
  turnFile: string,
  { signal, waitMaxMs = waitMaxMsDefault, since = performance.now() }: WaitOptions,
): Promise<void> {
  do {
    if (performance.now() - since > waitMaxMs) {
      const seconds = Math.round(waitMaxMs / 1000)
      throw new ContractError(
        'unavailable',
        `the database has been locked by another process for ${seconds} s`,
      )
    }
    ignoreFailure(() => closeSync(openSync(turnFile, 'wx', 0o600)))
    await wait(retryMs, undefined, { signal })
  } while (!tryLock(database))
}

/** Begins a transaction that writes. False if another process writes. */
export function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('begin immediate')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw toAppError(error, database)
  }
}

/** The file may exist already or no longer, and the disk may be full. */
function ignoreFailure(work: () => void): void {
  try {
    work()
  } catch {
    // The lock is correct without the file.
  }
}
