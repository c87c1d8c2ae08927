import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import type { WriterOptions } from '../../../load/writer.ts'
import { DatabaseError } from '../../database.ts'
import { announceWait } from '../../waiting.ts'
import { isBusy, toAppError } from './errors.ts'

/** How long a load waits for other loads, and the pause between two attempts. */
const waitMaxMs = 60 * 60 * 1000
const retryMs = 5

/**
 * Begins the transaction of a load: no other process writes until it ends. A busy timeout of SQLite would block the whole
 * process, which could then neither report the wait nor be stopped.
 */
export async function takeWriteLock(
  database: DatabaseSync,
  { onWait, signal }: Pick<WriterOptions, 'onWait' | 'signal'>,
): Promise<void> {
  if (tryLock(database)) return
  await announceWait(retry(database, signal), onWait)
}

async function retry(database: DatabaseSync, signal: AbortSignal | undefined): Promise<void> {
  const since = performance.now()
  do {
    if (performance.now() - since > waitMaxMs) {
      throw new DatabaseError('the database has been locked by another process for an hour')
    }
    await wait(retryMs, undefined, { signal })
  } while (!tryLock(database))
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('begin immediate')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw toAppError(error, database)
  }
}
