import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { openPurgeClock } from '../../../auth/purge-clock.ts'
import type { ReplayStore, TokenUse, UseOutcome } from '../../../auth/replay-store.ts'
import { ContractError } from '../../../contract/index.ts'
import type { ReplayOptions } from '../../database.ts'
import { isBusy } from '../driver/errors.ts'
import { fileIdentity } from '../driver/files.ts'
import { withPath } from '../driver/open.ts'
import { openTokenUses } from './token-uses.ts'

/**
 * How often some of the records are examined for expired ones. In a second, more must be examined than a worker records,
 * since most of them have not expired.
 */
const purgeEveryMs = 100

/** How many uses are written at once, before the event loop runs other work. */
const groupMax = 1000

/** How long a use waits while another process locks the file, and the pause between two attempts. */
const busyMaxMs = 5000
const busyRetryMs = 5

/** How many uses may wait to be written. More are rejected: the disk is too slow. */
const waitingMax = 10_000

const replaced = 'the replay file was deleted or replaced'

interface Waiting {
  readonly use: TokenUse
  readonly since: number
  readonly resolve: (outcome: UseOutcome) => void
  readonly reject: (error: unknown) => void
}

/** In a file of their own, so that a long load never delays a request. Uses that arrive together share a commit. */
export function openSqliteReplayStore(
  path: string,
  clock: () => Temporal.Instant,
  options: ReplayOptions = {},
): ReplayStore {
  const opened = fileIdentity(path)
  const file = withPath(path, () => openTokenUses(path))
  const purgeBefore = openPurgeClock(clock, options)
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    await nextTurn()
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupMax)
      try {
        const { outcomes, purgedUntil } = file.record(group.map(({ use }) => use))
        // Another process does not see the records in a file that was deleted or replaced.
        if (fileIdentity(path) !== opened) throw new ContractError('unavailable', replaced)
        for (const [index, { resolve }] of group.entries()) {
          resolve(outcomes[index] ?? 'used before')
        }
        if (outcomes.includes('purged')) options.onPurgedToken?.(purgedUntil)
        if (waiting.length > 0) await nextTurn()
      } catch (error) {
        const now = performance.now()
        const mayRetry = ({ since }: Waiting) => isBusy(error) && now - since < busyMaxMs
        waiting.unshift(...group.filter(mayRetry))
        for (const each of group) if (!mayRetry(each)) each.reject(file.toAppError(error))
        if (waiting.length > 0) await wait(busyRetryMs)
      }
    }
    writing = undefined
  }
  const timer = setInterval(() => {
    try {
      file.purge(purgeBefore())
    } catch {
      // A record that is kept too long does no harm, and the next attempt follows soon.
    }
  }, purgeEveryMs)
  timer.unref()

  return {
    recordUse(tokenId, keptUntil) {
      if (waiting.length >= waitingMax) return Promise.reject(new ContractError('unavailable'))
      return new Promise((resolve, reject) => {
        const use = { tokenId, keptUntil }
        waiting.push({ use, since: performance.now(), resolve, reject })
        writing ??= write()
      })
    },
    async close() {
      clearInterval(timer)
      await writing
      file.close()
    },
  }
}
