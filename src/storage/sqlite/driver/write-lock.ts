import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { ContractError } from '../../../contract/index.ts'
import { announceWait } from '../../waiting.ts'
import { isBusy, toAppError } from './errors.ts'
import { openWriteTurn, type WriteTurn } from './write-turn.ts'

/** How long a load waits for other loads by default, and the pause between two attempts. */
const waitMaxMsDefault = 60 * 60 * 1000
const retryMs = 2

interface WaitOptions {
  readonly onWait?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
  readonly waitMaxMs?: number | undefined
}

/**
 * Begins the transaction of a load: no other process writes until it ends. A busy timeout of SQLite would block the whole
 * process, which could then neither report the wait nor be stopped.
 */
export async function takeWriteLock(database: DatabaseSync, options: WaitOptions): Promise<void> {
  const turn = openWriteTurn(database)
  await turn.letOthersWrite(options.signal)
  if (tryLock(database)) return
  try {
    await announceWait(retry(database, turn, options), options.onWait)
  } finally {
    turn.end()
  }
}

async function retry(
  database: DatabaseSync,
  turn: WriteTurn,
  { signal, waitMaxMs = waitMaxMsDefault }: WaitOptions,
): Promise<void> {
  const since = performance.now()
  do {
    if (performance.now() - since > waitMaxMs) {
      const seconds = Math.round(waitMaxMs / 1000)
      throw new ContractError(
        'unavailable',
        `the database has been locked by another process for ${seconds} s`,
      )
    }
    turn.request()
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
