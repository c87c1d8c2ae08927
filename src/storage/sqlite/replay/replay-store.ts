import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { ReplayStore, UseOutcome } from '../../../auth/replay-store.ts'
import { ContractError } from '../../../contract/index.ts'
import type { ReplayOptions } from '../../database.ts'
import { openPurgeClock } from '../../purge-clock.ts'
import { cannotOpen, isBusy } from '../driver/errors.ts'
import { identityOf } from '../driver/files.ts'
import { openTokenUses, type TokenUse, type TokenUses } from './token-uses.ts'

/** How often some of the records that are no longer needed are purged. */
const purgeEveryMs = 200

/** How many claims are written before others are served again. */
const groupMax = 1000

/** How long a claim waits for a file that another process holds, and how long between two tries. */
const busyMaxMs = 5000
const busyRetryMs = 5

/** More than these do not wait: the disk is not fast enough. */
const waitingMax = 10_000

const replaced = 'the replay file was deleted or replaced'

interface Waiting {
  readonly claim: TokenUse
  readonly since: number
  readonly resolve: (outcome: UseOutcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Claims in a file of their own, so that a long load never holds up a request. Those that arrive together
 * are committed together: one wait for the disk serves them all.
 */
export function openSqliteReplayStore(
  path: string,
  clock: () => Temporal.Instant,
  options: ReplayOptions = {},
): ReplayStore {
  const opened = identityOf(path)
  const file = openFileAt(path)
  const purgeBefore = openPurgeClock(clock, options)
  const waiting: Waiting[] = []
  let writing: Promise<void> | undefined

  const write = async (): Promise<void> => {
    await nextTurn()
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupMax)
      try {
        const { outcomes, purgedUntil } = file.claim(group.map(({ claim }) => claim))
        // Another process would not see what is recorded in a file that was deleted or replaced.
        if (identityOf(path) !== opened) throw new ContractError('unavailable', replaced)
        for (const [index, { resolve }] of group.entries()) {
          resolve(outcomes[index] ?? 'used before')
        }
        if (outcomes.includes('purged')) options.onPurgedToken?.(purgedUntil)
        if (waiting.length > 0) await nextTurn()
      } catch (error) {
        const now = performance.now()
        const isPatient = ({ since }: Waiting) => isBusy(error) && now - since < busyMaxMs
        waiting.unshift(...group.filter(isPatient))
        for (const each of group) if (!isPatient(each)) each.reject(file.toAppError(error))
        if (waiting.length > 0) await wait(busyRetryMs)
      }
    }
    writing = undefined
  }
  const timer = setInterval(() => {
    try {
      file.forget(purgeBefore())
    } catch {
      // A record that is kept too long does no harm, and the next attempt is soon.
    }
  }, purgeEveryMs)
  timer.unref()

  return {
    recordUse(tokenId, keptUntil) {
      if (waiting.length >= waitingMax) return Promise.reject(new ContractError('unavailable'))
      return new Promise((resolve, reject) => {
        const claim = { tokenId, keptUntil }
        waiting.push({ claim, since: performance.now(), resolve, reject })
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

function openFileAt(path: string): TokenUses {
  try {
    return openTokenUses(path)
  } catch (error) {
    throw cannotOpen(error, path)
  }
}
