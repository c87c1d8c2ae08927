import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a writer lets a waiting process go first. After that, the file is a leftover of a killed process. */
const turnMaxMs = 100

const pollMs = 1

export type WriteTurn = ReturnType<typeof openWriteTurn>

/**
 * Lets processes write in turn. SQLite gives the write lock to any process that tries at the right moment, so a process
 * that commits one transaction after another could keep it from those that retry now and then. Therefore a waiting
 * process creates a file, which asks others not to take the lock, and deletes it once it has the lock. If more processes
 * wait, they create the file again.
 *
 * This only improves fairness: without the file, or with a leftover one, the lock is still correct.
 */
export function openWriteTurn(database: DatabaseSync) {
  const path = `${database.location()}-waiting`

  return {
    /** Asks others to let this process write. Called before each attempt. */
    request: (): void => ignoreFailure(() => closeSync(openSync(path, 'wx', 0o600))),

    end: (): void => ignoreFailure(() => rmSync(path)),

    /** Waits until the processes that asked to write have the lock. */
    async letOthersWrite(signal?: AbortSignal): Promise<void> {
      if (!existsSync(path)) return
      const since = performance.now()
      while (existsSync(path)) {
        if (performance.now() - since > turnMaxMs) return ignoreFailure(() => rmSync(path))
        await wait(pollMs, undefined, { signal })
      }
    },
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
