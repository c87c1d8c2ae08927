import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { StartedRole } from '../platform/history/mark-store.ts'
import { clock } from './clock.ts'
import { databaseOptions } from './database-options.ts'
import type { Settings } from './settings/settings.ts'
import { version } from './version.ts'

/** A load can lock the database for some minutes. */
const attemptsMax = 20
const retryMs = 30_000

const minuteMs = 60_000

/**
 * Records in the database that a process of a server was started, for the history in the console. In the background: no
 * server needs it. Returns a function that ends further attempts.
 */
export function recordStart(
  role: StartedRole,
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  log: Logger,
): () => Promise<void> {
  const ended = new AbortController()
  const { signal } = ended
  const time = clock().epochMilliseconds
  const minute = time - (time % minuteMs)
  const record = async (): Promise<void> => {
    const { openMarkStore } = await import('../storage/open.ts')
    const store = await openMarkStore(settings.database, databaseOptions(settings))
    await store.addStart({ role, minute, version }).finally(store.close)
  }
  const recorded = (async () => {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return await record()
      } catch (error) {
        if (attempt === attemptsMax) return log.info({ err: error }, 'start not recorded')
      }
      await wait(retryMs, undefined, { ref: false, signal }).catch(() => {})
    }
  })()
  return async () => {
    ended.abort()
    await recorded
  }
}
